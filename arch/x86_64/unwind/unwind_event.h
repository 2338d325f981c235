/* Stack traces of events: where an event has happened, and what an interrupt has hit. */
#pragma once

#include "arch/cpu/ptrace.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/types.h"

/* At most so many frames are between a probe and __traceiter_NAME(). */
#define PROBE_FRAMES 16U

/* The same as the next one, from the current frame on, and across replaced return addresses. */
bool stack_trace_search_caller(bool (*is_traceiter)(unsigned long ip), unsigned long *frame,
			       unsigned long *ip);
/*
 * For a probe of a tracepoint: the function with trace_NAME(), and the function's frame pointer.
 * *ip is the return address in it. bp: the frame of the probe, or of a function that it calls.
 * is_traceiter tells the addresses in __traceiter_NAME(). False: there is no tracepoint among the
 * next callers. Any context.
 *
 * Between a probe and __traceiter_NAME() are only frames of C: it follows them without checks.
 */
static __always_inline bool stack_trace_find_caller(const unsigned long *bp,
						    bool (*is_traceiter)(unsigned long ip),
						    unsigned long *frame, unsigned long *ip)
{
	for (unsigned i = 0; i < PROBE_FRAMES; i++) {
		unsigned long ret = bp[1];

		bp = (const unsigned long *)bp[0];
		if (likely(is_traceiter(ret))) {
			/* bp is the frame of __traceiter_NAME(). */
			*frame = bp[0];
			*ip = bp[1];
			if (unlikely(*ip == unwind_replaced))
				*ip = (unsigned long)real_return_address((unsigned long *)bp + 1);
			return true;
		}
		if (!bp || ((unsigned long)bp & 1)) /* the end of the stack; an interrupt */
			break;
	}
	return stack_trace_search_caller(is_traceiter, frame, ip);
}
/*
 * As stack_trace_save(), from a frame of the current task on: the first entry is the return address
 * in it. Any context.
 */
unsigned stack_trace_save_frame(unsigned long frame, unsigned long *entries, unsigned max);
/*
 * The registers of what the current interrupt has interrupted: a program, too. The frames of a
 * handler are whole, up to the odd frame pointer of the entry. Hardirq.
 */
static __always_inline struct pt_regs *stack_trace_handler_regs(void)
{
	unsigned long bp = (unsigned long)__builtin_frame_address(0);

	while (!(bp & 1))
		bp = *(unsigned long *)bp;
	return (struct pt_regs *)(bp - 1);
}
