/*
 * fail_function: marked functions that return an error at once, and the list of them. Files:
 * /sys/kernel/debug/error_injection/list and /sys/kernel/debug/fail_function/.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/libfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/error_injection.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"
#include "trace/inject/inject.h"

DEFINE_LINKER_TABLE(rodata, const struct error_injection_entry, error_injections);

/* The marked functions, and behind them the system calls. False: index is behind the last one. */
static bool injectable(size_t index, struct error_injection_entry *entry)
{
	size_t marked =
		(size_t)(linker_table_end(error_injections) - linker_table_start(error_injections));
	const struct syscall_metadata *call;

	if (index < marked) {
		*entry = linker_table_start(error_injections)[index];
		return true;
	}
	call = syscall_by_index((unsigned)(index - marked));
	if (call)
		*entry = (struct error_injection_entry){ call->func, EI_ETYPE_ERRNO };
	return call;
}

bool find_injectable(unsigned long address, struct error_injection_entry *entry)
{
	for (size_t i = 0; injectable(i, entry); i++)
		if ((unsigned long)entry->function == address)
			return true;
	return false;
}

/* The value that a function of this kind can return as an error: value, or the nearest one. */
static unsigned long adjust_error(u64 type, unsigned long value)
{
	switch (type) {
	case EI_ETYPE_NULL:
		return 0;
	case EI_ETYPE_ERRNO:
		return value < (unsigned long)-MAX_ERRNO ? (unsigned long)-EINVAL : value;
	case EI_ETYPE_ERRNO_NULL:
		return value && value < (unsigned long)-MAX_ERRNO ? (unsigned long)-EINVAL : value;
	default:
		return 1;
	}
}

/* ---- the functions that fail ---- */

struct failing_function {
	struct ftrace_ops ops;
	struct list_head list; /* [inject_mutex] */
	char name[KSYM_NAME_LEN];
	u64 type;             /* constant */
	unsigned long retval; /* [inject_mutex] to write */
	struct dentry *dir;   /* [inject_mutex] */
};

static LIST_HEAD(failing_functions); /* [inject_mutex] */

/* The callbacks are attached one by one: a change of the settings needs no work. */
static int nothing_to_attach(struct fault_attr *attr __unused)
{
	return 0;
}

static struct fault_attr fail_function = FAULT_ATTR("fail_function", nothing_to_attach);

static void fail_function_callback(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct failing_function *function = container_of(ops, struct failing_function, ops);
	unsigned long retval = READ_ONCE(function->retval);

	if (!should_fail(&fail_function, 1, ip, parent_ip, retval))
		return;
	ftrace_regs_set_return_value(fregs, retval);
	ftrace_override_function_with_return(fregs);
}

/* Returns the failing function with that name, or NULL. inject_mutex held. */
static struct failing_function *find_failing(const char *name)
{
	struct failing_function *function;

	list_for_each_entry (function, &failing_functions, list)
		if (!strcmp(function->name, name))
			return function;
	return NULL;
}

/* i_private of an open file may outlive its function: the name is looked up again. */
static struct failing_function *function_of(const struct file *file)
{
	return find_failing(file->f_path.dentry->d_parent->d_name.name);
}

static int retval_show(struct seq_file *m, void *unused __unused)
{
	struct failing_function *function;
	int err = -ENOENT;

	mutex_lock(&inject_mutex);
	function = function_of(m->file);
	if (function) {
		seq_printf(m, "%lx\n", function->retval);
		err = 0;
	}
	mutex_unlock(&inject_mutex);
	return err;
}

