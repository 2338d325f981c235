/* The events of each system call: syscalls:sys_enter_NAME and syscalls:sys_exit_NAME. */
#pragma once

#include "trace/core/trace_array.h"

/* Adds the events to trace_event_calls. 0 or -ENOMEM. Boot, E held. */
int trace_syscalls_add_calls(void);
/* Which of them are enabled in a trace_array. */
extern struct trace_array_part trace_syscalls_part;
