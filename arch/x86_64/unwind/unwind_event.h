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
/*
 * The registers that the innermost entry to the kernel has saved: those of a program, too, and in a
 * system call. For an interrupt: what it has interrupted. NULL: a kernel task that nothing has
 * interrupted. Any context.
 */
struct pt_regs *stack_trace_irq_regs(void);
/* The same for a handler of interrupts, which has interrupted something. Hardirq. */
struct pt_regs *stack_trace_handler_regs(void);
/*
 * As stack_trace_save_user() for given registers of the current program: those of an interrupt, or
 * task_pt_regs(). Others give 0. The caller knows that the memory of the program is loaded, which
 * is not so at the end of a switch. Any context but NMI.
 */
unsigned stack_trace_save_user_regs(const struct pt_regs *regs, unsigned long *entries,
				    unsigned max);
