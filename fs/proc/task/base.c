/*
 * /proc/PID, /proc/self and /proc/thread-self.
 *
 * Their dentries are not pinned: a lookup makes them, and the last reference frees them. Each inode
 * holds a reference on its task, so a file that was opened before the task ended can still be read
 * (with -ESRCH). The dentry of a reaped task is stale: the next walk drops it, because another task
 * may have the PID by then.
 */
#include "fs/vfs/libfs.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/proc/task/task.h"
#include "kernel/init.h"
#include "kernel/task/pid.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"

#define FILE(name, mode, flags, show)                                                              \
	{                                                                                          \
		name, S_IFREG | (mode), flags, show, NULL, NULL                                    \
	}
#define FILE_OPS(name, mode, flags, fops)                                                          \
	{                                                                                          \
		name, S_IFREG | (mode), flags, NULL, NULL, &(fops)                                 \
	}
/* A FILE for splice(2). */
#define MOUNTS(name, show)                                                                         \
	{                                                                                          \
		name, S_IFREG | 0444, 0, show, NULL, &pid_mounts_fops                              \
	}
#define LINK(name, iops)                                                                           \
	{                                                                                          \
		name, S_IFLNK | S_IRWXUGO, 0, NULL, &(iops), NULL                                  \
	}
#define DIR(name, mode, flags, iops, fops)                                                         \
	{                                                                                          \
		name, S_IFDIR | (mode), flags, NULL, &(iops), &(fops)                              \
	}

static int pid_file_open(struct inode *inode, struct file *file);

/* A line for each mounted hierarchy of control groups: there is none. */
static int proc_pid_cgroup(struct seq_file *m, void *v)
{
	(void)v;
	return proc_task_alive(((struct proc_object *)m->private)->task) ? 0 : -ESRCH;
}

/* A task that has ended sees no mounts. */
static int pid_mounts_open(struct inode *inode, struct file *file)
{
	struct path root;

	if (!get_task_root(proc_object(inode)->task, &root))
		return -EINVAL;
	path_put(&root);
	return pid_file_open(inode, file);
}

static const struct file_operations pid_mounts_fops = {
	.open = pid_mounts_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct pid_entry pid_entries[] = {
	DIR("task", 0555, PROC_PROCESS, proc_task_dir_inode_operations, proc_task_dir_operations),
	DIR("fd", 0500, 0, proc_fd_dir_inode_operations, proc_fd_dir_operations),
	DIR("fdinfo", 0555, 0, proc_fdinfo_dir_inode_operations, proc_fd_dir_operations),
	FILE_OPS("auxv", 0400, 0, proc_auxv_operations),
	FILE("cgroup", 0444, 0, proc_pid_cgroup),
	FILE_OPS("cmdline", 0444, 0, proc_cmdline_operations),
	FILE("comm", 0644, 0, proc_pid_comm),
	LINK("cwd", proc_cwd_link),
	FILE_OPS("environ", 0400, 0, proc_environ_operations),
	LINK("exe", proc_exe_link),
	FILE("io", 0400, 0, proc_pid_io),
	FILE("limits", 0444, 0, proc_pid_limits),
	FILE_OPS("maps", 0444, 0, proc_maps_operations),
	FILE_OPS("mem", 0600, 0, proc_mem_operations),
	MOUNTS("mountinfo", proc_show_mountinfo),
	MOUNTS("mounts", proc_show_mounts),
	FILE("oom_score", 0444, 0, proc_pid_oom_score),
	FILE_OPS("oom_score_adj", 0644, 0, proc_oom_score_adj_operations),
	FILE_OPS("pagemap", 0400, 0, proc_pagemap_operations),
	FILE("patch_state", 0400, 0, proc_pid_patch_state),
	FILE("personality", 0400, PROC_TRACED, proc_pid_personality),
	LINK("root", proc_root_link),
	FILE("sched", 0444, 0, proc_pid_sched),
	FILE_OPS("smaps", 0444, 0, proc_smaps_operations),
	FILE_OPS("smaps_rollup", 0444, 0, proc_smaps_rollup_operations),
	FILE("stack", 0400, PROC_TRACED | PROC_ADMIN, proc_pid_stack),
	FILE("stat", 0444, 0, proc_pid_stat),
	FILE("statm", 0444, 0, proc_pid_statm),
	FILE("status", 0444, 0, proc_pid_status),
	FILE("syscall", 0400, PROC_TRACED, proc_pid_syscall),
	FILE_OPS("timerslack_ns", 0666, 0, proc_timerslack_operations),
	FILE("wchan", 0444, 0, proc_pid_wchan),
};

DEFINE_LINKER_TABLE(rodata, const struct pid_entry, more_pid_entries);

/* The entries of this file, then those of other rooms. NULL: index is behind the last one. */
static const struct pid_entry *pid_entry(u64 index)
{
	const struct pid_entry *more = linker_table_start(more_pid_entries);

	if (index < ARRAY_SIZE(pid_entries))
		return &pid_entries[index];
	index -= ARRAY_SIZE(pid_entries);
	return index < (u64)(linker_table_end(more_pid_entries) - more) ? &more[index] : NULL;
}

bool proc_task_alive(struct task_struct *task)
{
	struct task_struct *found = find_get_task_by_pid(task->pid);

	if (found)
		put_task_struct(found);
	return found == task;
}

static struct task_struct *next_from(pid_t pid, bool processes)
{
	struct task_struct *p, *best = NULL;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->pid >= pid && (!best || p->pid < best->pid) &&
		    !(processes && p->group_leader != p))
			best = p;
	if (best)
		get_task_struct(best);
	spin_unlock(&tasklist_lock);
	return best;
}

