/* Functions for the tracing self-tests to trace: real calls with known arguments and results. */
#include "selftest/lib/ftrace_targets.h"

noinline unsigned ftrace_target_add(unsigned a, unsigned b)
{
	barrier();
	return a + b;
}

noinline unsigned ftrace_target_multiply(unsigned a, unsigned b)
{
	barrier();
	return a * b;
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

noinline unsigned ftrace_target_version(void)
{
	barrier();
	return 0;
}

/* Its code differs from the other one's: the compiler could merge two equal functions. */
noinline unsigned ftrace_target_same_version(void)
{
	static unsigned zero;

	return READ_ONCE(zero);
}

noinline void ftrace_target_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	barrier();
}
/* The code of each differs: the compiler could merge equal functions. */
static unsigned last_called;

#define TARGET(n)                                                                                  \
	static noinline void ftrace_many_##n(void)                                                 \
	{                                                                                          \
		WRITE_ONCE(last_called, n);                                                        \
	}
#define TARGETS(T)                                                                                 \
	T(0)                                                                                       \
	T(1)                                                                                       \
	T(2)                                                                                       \
	T(3)                                                                                       \
	T(4)                                                                                       \
	T(5)                                                                                       \
	T(6)                                                                                       \
	T(7)                                                                                       \
	T(8)                                                                                       \
	T(9)                                                                                       \
	T(10)                                                                                      \
	T(11)                                                                                      \
	T(12)                                                                                      \
	T(13)                                                                                      \
	T(14)                                                                                      \
	T(15)
TARGETS(TARGET)

#define ENTRY(n) ftrace_many_##n,
void (*const ftrace_many[FTRACE_MANY])(void) = { TARGETS(ENTRY) };
