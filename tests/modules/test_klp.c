/*
 * A live patch of functions of the image, of test_hello, of a module that never comes, and of
 * test_plain, which does not have the function.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"
#include "trace/livepatch/livepatch.h"

static int new_cmdline(struct seq_file *m, void *v __unused)
{
	seq_puts(m, "patched, too\n");
	return 0;
}

static void new_greet(const int *n)
{
	pr_info("test_klp: patched hello %d\n", *n);
}

static void new_exit(void)
{
	pr_info("test_klp: patched bye\n");
}

static void new_nothing(void)
{
	barrier();
}

static struct klp_func of_image[] = { { .old_name = "cmdline_proc_show", .new_func = new_cmdline },
				      {} };
static struct klp_func of_hello[] = { { .old_name = "test_hello_greet", .new_func = new_greet },
				      { .old_name = "test_hello_exit", .new_func = new_exit },
				      {} };
static struct klp_func of_others[] = { { .old_name = "nosuch_function", .new_func = new_nothing },
				       {} };
static struct klp_func of_plain[] = { { .old_name = "nosuch_function", .new_func = new_nothing },
				      {} };

static struct klp_object objs[] = { { .funcs = of_image },
				    { .name = "test_hello", .funcs = of_hello },
				    { .name = "nosuch", .funcs = of_others },
				    { .name = "test_plain", .funcs = of_plain },
				    {} };
static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objs };

static int __init test_klp_init(void)
{
	return klp_enable_patch(&patch);
}
module_init(test_klp_init);

/* The enabled patch keeps the module. */
static void __exit test_klp_exit(void)
{
}
module_exit(test_klp_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
