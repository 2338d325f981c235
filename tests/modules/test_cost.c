/* Calls one of its functions many times, and prints the cycles of a call. */
#include "kernel/module/moduleparam.h"
#include "kernel/printk/printk.h"

#define CALLS 10000

int test_cost_callee(int x);

noinline int test_cost_callee(int x)
{
	barrier();
	return x + 1;
}

static int __init test_cost_init(void)
{
	u64 start = __builtin_ia32_rdtsc();
	int x = 0;

	for (int i = 0; i < CALLS; i++)
		x = test_cost_callee(x);
	pr_info("test_cost: %lu cycles\n", (u64)(__builtin_ia32_rdtsc() - start) / CALLS);
	return 0;
}
module_init(test_cost_init);

static void __exit test_cost_exit(void)
{
}
module_exit(test_cost_exit);

MODULE_LICENSE("GPL");
