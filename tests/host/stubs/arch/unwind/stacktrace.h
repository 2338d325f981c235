/* The host's stacktrace.h. */
#pragma once

#define _RET_IP_ __builtin_return_address(0)
void dump_stack(void);
unsigned stack_trace_save(unsigned long *entries, unsigned max, unsigned skip);
struct task_struct;
void show_stack_task(struct task_struct *task);
#define _CALLER_RET_IP_ ((void *)0) /* tracepoints do not exist here */

#define FTRACE_ALL_SAVED 2UL
