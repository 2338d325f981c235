/* Has no init and no tables: whatever a changed file of it does to the loader, none of its code runs. */
#include "kernel/module/module.h"

int test_plain_function(int x);

int test_plain_function(int x)
{
	return x + 1;
}

MODULE_LICENSE("GPL");
