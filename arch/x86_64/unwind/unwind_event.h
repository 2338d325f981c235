/* Stack traces of events: where an event has happened, and what an interrupt has hit. */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/types.h"

/*
 * For a probe of a tracepoint: the function with trace_NAME(), and the function's frame pointer.
 * *ip is the return address in it. is_traceiter tells the addresses in __traceiter_NAME(). False:
 * there is no tracepoint among the next callers. Any context.
 */
bool stack_trace_find_caller(bool (*is_traceiter)(unsigned long ip), unsigned long *frame,
			     unsigned long *ip);
/*
 * As stack_trace_save(), from a frame of the current task on: the first entry is the return address
 * in it. Any context.
 */
unsigned stack_trace_save_frame(unsigned long frame, unsigned long *entries, unsigned max);
/* The registers of what the current interrupt has interrupted: a program, too. Hardirq. */
struct pt_regs *stack_trace_handler_regs(void);
