/* Its init reads through a null pointer. */
#include "kernel/module/module.h"

int test_oops_read(const int *p);

static noinline void test_oops_before(void)
{
	barrier();
}

/* The call makes sure that the function has its frame when it faults. */
noinline int test_oops_read(const int *p)
{
	test_oops_before();
	return READ_ONCE(*p);
}

static int test_oops_init(void)
{
	const int *volatile nothing = NULL;
	int value = test_oops_read(nothing);

	barrier();
	return value;
}
module_init(test_oops_init);

MODULE_LICENSE("GPL");
