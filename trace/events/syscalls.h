/* The events of each system call: syscalls:sys_enter_NAME and syscalls:sys_exit_NAME. */
#pragma once

#include "trace/core/trace_array.h"

struct trace_event_file;

/* Adds the events to trace_event_calls. 0 or -ENOMEM. Boot, E held. */
int trace_syscalls_add_calls(void);
/* The number of these events. Constant after the boot. */
unsigned trace_syscalls_count(void);
/* Returns whether tr uses none of these events, in soft mode neither. E held. */
bool trace_syscalls_unused(struct trace_array *tr);
/*
 * Enables all these events in a trace_array that uses none of them, at a fraction of the cost of
 * enabling them one by one. first is the file of the first one in the list of files; the others
 * follow it. Returns the last file, or an errno as a pointer: none is enabled. E held, between
 * trace_events_batch_begin() and trace_events_batch_end().
 */
struct trace_event_file *trace_syscalls_enable_all(struct trace_event_file *first);
/* Which of them are enabled in a trace_array. */
extern struct trace_array_part trace_syscalls_part;
