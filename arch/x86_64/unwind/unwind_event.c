/* Where an event has happened: the function with its tracepoint, or what an interrupt has hit. */
#include "arch/unwind/unwind_event.h"

#include "arch/cpu/processor.h"
#include "arch/unwind/stacktrace.h"
#include "arch/unwind/unwind.h"
#include "kernel/sched/sched.h"

/* At most so many frames are between a probe and __traceiter_NAME(). */
#define PROBE_FRAMES 16U

/*
 * Between a probe and __traceiter_NAME() are only frames of C: it follows them without checks.
 * False also if a tracer has replaced the return address in __traceiter_NAME().
 */
static noinline bool find_in_plain_frames(bool (*is_traceiter)(unsigned long ip),
					  unsigned long *frame, unsigned long *ip)
{
	unsigned long *bp = __builtin_frame_address(0), ret;

	for (unsigned i = 0; i < PROBE_FRAMES; i++) {
		ret = bp[1];
		bp = (unsigned long *)bp[0];
		if (!bp || ((unsigned long)bp & 1)) /* the end of the stack; an interrupt */
			return false;
		if (!is_traceiter(ret))
			continue;
		/* bp is the frame of __traceiter_NAME(). */
		*frame = bp[0];
		*ip = (unsigned long)real_return_address(bp + 1);
		return true;
	}
	return false;
}

noinline bool stack_trace_find_caller(bool (*is_traceiter)(unsigned long ip), unsigned long *frame,
				      unsigned long *ip)
{
	struct unwind u = { .task = current, .bp = (unsigned long)__builtin_frame_address(0) };

	if (likely(find_in_plain_frames(is_traceiter, frame, ip)))
		return true;
	for (unsigned i = 0; i < PROBE_FRAMES && unwind_next(&u); i++) {
		if (!is_traceiter(u.ip))
			continue;
		/* u.bp is the frame of __traceiter_NAME(). */
		if (!unwind_next(&u))
			return false;
		*frame = u.bp;
		*ip = u.ip;
		return true;
	}
	return false;
}

unsigned stack_trace_save_frame(unsigned long frame, unsigned long *entries, unsigned max)
{
	struct unwind u = { .task = current, .bp = frame };

	return unwind_next(&u) ? unwind_save(&u, entries, max, 0) : 0;
}

/* The frames of a handler are whole, up to the odd frame pointer of the entry. */
noinline struct pt_regs *stack_trace_handler_regs(void)
{
	unsigned long bp = (unsigned long)__builtin_frame_address(0);

	while (!(bp & 1))
		bp = *(unsigned long *)bp;
	return (struct pt_regs *)(bp - 1);
}
