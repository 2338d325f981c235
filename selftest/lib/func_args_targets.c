/* Functions for the self-tests of arguments: each has arguments of other kinds. */
#include "selftest/lib/func_args_targets.h"

noinline void func_args_item(const struct func_args_item *item __unused)
{
	barrier();
}

noinline void func_args_kinds(int number __unused, unsigned flags __unused, char letter __unused,
			      bool on __unused, enum func_args_color color __unused,
			      const char *name __unused)
{
	barrier();
}

noinline void func_args_structures(struct func_args_pair pair __unused,
				   struct func_args_triple triple __unused, long last __unused)
{
	barrier();
}

noinline void func_args_eight(long a __unused, long b __unused, long c __unused, long d __unused,
			      long e __unused, long f __unused, long g __unused, long h __unused)
{
	barrier();
}

noinline void func_args_more(const char *fmt __unused, ...)
{
	barrier();
}

noinline void func_args_none(void)
{
	barrier();
}
