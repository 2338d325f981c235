/*
 * procfs: the root directory and the static entries.
 *
 * Static entries are pinned dentries. Lookup operations (base.c) make the directories of tasks and
 * the link self, which live while they have users.
 */
#include "fs/vfs/filesystems.h"
#include "fs/proc/internal.h"
#include "kernel/export.h"
#include "kernel/printk/printk.h"

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
	proc_pid_readdir(ctx);
	return 0;
}

static const struct file_operations proc_root_fops = {
	.iterate = proc_root_iterate,
	.llseek = dcache_dir_lseek,
};

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

struct file_system_type proc_type = {
	.name = "proc",
	.nodev = true,
	.fill_super = proc_fill_super,
};

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

int proc_populate(void)
{
	static int (*const init[])(void) = {
		proc_unknown_syscalls_init, proc_kernel_init,     proc_modules_init,
		proc_cmdline_init,          proc_kcore_init,      proc_cpuinfo_init,
		proc_meminfo_init,          proc_slabinfo_init,   proc_stat_init,
		proc_mounts_init,           proc_interrupts_init, proc_sysctl_init,
		proc_sysctl_system_init,    proc_sysrq_init,      proc_storage_init,
	};
	int err = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(init) && !err; i++)
		err = init[i]();
	return err;
}
