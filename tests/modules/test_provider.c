/* Exports a function to test_user. */
#include "kernel/module/module.h"

int test_provided(int x);

noinline int test_provided(int x)
{
	barrier();
	return x + 1;
}
EXPORT_SYMBOL_GPL(test_provided);

MODULE_LICENSE("GPL");