struct task_struct *next_task_from(pid_t pid)
{
	return next_from(pid, false);
}

/*
 * The files of a task belong to the user and group as which it acts. If the task has secrets, as
 * after setuid(2), or no memory any more, only its directories that anybody may list do; all else
 * belongs to root.
 */
static void update_owner(struct inode *inode, struct task_struct *task)
{
	bool root = inode->i_mode != (S_IFDIR | 0555) && !task_dumpable(task, false);
	const struct cred *cred;

	rcu_read_lock();
	cred = READ_ONCE(task->real_cred);
	WRITE_ONCE(inode->i_uid, root ? 0 : cred->euid);
	WRITE_ONCE(inode->i_gid, root ? 0 : cred->egid);
	rcu_read_unlock();
}

bool proc_task_revalidate(struct dentry *dentry)
{
	struct proc_object *object = proc_object(dentry->d_inode);

	if (!proc_task_alive(object->task))
		return false;
	update_owner(dentry->d_inode, object->task);
	return true;
}

static int pid_file_open(struct inode *inode, struct file *file)
{
	return single_open(file, proc_object(inode)->entry->show, inode->i_private);
}

/* ---- files of PROC_TRACED ---- */

/* m->private of such a file: the task that has opened it, and what it has opened. */
struct traced_file {
	const struct proc_object *object;
	const struct cred *opener; /* counted */
	unsigned exec_id;          /* of the task that is looked at, at the open */
};

/*
 * If the task has executed another program since the open, checks the opener, too. For the reader
 * may be that program itself, which does not know what it reads. lock_trace() held.
 */
static bool opener_may_access(const struct traced_file *t)
{
	struct task_struct *task = t->object->task;

	return READ_ONCE(task->signal->exec_id) == t->exec_id ||
	       cred_may_access(t->opener, task, PTRACE_MODE_ATTACH_FSCREDS);
}

static int traced_show(struct seq_file *m, void *v)
{
	const struct traced_file *t = m->private;
	const struct pid_entry *entry = t->object->entry;
	int err;

	if (!proc_task_alive(t->object->task))
		return -ESRCH;
	if ((entry->flags & PROC_ADMIN) && !(t->opener->cap_effective & BIT(CAP_SYS_ADMIN)))
		return -EACCES;
	err = lock_trace(t->object->task, PTRACE_MODE_ATTACH_FSCREDS);
	if (err)
		return err;
	if (opener_may_access(t)) {
		m->private = (void *)t->object;
		err = entry->show(m, v);
		m->private = (void *)t;
	} else {
		err = -EPERM;
	}
	unlock_trace(t->object->task);
	return err;
}

