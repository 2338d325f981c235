/*
 * /sys/kernel/livepatch/NAME/{enabled,transition,force}, OBJECT/patched, and OBJECT/FUNCTION,1 for
 * each function; OBJECT is vmlinux or a module (Documentation/ABI/testing/sysfs-kernel-livepatch).
 *
 * An open file may outlive its patch. So a file refers to a struct klp_files. Its pointer to the
 * patch is protected by RCU, and becomes NULL when the patch is removed.
 */
#include "fs/vfs/seq_file.h"
#include "fs/sys/sysfs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "trace/livepatch/internal.h"
#include "trace/core/files.h"

/* The data of OBJECT/patched. */
struct klp_object_file {
	struct klp_files *files;
	const struct klp_object *obj; /* of files->patch */
};

struct klp_files {
	struct file_owner owner;
	struct dentry *dir;      /* [klp_mutex] */
	struct klp_patch *patch; /* [klp_mutex] to write, RCU to read; NULL: removed */
	struct klp_object_file objects[];
};

static struct dentry *livepatch_dir; /* constant */

/* ---- reading ---- */

static bool is_enabled(const struct klp_patch *patch)
{
	return READ_ONCE(patch->enabled);
}

static bool is_in_transition(const struct klp_patch *patch)
{
	return patch == READ_ONCE(klp_transition_patch);
}

/* Reads under RCU, because holders of klp_mutex wait for grace periods. */
static int show_bool(struct seq_file *m, bool (*get)(const struct klp_patch *patch))
{
	struct klp_files *files = m->private;
	const struct klp_patch *patch;
	int error = -ENODEV;

	rcu_read_lock();
	patch = rcu_dereference(files->patch);
	if (patch) {
		seq_printf(m, "%d\n", get(patch));
		error = 0;
	}
	rcu_read_unlock();
	return error;
}

static int enabled_show(struct seq_file *m, void *unused __unused)
{
	return show_bool(m, is_enabled);
}

/* All functions of an object are patched, or none is. */
static int patched_show(struct seq_file *m, void *unused __unused)
{
	const struct klp_object_file *object = m->private;
	int error = -ENODEV;

	rcu_read_lock();
	if (rcu_dereference(object->files->patch)) {
		seq_printf(m, "%d\n", READ_ONCE(object->obj->funcs->patched));
		error = 0;
	}
	rcu_read_unlock();
	return error;
}

static int transition_show(struct seq_file *m, void *unused __unused)
{
	return show_bool(m, is_in_transition);
}

/* ---- writing ---- */

static int enabled_store(struct klp_patch *patch, bool value)
{
	return klp_set_enabled(patch, value);
}

static int force_store(struct klp_patch *patch, bool value)
{
	if (!value)
		return 0;
	if (patch != klp_transition_patch)
		return -EINVAL;
	klp_force_transition();
	return 0;
}

static ssize_t store(const struct file *file, const char *buf, size_t count,
		     int (*set)(struct klp_patch *patch, bool value))
{
	struct klp_files *files = file->f_inode->i_private;
	char word[16];
	bool value;
	int error = trace_get_word(word, sizeof(word), buf, count);

	if (!error)
		error = kstrtobool(word, &value);
	if (error)
		return error;
	mutex_lock(&klp_mutex);
	error = files->patch ? set(files->patch, value) : -ENODEV;
	mutex_unlock(&klp_mutex);
	return error ? error : (ssize_t)count;
}

static ssize_t enabled_write(struct file *file, const char *buf, size_t count, loff_t *pos __unused)
{
	return store(file, buf, count, enabled_store);
}

static ssize_t force_write(struct file *file, const char *buf, size_t count, loff_t *pos __unused)
{
	return store(file, buf, count, force_store);
}

static int open_to_show(struct inode *inode, struct file *file,
			int (*show)(struct seq_file *m, void *v))
{
	int error = sysfs_may_open(inode, file);

	return error ? error : single_open(file, show, inode->i_private);
}

