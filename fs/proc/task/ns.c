/*
 * /proc/PID/ns/mnt: the name of the task's mount namespace, and a file that stands for it. There is
 * one for all tasks. Debuggers and bpftrace compare its number with their own, before they look up
 * a path of the task.
 */
#include "fs/file/file.h"
#include "fs/proc/task/task.h"
#include "fs/vfs/d_path.h"
#include "fs/vfs/libfs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"

#define MNT_NS_INO 4026531841U /* as Linux numbers it */

static struct file *mnt_ns_file; /* constant after mnt_ns_init() */

static int mnt_get_path(struct dentry *dentry, struct path *path)
{
	struct task_struct *task = proc_object(dentry->d_inode)->task;

	if (lock_trace(task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	unlock_trace(task);
	*path = mnt_ns_file->f_path;
	path_get(path);
	return 0;
}

static char *mnt_get_link(struct dentry *dentry)
{
	return proc_link_text(dentry, mnt_get_path);
}

static const struct inode_operations mnt_link = {
	.get_link = mnt_get_link,
	.get_path = mnt_get_path,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static int ns_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	if (strcmp(dentry->d_name.name, "mnt") != 0)
		return -ENOENT;
	return proc_instantiate(dentry, proc_object(dir), S_IFLNK | S_IRWXUGO, &mnt_link, NULL);
}

static const struct inode_operations ns_dir_inode_operations = {
	.lookup = ns_dir_lookup,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static int ns_dir_iterate(struct file *file, struct dir_context *ctx)
{
	if (!proc_task_alive(proc_object(file->f_inode)->task))
		return -ENOENT;
	if (dir_emit_dots(file->f_path.dentry, ctx) && ctx->pos == 2 &&
	    ctx->actor(ctx, "mnt", 3, ctx->pos, file->f_inode->i_ino + 1, DT_LNK))
		ctx->pos++;
	return 0;
}

static const struct file_operations ns_dir_operations = {
	.iterate = ns_dir_iterate,
	.llseek = dcache_dir_lseek,
};

static const struct pid_entry ns_entry PID_ENTRY("ns") = { .name = "ns",
							   .mode = S_IFDIR | 0511,
							   .iops = &ns_dir_inode_operations,
							   .fops = &ns_dir_operations };

/* Nobody changes what all tasks share. */
static const struct inode_operations mnt_ns_inode_operations = { .immutable = true };
static const struct file_operations mnt_ns_operations;

static int __init mnt_ns_init(void)
{
	struct inode *inode = alloc_anon_inode(S_IFREG | 0444);
	struct file *file;

	if (!inode)
		return -ENOMEM;
	inode->i_ino = MNT_NS_INO;
	inode->i_op = &mnt_ns_inode_operations;
	inode->i_fop = &mnt_ns_operations;
	file = alloc_file_pseudo(inode, NULL, "mnt:[4026531841]", O_RDONLY, &mnt_ns_operations);
	if (IS_ERR(file)) {
		iput(inode);
		return (int)PTR_ERR(file);
	}
	mnt_ns_file = file;
	return 0;
}
device_initcall(mnt_ns_init); /* there are anonymous inodes */
