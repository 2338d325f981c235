/* Prints when it comes and when it goes. */
#include "kernel/module/moduleparam.h"
#include "kernel/printk/printk.h"

static int count = 1;
module_param(count, int, 0644);
MODULE_PARM_DESC(count, "how often it says hello");

void test_hello_greet(const int *n);

noinline void test_hello_greet(const int *n)
{
	pr_info("test_hello: hello %d\n", *n);
	barrier();
}

static int __init test_hello_init(void)
{
	for (int i = 0; i < count; i++)
		test_hello_greet(&i);
	return 0;
}
module_init(test_hello_init);

static void __exit test_hello_exit(void)
{
	pr_info("test_hello: bye\n");
}
module_exit(test_hello_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("nop5");
MODULE_DESCRIPTION("says hello");
MODULE_VERSION("1.2");
