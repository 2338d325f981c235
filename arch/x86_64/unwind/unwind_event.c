/* Where an event has happened: the function with its tracepoint, or what an interrupt has hit. */
#include "arch/unwind/unwind_event.h"

#include "arch/cpu/processor.h"
#include "arch/unwind/stacktrace.h"
#include "arch/unwind/unwind.h"
#include "kernel/sched/sched.h"

noinline bool stack_trace_search_caller(bool (*is_traceiter)(unsigned long ip),
					unsigned long *frame, unsigned long *ip)
{
	struct unwind u = { .task = current, .bp = (unsigned long)__builtin_frame_address(0) };

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
