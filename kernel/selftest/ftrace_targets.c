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
