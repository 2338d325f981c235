/*
 * procfs: the root directory and the static entries.
 *
 * Static entries are pinned dentries. The directories of tasks and the link self live while they
 * have users: proc_tasks makes them, if programs are linked.
 */
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "fs/proc/internal.h"
#include "kernel/export.h"
#include "kernel/printk/printk.h"

static const struct proc_tasks
	*proc_tasks; /* constant after the boot; NULL: no directory of a task */

void register_proc_tasks(const struct proc_tasks *tasks)
{
	proc_tasks = tasks;
}

static int proc_root_lookup(struct inode *dir, struct dentry *dentry)
{
	(void)dir;
	return proc_tasks ? proc_tasks->lookup(dentry) : -ENOENT;
}

static int proc_no_lookup(struct inode *dir, struct dentry *dentry)
{
	(void)dir, (void)dentry;
	return -ENOENT;
}

/* With a lookup operation, an attempt to create a name gives -ENOENT, as in Linux, not -EPERM. */
static const struct inode_operations proc_dir_operations = { .lookup = proc_no_lookup };
static const struct inode_operations proc_root_operations = { .lookup = proc_root_lookup };

static int proc_root_iterate(struct file *file, struct dir_context *ctx)
{
	struct dentry *root = file->f_path.dentry;

	if (ctx->pos < FIRST_PROCESS_POS) {
		if (!dir_emit_dots(root, ctx) || !dir_emit_children(root, ctx))
			return 0;
		ctx->pos = FIRST_PROCESS_POS;
	}
	if (proc_tasks)
		proc_tasks->readdir(ctx);
	return 0;
}

static const struct file_operations proc_root_fops = {
	.iterate = proc_root_iterate,
	.llseek = dcache_dir_lseek,
};

static void proc_evict_inode(struct inode *inode)
{
	if (proc_tasks)
		proc_tasks->evict_inode(inode);
}

static const struct super_operations proc_super_operations = {
	.evict_inode = proc_evict_inode,
};

static int proc_fill_super(struct super_block *sb, const char *data)
{
	int err = simple_fill_super(sb, 0555, &proc_root_operations);

	(void)data;
	if (err)
		return err;
	sb->s_magic = 0x9fa0;
	sb->s_op = &proc_super_operations;
	sb->s_no_op_error = -EIO;
	sb->s_root->d_inode->i_fop = &proc_root_fops;
	return 0;
}

static struct file_system_type proc_type;

static struct dentry *proc_parent(struct dentry *parent)
{
	if (parent)
		return parent;
	return proc_type.sb ? proc_type.sb->s_root : ERR_PTR(-ENODEV);
}

static struct dentry *proc_made(const char *name, struct dentry *dentry)
{
	if (!IS_ERR(dentry))
		return dentry;
	pr_err("proc: %s: %s\n", name, errno_text((int)-PTR_ERR(dentry)));
	return NULL;
}

struct dentry *proc_create_data(const char *name, umode_t mode, struct dentry *parent,
				const struct file_operations *fops, void *data)
{
	return proc_made(name, simple_create_file(proc_parent(parent), name,
						  (mode ? mode : 0444) | S_IFREG, fops, data));
}

struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
			   const struct file_operations *fops)
{
	return proc_create_data(name, mode, parent, fops, NULL);
}
EXPORT_SYMBOL(proc_create);

struct dentry *proc_mkdir(const char *name, struct dentry *parent)
{
	return proc_made(name,
			 simple_create_dir(proc_parent(parent), name, 0555, &proc_dir_operations));
}

static struct file_system_type proc_type = {
	.name = "proc",
	.nodev = true,
	.fill_super = proc_fill_super,
	.populate = proc_sysctl_init,
};
FILE_SYSTEM(proc_type);
