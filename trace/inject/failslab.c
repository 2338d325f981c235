/*
 * Allocations that fail: failslab (kmalloc() and slab caches) and fail_page_alloc (pages).
 *
 * The callbacks are attached while one of the two has a probability, or while a task has fail-nth.
 * They make the allocator return NULL; its caller cannot tell this from memory that is short.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/libfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/inject/inject.h"

struct allocation_fault {
	struct fault_attr attr;
	struct ftrace_ops ops;
	bool attached;    /* [inject_mutex] */
	bool ignore_wait; /* [A] allocations that may sleep do not fail */
	u32 min_order;    /* [A] smaller blocks of pages do not fail */
};

unsigned fault_nth_tasks;

static void fail_allocation(struct allocation_fault *fault, gfp_t gfp, size_t size,
			    unsigned long ip, unsigned long parent_ip, struct ftrace_regs *fregs)
{
	if (READ_ONCE(fault->ignore_wait) && (gfp & (__GFP_RECLAIM & ~__GFP_KSWAPD_RECLAIM)))
		return;
	if (!should_fail(&fault->attr, size, ip, parent_ip, 0))
		return;
	ftrace_regs_set_return_value(fregs, 0);
	ftrace_override_function_with_return(fregs);
}

/* kmem_cache_alloc(cache, gfp), __kmalloc(size, gfp), kmalloc_trace(id, gfp, size). */
static void failslab_callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	size_t size = ftrace_get_argument(fregs, ip == (unsigned long)kmalloc_trace ? 2 : 0);

	if (ip == (unsigned long)kmem_cache_alloc)
		size = kmem_cache_size((const struct kmem_cache *)size);
	fail_allocation(container_of(ops, struct allocation_fault, ops),
			(gfp_t)ftrace_get_argument(fregs, 1), size, ip, parent_ip, fregs);
}

/* alloc_pages(gfp, order) */
static void fail_page_alloc_callback(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct allocation_fault *fault = container_of(ops, struct allocation_fault, ops);
	unsigned order = (unsigned)ftrace_get_argument(fregs, 1);

	if (order >= READ_ONCE(fault->min_order))
		fail_allocation(fault, (gfp_t)ftrace_get_argument(fregs, 0), BIT(order), ip,
				parent_ip, fregs);
}

static int allocations_changed(struct fault_attr *attr);

#define ALLOCATION_FAULT(name, callback)                                                           \
	{                                                                                          \
		.attr = FAULT_ATTR(name, allocations_changed),                                     \
		.ops = { .func = (callback),                                                       \
			 .flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS |               \
				  FTRACE_OPS_FL_RECURSION },                                       \
		.ignore_wait = true, .min_order = 1,                                               \
	}
static struct allocation_fault failslab = ALLOCATION_FAULT("failslab", failslab_callback);
static struct allocation_fault fail_page_alloc =
	ALLOCATION_FAULT("fail_page_alloc", fail_page_alloc_callback);

static int attach(struct allocation_fault *fault)
{
	bool wanted = fault->attr.probability || fault_nth_tasks;
	int err;

	if (wanted == fault->attached)
		return 0;
	err = wanted ? register_ftrace_function(&fault->ops)
		     : unregister_ftrace_function(&fault->ops);
	if (!err)
		fault->attached = wanted;
	return err;
}

int fault_update_allocations(void)
{
	int err = attach(&failslab), err_pages = attach(&fail_page_alloc);

	return err ? err : err_pages;
}

/* Another user of IPMODIFY may have the allocator: then there is no injection. */
static int allocations_changed(struct fault_attr *attr)
{
	int err = fault_update_allocations();

	if (err)
		attr->probability = 0;
	return err;
}

static int __init set_filter(struct ftrace_ops *ops, const void *function)
{
	return ftrace_set_filter_ip(ops, (unsigned long)function, false, false);
}

/* ---- files and command line ---- */

static int ignore_wait_show(struct seq_file *m, void *unused __unused)
{
	seq_printf(m, "%c\n", *(bool *)m->private ? 'Y' : 'N');
	return 0;
}

static ssize_t ignore_wait_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[3] = { 0 };
	int err;

	(void)pos;
	memcpy(text, buf, min(count, sizeof(text) - 1));
	err = kstrtobool(text, file->f_inode->i_private);
	return err ? err : (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(ignore_wait);

static int min_order_show(struct seq_file *m, void *unused __unused)
{
	seq_printf(m, "%u\n", fail_page_alloc.min_order);
	return 0;
}

static ssize_t min_order_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[12] = { 0 };
	int err;

	(void)file, (void)pos;
	memcpy(text, buf, min(count, sizeof(text) - 1));
	err = kstrtouint(strim(text), 0, &fail_page_alloc.min_order);
	return err ? err : (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(min_order);

static int __init failslab_setup(const char *value)
{
	return setup_fault_attr(&failslab.attr, value) ? 0 : -EINVAL;
}
__setup("failslab", failslab_setup);

static int __init fail_page_alloc_setup(const char *value)
{
	return setup_fault_attr(&fail_page_alloc.attr, value) ? 0 : -EINVAL;
}
__setup("fail_page_alloc", fail_page_alloc_setup);

static int __init make_files(struct allocation_fault *fault)
{
	struct dentry *dir = fault_create_debugfs_attr(&fault->attr);
	struct dentry *file = debugfs_create_file("ignore-gfp-wait", 0600, dir, &fault->ignore_wait,
						  &ignore_wait_fops);

	if (!IS_ERR(file) && fault == &fail_page_alloc)
		file = debugfs_create_file("min-order", 0600, dir, NULL, &min_order_fops);
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}

/* Late: an initcall may panic without memory. */
static int __init failslab_init(void)
{
	int err = set_filter(&failslab.ops, kmem_cache_alloc);

	if (!err)
		err = set_filter(&failslab.ops, __kmalloc);
	if (!err)
		err = set_filter(&failslab.ops, kmalloc_trace);
	if (!err)
		err = set_filter(&fail_page_alloc.ops, alloc_pages);
	if (!err)
		err = make_files(&failslab);
	if (!err)
		err = make_files(&fail_page_alloc);
	mutex_lock(&inject_mutex);
	if (!err)
		err = fault_update_allocations();
	mutex_unlock(&inject_mutex);
	return err;
}
late_initcall(failslab_init);
