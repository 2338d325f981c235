/*
 * The files that a task uses: /proc/PID/{exe,cwd,root} and the directories fd and fdinfo.
 *
 * The links lead to the object itself, also if it has no name any more. A task that reads or
 * follows a link must be allowed to trace the task that it belongs to. A dentry in fd or fdinfo is
 * used for one walk only, because the descriptor may be closed, or another file may have it, at the
 * next.
 */
#include "fs/vfs/d_path.h"
#include "fs/file/file.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/libfs.h"
#include "fs/vfs/permission.h"
#include "fs/proc/task/task.h"
#include "fs/mount/namespace.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/vm/mm.h"

char *proc_path_text(const struct path *path)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *name;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	name = d_path(path, buf, PATH_MAX);
	if (IS_ERR(name)) {
		kfree(buf);
		return name;
	}
	memmove(buf, name, strlen(name) + 1);
	return buf;
}

char *proc_link_text(struct dentry *dentry, int (*get_path)(struct dentry *, struct path *))
{
	struct path path;
	int err = get_path(dentry, &path);
	char *text;

	if (err)
		return ERR_PTR(err);
	text = proc_path_text(&path);
	path_put(&path);
	return text;
}

/* ---- exe, cwd, root ---- */

static int exe_get_path(struct dentry *dentry, struct path *path)
{
	struct task_struct *task = proc_object(dentry->d_inode)->task;
	struct mm_struct *mm;
	int err = -ENOENT;

	if (lock_trace(task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	mm = get_task_mm(task);
	unlock_trace(task);
	if (!mm)
		return -ENOENT;
	mmap_read_lock(mm);
	if (mm->exe_file) {
		*path = mm->exe_file->f_path;
		path_get(path);
		err = 0;
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return err;
}

static int cwd_get_path(struct dentry *dentry, struct path *path)
{
	struct task_struct *task = proc_object(dentry->d_inode)->task;
	int err;

	if (lock_trace(task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	err = get_task_pwd(task, path) ? 0 : -ENOENT;
	unlock_trace(task);
	return err;
}

static int root_get_path(struct dentry *dentry, struct path *path)
{
	struct task_struct *task = proc_object(dentry->d_inode)->task;
	int err;

	if (lock_trace(task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	err = get_task_root(task, path) ? 0 : -ENOENT;
	unlock_trace(task);
	return err;
}

static char *exe_get_link(struct dentry *dentry)
{
	return proc_link_text(dentry, exe_get_path);
}

static char *cwd_get_link(struct dentry *dentry)
{
	return proc_link_text(dentry, cwd_get_path);
}

static char *root_get_link(struct dentry *dentry)
{
	return proc_link_text(dentry, root_get_path);
}

const struct inode_operations proc_exe_link = {
	.get_link = exe_get_link,
	.get_path = exe_get_path,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};
const struct inode_operations proc_cwd_link = {
	.get_link = cwd_get_link,
	.get_path = cwd_get_path,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};
const struct inode_operations proc_root_link = {
	.get_link = root_get_link,
	.get_path = root_get_path,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

/* ---- fd/ and fdinfo/ ---- */

static bool fd_revalidate(struct dentry *dentry)
{
	(void)dentry;
	return false;
}

static int fd_get_path(struct dentry *dentry, struct path *path)
{
	struct proc_object *object = proc_object(dentry->d_inode);
	struct file *file;

	if (lock_trace(object->task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	file = fget_task(object->task, object->fd);
	unlock_trace(object->task);
	if (!file)
		return -ENOENT;
	*path = file->f_path;
	path_get(path);
	fput(file);
	return 0;
}

static char *fd_get_link(struct dentry *dentry)
{
	return proc_link_text(dentry, fd_get_path);
}

static const struct inode_operations fd_link = {
	.get_link = fd_get_link,
	.get_path = fd_get_path,
	.revalidate = fd_revalidate,
	.fixed_mode = true,
};

/* Finds the file of a descriptor by its name, counted, and fills in *object. Or NULL. */
static struct file *fd_lookup(struct inode *dir, struct dentry *dentry, struct proc_object *object)
{
	const char *name = dentry->d_name.name;

	*object = *proc_object(dir);
	if (!proc_name_to_int(name, &object->fd))
		return NULL;
	return fget_task(object->task, object->fd);
}

static int fd_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	struct proc_object object;
	struct file *file = fd_lookup(dir, dentry, &object);
	umode_t mode = S_IFLNK;
	int err;

	if (!file)
		return -ENOENT;
	if (file->f_mode & FMODE_READ)
		mode |= 0500;
	if (file->f_mode & FMODE_WRITE)
		mode |= 0300;
	fput(file);
	err = proc_instantiate(dentry, &object, mode, &fd_link, NULL);
	if (!err)
		dentry->d_inode->i_size = 64; /* as Linux shows it */
	return err;
}

/* All threads of the process may read it, also after a change of user. */
static int fd_dir_permission(struct inode *inode, unsigned mask)
{
	if (proc_object(inode)->task->tgid == current->tgid)
		return 0;
	return generic_permission(inode, mask);
}

const struct inode_operations proc_fd_dir_inode_operations = {
	.lookup = fd_dir_lookup,
	.permission = fd_dir_permission,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static int fdinfo_show(struct seq_file *m, void *v)
{
	struct proc_object *object = m->private;
	struct file *file;
	unsigned flags;

	(void)v;
	if (lock_trace(object->task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	file = fget_task(object->task, object->fd);
	if (!file) {
		unlock_trace(object->task);
		return -ENOENT;
	}
	flags = file->f_flags & ~(unsigned)O_CLOEXEC;
	if (task_close_on_exec(object->task, object->fd))
		flags |= O_CLOEXEC;
	unlock_trace(object->task);
	seq_printf(m, "pos:\t%lld\nflags:\t0%o\nmnt_id:\t%d\nino:\t%llu\n",
		   (long long)READ_ONCE(file->f_pos), flags, file->f_path.mnt->mnt_id,
		   (unsigned long long)file->f_inode->i_ino);
	if (file->f_op->show_fdinfo)
		file->f_op->show_fdinfo(m, file);
	fput(file);
	return 0;
}

static int fdinfo_open(struct inode *inode, struct file *file)
{
	if (!ptrace_may_access(proc_object(inode)->task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	return single_open(file, fdinfo_show, inode->i_private);
}

static const struct file_operations fdinfo_fops = {
	.no_splice_read = true,
	.open = fdinfo_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct inode_operations fdinfo_operations = { .revalidate = fd_revalidate };

static int fdinfo_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	struct proc_object object;
	struct file *file = fd_lookup(dir, dentry, &object);

	if (!file)
		return -ENOENT;
	fput(file);
	return proc_instantiate(dentry, &object, S_IFREG | 0444, &fdinfo_operations, &fdinfo_fops);
}

static int fdinfo_dir_permission(struct inode *inode, unsigned mask)
{
	return ptrace_may_access(proc_object(inode)->task, PTRACE_MODE_READ_FSCREDS)
		       ? generic_permission(inode, mask)
		       : -EACCES;
}

const struct inode_operations proc_fdinfo_dir_inode_operations = {
	.lookup = fdinfo_dir_lookup,
	.permission = fdinfo_dir_permission,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static int fd_dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file->f_inode;
	struct proc_object *object = proc_object(dir);
	struct file *open;
	char name[12];

	if (!proc_task_alive(object->task))
		return -ENOENT;
	if (!dir_emit_dots(file->f_path.dentry, ctx))
		return 0;
	for (;; ctx->pos++) {
		unsigned fd = (unsigned)ctx->pos - 2;
		int len;

		open = fget_task_next(object->task, &fd);
		if (!open)
			return 0;
		fput(open);
		ctx->pos = (loff_t)fd + 2;
		len = snprintf(name, sizeof(name), "%u", fd);
		if (!ctx->actor(ctx, name, (size_t)len, ctx->pos, dir->i_ino + (u64)ctx->pos,
				dir->i_op == &proc_fd_dir_inode_operations ? DT_LNK : DT_REG))
			return 0;
	}
}

const struct file_operations proc_fd_dir_operations = {
	.iterate = fd_dir_iterate,
	.llseek = dcache_dir_lseek,
};
