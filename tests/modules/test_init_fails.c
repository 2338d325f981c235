/* Its init fails. Nothing of the module may stay. */
#include "kernel/errno.h"
#include "kernel/module/module.h"

static int __init test_init_fails_init(void)
{
	return -ENODEV;
}
module_init(test_init_fails_init);

MODULE_LICENSE("GPL");