static int traced_open(struct inode *inode, struct file *file)
{
	struct traced_file *t = kmalloc(sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	t->object = proc_object(inode);
	t->opener = get_cred(current_cred());
	t->exec_id = READ_ONCE(t->object->task->signal->exec_id);
	err = single_open(file, traced_show, t);
	if (err) {
		put_cred(t->opener);
		kfree(t);
	}
	return err;
}

static int traced_release(struct inode *inode, struct file *file)
{
	struct traced_file *t = ((struct seq_file *)file->private_data)->private;

	put_cred(t->opener);
	kfree(t);
	return single_release(inode, file);
}

static const struct file_operations traced_file_fops = {
	.no_splice_read = true,
	.open = traced_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = traced_release,
};

/* ---- files that need a capability to be written ---- */

int proc_opener_open(struct file *file, int (*show)(struct seq_file *m, void *v))
{
	const struct cred *opener = get_cred(current_cred());
	int err = single_open(file, show, (void *)opener);

	if (err)
		put_cred(opener);
	return err;
}

int proc_opener_release(struct inode *inode, struct file *file)
{
	put_cred(((struct seq_file *)file->private_data)->private);
	return single_release(inode, file);
}

bool proc_capable(const struct file *file, unsigned cap)
{
	const struct cred *opener = ((struct seq_file *)file->private_data)->private;

	return capable(cap) && (opener->cap_effective & BIT(cap));
}

/* ---- the other files ---- */

/* Only comm can be written: a process may change the names of its threads. */
static ssize_t pid_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	const struct proc_object *object = proc_object(file->f_inode);
	char comm[TASK_COMM_LEN];
	size_t len = min(count, sizeof(comm) - 1);

	(void)pos;
	if (object->entry->show != proc_pid_comm)
		return -EINVAL;
	if (object->task->tgid != current->tgid)
		return -EINVAL;
	memcpy(comm, buf, len);
	comm[len] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	set_task_comm(object->task, comm);
	return (ssize_t)count;
}

static const struct file_operations pid_file_fops = {
	.no_splice_read = true,
	.open = pid_file_open,
	.read = seq_read,
	.write = pid_file_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct inode_operations pid_file_inode_operations = {
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static bool has_entry(const struct proc_object *object, const struct pid_entry *entry)
{
	return !(object->thread && (entry->flags & PROC_PROCESS));
}

static int pid_dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file->f_inode;
	const struct pid_entry *entry;

	if (!dir_emit_dots(file->f_path.dentry, ctx))
		return 0;
	for (; (entry = pid_entry((u64)ctx->pos - 2)); ctx->pos++) {
		if (has_entry(proc_object(dir), entry) &&
		    !ctx->actor(ctx, entry->name, strlen(entry->name), ctx->pos,
				dir->i_ino + (u64)ctx->pos, S_DT(entry->mode)))
			break;
	}
	return 0;
}

const struct file_operations proc_pid_dir_operations = {
	.iterate = pid_dir_iterate,
	.llseek = dcache_dir_lseek,
};

struct pid *proc_pid_of_dir(const struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;
	struct pid *pid;

	if (file->f_op != &proc_pid_dir_operations || dentry->d_parent != dentry->d_sb->s_root)
		return ERR_PTR(-EBADF);
	pid = get_task_pid(proc_object(file->f_inode)->task, PIDTYPE_PID);
	return pid ? pid : ERR_PTR(-ESRCH);
}

int proc_instantiate(struct dentry *dentry, const struct proc_object *object, umode_t mode,
		     const struct inode_operations *iops, const struct file_operations *fops)
{
	struct proc_object *copy = kmalloc(sizeof(*copy), GFP_KERNEL);
	struct inode *inode = copy ? new_inode(dentry->d_sb, mode) : NULL;

	if (!inode) {
		kfree(copy);
		return -ENOMEM;
	}
	*copy = *object;
	get_task_struct(copy->task);
	inode->i_nlink = S_ISDIR(mode) ? 2 : 1;
	inode->i_op = iops;
	inode->i_fop = fops;
	inode->i_private = copy;
	update_owner(inode, copy->task);
	dentry->d_flags |= DCACHE_REVALIDATE;
	d_add(dentry, inode);
	return 0;
}

static int pid_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	struct proc_object object = *proc_object(dir);
	const struct pid_entry *entry;

	for (u64 i = 0; (entry = pid_entry(i)); i++) {
		if (strcmp(entry->name, dentry->d_name.name) || !has_entry(&object, entry))
			continue;
		object.entry = entry;
		return proc_instantiate(dentry, &object, entry->mode,
					entry->iops ? entry->iops : &pid_file_inode_operations,
					entry->fops                  ? entry->fops
					: entry->flags & PROC_TRACED ? &traced_file_fops
								     : &pid_file_fops);
	}
	return -ENOENT;
}

