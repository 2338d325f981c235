/* Uses a function of test_provider. */
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"

int test_provided(int x);

static int __init test_user_init(void)
{
	pr_info("test_user: %d\n", test_provided(41));
	return 0;
}
module_init(test_user_init);

static void __exit test_user_exit(void)
{
}
module_exit(test_user_exit);

MODULE_LICENSE("GPL");
