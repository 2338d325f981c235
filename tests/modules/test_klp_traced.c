/* A live patch of a function that the tasks of test_traced call all the time. */
#include "kernel/module/module.h"
#include "trace/livepatch/livepatch.h"

static noinline unsigned long new_leaf(unsigned long x)
{
	barrier();
	return x * 5 + 1;
}

static struct klp_func of_traced[] = { { .old_name = "test_traced_leaf", .new_func = new_leaf },
				       {} };
static struct klp_object objs[] = { { .name = "test_traced", .funcs = of_traced }, {} };
static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objs };

static int __init test_klp_traced_init(void)
{
	return klp_enable_patch(&patch);
}
module_init(test_klp_traced_init);

/* The enabled patch keeps the module. */
static void __exit test_klp_traced_exit(void)
{
}
module_exit(test_klp_traced_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