const struct inode_operations proc_pid_dir_inode_operations = {
	.lookup = pid_dir_lookup,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static char *self_get_link(struct dentry *dentry)
{
	char *text = kasprintf(GFP_KERNEL, "%d", current->tgid);

	(void)dentry;
	return text ? text : ERR_PTR(-ENOMEM);
}

static char *thread_self_get_link(struct dentry *dentry)
{
	char *text = kasprintf(GFP_KERNEL, "%d/task/%d", current->tgid, current->pid);

	(void)dentry;
	return text ? text : ERR_PTR(-ENOMEM);
}

static const struct inode_operations self_operations = { .get_link = self_get_link };
static const struct inode_operations thread_self_operations = { .get_link = thread_self_get_link };

static int self_lookup(struct dentry *dentry, const struct inode_operations *iops)
{
	struct inode *inode = new_inode(dentry->d_sb, S_IFLNK | S_IRWXUGO);

	if (!inode)
		return -ENOMEM;
	inode->i_op = iops;
	d_add(dentry, inode);
	return 0;
}

static int proc_root_lookup(struct dentry *dentry)
{
	const char *name = dentry->d_name.name;
	struct proc_object object = { 0 };
	unsigned pid;
	int err;

	if (!strcmp(name, "self"))
		return self_lookup(dentry, &self_operations);
	if (!strcmp(name, "thread-self"))
		return self_lookup(dentry, &thread_self_operations);
	if (!proc_name_to_int(name, &pid))
		return -ENOENT;
	object.task = find_get_task_by_pid((pid_t)pid);
	if (!object.task)
		return -ENOENT;
	err = proc_instantiate(dentry, &object, S_IFDIR | 0555, &proc_pid_dir_inode_operations,
			       &proc_pid_dir_operations);
	put_task_struct(object.task);
	return err;
}

static void proc_pid_readdir(struct dir_context *ctx)
{
	static const char *const links[] = { "self", "thread-self" };
	const loff_t first_pid = FIRST_PROCESS_POS + ARRAY_SIZE(links);
	struct task_struct *task;
	pid_t pid;

	for (; ctx->pos < first_pid; ctx->pos++) {
		const char *name = links[ctx->pos - FIRST_PROCESS_POS];

		if (!ctx->actor(ctx, name, strlen(name), ctx->pos, 1, DT_LNK))
			return;
	}
	while ((task = next_from((pid_t)(ctx->pos - first_pid), true))) {
		char name[12];
		int len = snprintf(name, sizeof(name), "%d", task->pid);

		pid = task->pid;
		put_task_struct(task);
		if (!ctx->actor(ctx, name, (size_t)len, first_pid + pid, (u64)(first_pid + pid),
				DT_DIR))
			return;
		ctx->pos = first_pid + pid + 1;
	}
}

/* Of all inodes of procfs, those of tasks alone have a revalidate operation. */
static void proc_evict_inode(struct inode *inode)
{
	struct proc_object *object = inode->i_private;

	if (!inode->i_op->revalidate)
		return;
	put_task_struct(object->task);
	kfree(object);
}

static const struct proc_tasks tasks = {
	.lookup = proc_root_lookup,
	.readdir = proc_pid_readdir,
	.evict_inode = proc_evict_inode,
};

static int __init proc_tasks_init(void)
{
	register_proc_tasks(&tasks);
	return 0;
}
device_initcall(proc_tasks_init);