static int enabled_open(struct inode *inode, struct file *file)
{
	return open_to_show(inode, file, enabled_show);
}

static const struct file_operations enabled_fops = {
	.open = enabled_open,
	.read = seq_read,
	.write = enabled_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int transition_open(struct inode *inode, struct file *file)
{
	return open_to_show(inode, file, transition_show);
}

static const struct file_operations transition_fops = {
	.open = transition_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int patched_open(struct inode *inode, struct file *file)
{
	return open_to_show(inode, file, patched_show);
}

static const struct file_operations patched_fops = {
	.open = patched_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int force_open(struct inode *inode, struct file *file)
{
	return sysfs_may_open(inode, file);
}

static const struct file_operations force_fops = { .open = force_open, .write = force_write };

/* ---- creating and removing the files ---- */

static void files_release(struct file_owner *owner)
{
	kfree(container_of(owner, struct klp_files, owner));
}

static int create_object_dir(struct klp_object_file *object)
{
	const struct klp_object *obj = object->obj;
	struct dentry *dir =
		sysfs_create_dir(obj->name ? obj->name : "vmlinux", object->files->dir);
	struct dentry *patched = sysfs_create_file("patched", 0444, dir, object, &patched_fops);
	const struct klp_func *func;
	char name[KSYM_NAME_LEN + 2];

	if (IS_ERR(patched))
		return (int)PTR_ERR(patched);
	klp_for_each_func (obj, func) {
		struct dentry *func_dir;

		snprintf(name, sizeof(name), "%s,1", func->old_name);
		func_dir = sysfs_create_dir(name, dir);
		if (IS_ERR(func_dir))
			return (int)PTR_ERR(func_dir);
	}
	return 0;
}

static int create_all(const struct klp_patch *patch, struct klp_files *files)
{
	struct klp_object_file *object = files->objects;
	const struct klp_object *obj;
	int error = 0;

	const struct {
		const char *name;
		umode_t mode;
		const struct file_operations *fops;
	} attributes[] = {
		{ "enabled", 0644, &enabled_fops },
		{ "transition", 0444, &transition_fops },
		{ "force", 0200, &force_fops },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(attributes); i++) {
		struct dentry *file = sysfs_create_file(attributes[i].name, attributes[i].mode,
							files->dir, files, attributes[i].fops);

		if (IS_ERR(file))
			return (int)PTR_ERR(file);
	}
	klp_for_each_object (patch, obj) {
		*object = (struct klp_object_file){ files, obj };
		if (!error)
			error = create_object_dir(object++);
	}
	return error;
}

int klp_create_files(struct klp_patch *patch)
{
	const struct klp_object *obj;
	struct klp_files *files;
	size_t objects = 0;
	int error;

	klp_for_each_object (patch, obj)
		objects++;
	files = kzalloc(sizeof(*files) + objects * sizeof(files->objects[0]), GFP_KERNEL);
	if (!files)
		return -ENOMEM;
	file_owner_init(&files->owner, NULL, files_release);
	files->dir = sysfs_create_dir(patch->name, livepatch_dir);
	if (IS_ERR(files->dir)) {
		error = (int)PTR_ERR(files->dir);
		file_owner_put(&files->owner);
		return error;
	}
	files->dir->d_inode->i_owner = file_owner_get(&files->owner);
	files->patch = patch;
	patch->files = files;
	error = create_all(patch, files);
	if (error)
		klp_remove_files(patch);
	return error;
}

void klp_remove_files(struct klp_patch *patch)
{
	struct klp_files *files = patch->files;

	rcu_assign_pointer(files->patch, NULL);
	synchronize_rcu();
	patch->files = NULL;
	sysfs_remove(files->dir);
	file_owner_put(&files->owner);
}

static int __init klp_files_init(void)
{
	livepatch_dir = sysfs_create_dir("livepatch", sysfs_kernel_dir());
	return IS_ERR(livepatch_dir) ? (int)PTR_ERR(livepatch_dir) : 0;
}
device_initcall(klp_files_init);
