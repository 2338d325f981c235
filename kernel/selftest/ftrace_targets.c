/* Functions that the tracing self-tests trace: real calls with known arguments and results. */
#include "kernel/selftest/ftrace_targets.h"

#include "kernel/compiler.h"

noinline unsigned ftrace_target_add(unsigned a, unsigned b)
{
	barrier();
	return a + b;
}

noinline void ftrace_target_other(void)
{
	barrier();
}

noinline unsigned ftrace_target_recurse(unsigned depth)
{
	unsigned below = 0;

	if (depth)
		below = ftrace_target_recurse(depth - 1) + 1;
	barrier();
	return below;
}

noinline unsigned __int128 ftrace_target_wide(u64 low, u64 high)
{
	barrier();
	return (unsigned __int128)high << 64 | low;
}

noinline void ftrace_target_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	barrier();
}
