/*
 * /sys/kernel/btf/MODULE: the types of a module, in BTF. They continue those of vmlinux beside it.
 * A file may be open when its module goes: a read says ENODEV from then on.
 */
#include "fs/sys/btf.h"
#include "fs/sys/sysfs.h"
#include "kernel/btf/vmlinux.h"
#include "kernel/lib/list.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/sched/mutex.h"

/* [T] types_mutex. */
struct module_types {
	struct list_head list; /* [T] */
	/* Constant. */
	const struct module *module;
	struct dentry *file;
	struct btf_module_data *data; /* counted */
};

static DEFINE_MUTEX(types_mutex);
static LIST_HEAD(all_types); /* [T] */

static ssize_t types_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	const struct module_types *types;
	ssize_t result = -ENODEV;

	mutex_lock(&types_mutex);
	list_for_each_entry (types, &all_types, list)
		if (types->file->d_inode == file->f_inode)
			result = simple_read_from_buffer(buf, count, pos, types->data->bytes,
							 types->data->size);
	mutex_unlock(&types_mutex);
	return result;
}

static const struct file_operations types_fops = {
	.read = types_read,
	.llseek = generic_file_llseek,
};

static void free_types(struct module_types *types)
{
	btf_module_data_put(types->data);
	kfree(types);
}

static int module_coming(struct module *module)
{
	struct module_types *types;
	int error = 0;

	if (!btf_module_has_types(module))
		return 0;
	types = kzalloc(sizeof(*types), GFP_KERNEL);
	if (!types)
		return -ENOMEM;
	types->module = module;
	types->data = btf_module_data_get(module);
	if (!types->data) {
		kfree(types);
		return -ENOMEM;
	}
	mutex_lock(&types_mutex);
	types->file = sysfs_create_file(module->name, 0444, btf_sysfs_dir, NULL, &types_fops);
	if (IS_ERR(types->file)) {
		error = (int)PTR_ERR(types->file);
		free_types(types);
	} else {
		types->file->d_inode->i_size = (loff_t)types->data->size;
		list_add(&types->list, &all_types);
	}
	mutex_unlock(&types_mutex);
	return error;
}

static void module_going(struct module *module)
{
	struct module_types *types, *next;

	mutex_lock(&types_mutex);
	list_for_each_entry_safe (types, next, &all_types, list) {
		if (types->module != module)
			continue;
		list_del(&types->list);
		sysfs_remove(types->file);
		free_types(types);
	}
	mutex_unlock(&types_mutex);
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = {
	.coming = module_coming,
	.going = module_going,
};