static ssize_t retval_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct failing_function *function;
	char text[24] = { 0 };
	unsigned long value;
	int err;

	(void)pos;
	memcpy(text, buf, min(count, sizeof(text) - 1));
	err = kstrtoul(strim(text), 0, &value);
	if (err)
		return err;
	mutex_lock(&inject_mutex);
	function = function_of(file);
	if (!function)
		err = -ENOENT;
	else if (adjust_error(function->type, value) != value)
		err = -EINVAL;
	else
		WRITE_ONCE(function->retval, value);
	mutex_unlock(&inject_mutex);
	return err ? err : (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(retval);

static struct dentry *fail_function_dir; /* constant */

/* inject_mutex held for the next three. */
static int remove_failing(struct failing_function *function)
{
	int err = unregister_ftrace_function(&function->ops);

	if (err)
		return err;
	debugfs_remove(function->dir);
	list_del(&function->list);
	ftrace_free_filter(&function->ops);
	kfree(function);
	return 0;
}

static int attach_failing(struct failing_function *function, unsigned long address)
{
	struct dentry *file;
	int err = ftrace_set_filter_ip(&function->ops, address, false, true);

	if (err)
		return err;
	function->dir = debugfs_create_dir(function->name, fail_function_dir);
	file = debugfs_create_file("retval", 0600, function->dir, NULL, &retval_fops);
	err = IS_ERR(file) ? (int)PTR_ERR(file) : register_ftrace_function(&function->ops);
	if (err)
		debugfs_remove(function->dir);
	return err;
}

static int add_failing(const char *name)
{
	unsigned long address = kallsyms_lookup_name(name);
	struct failing_function *function;
	struct error_injection_entry entry;
	int err;

	if (!address)
		return -EINVAL;
	if (!find_injectable(address, &entry))
		return -ERANGE;
	if (find_failing(name))
		return -EBUSY;
	function = kzalloc(sizeof(*function), GFP_KERNEL);
	if (!function)
		return -ENOMEM;
	strscpy(function->name, name, sizeof(function->name));
	function->type = entry.type;
	function->retval = adjust_error(entry.type, 0);
	function->ops.func = fail_function_callback;
	function->ops.flags = FTRACE_OPS_FL_DYNAMIC | FTRACE_OPS_FL_IPMODIFY |
			      FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION;
	err = attach_failing(function, address);
	if (err) {
		ftrace_free_filter(&function->ops);
		kfree(function);
		return err;
	}
	list_add_tail(&function->list, &failing_functions);
	return 0;
}

/* ---- files ---- */

static ssize_t inject_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[KSYM_NAME_LEN + 3] = { 0 }, *name;
	struct failing_function *function, *next;
	int err = 0;

	(void)file, (void)pos;
	if (count >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, count);
	name = strim(text);
	mutex_lock(&inject_mutex);
	if (*name == '!') {
		function = find_failing(name + 1);
		err = function ? remove_failing(function) : -ENOENT;
	} else if (*name) {
		err = add_failing(name);
	} else {
		list_for_each_entry_safe (function, next, &failing_functions, list)
			err = err ? err : remove_failing(function);
	}
	mutex_unlock(&inject_mutex);
	return err ? err : (ssize_t)count;
}

static int inject_show(struct seq_file *m, void *unused __unused)
{
	struct failing_function *function;

	mutex_lock(&inject_mutex);
	list_for_each_entry (function, &failing_functions, list)
		seq_printf(m, "%s\n", function->name);
	mutex_unlock(&inject_mutex);
	return 0;
}
DEFINE_SHOW_STORE_ATTRIBUTE(inject);

static int injectable_show(struct seq_file *m, void *unused __unused)
{
	static const char *const types[] = { "NULL", "ERRNO", "ERRNO_NULL", "TRUE" };
	struct error_injection_entry entry;

	for (size_t i = 0; injectable(i, &entry); i++)
		seq_printf(m, "%ps\t%s\n", entry.function, types[entry.type]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(injectable);

static int __init fail_function_init(void)
{
	struct dentry *list = debugfs_create_dir("error_injection", NULL), *file;

	list = debugfs_create_file("list", 0444, list, NULL, &injectable_fops);
	fail_function_dir = fault_create_debugfs_attr(&fail_function);
	file = debugfs_create_file("inject", 0600, fail_function_dir, NULL, &inject_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("injectable", 0444, fail_function_dir, NULL,
					   &injectable_fops);
	if (IS_ERR(list))
		return (int)PTR_ERR(list);
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
late_initcall(fail_function_init);
