/* /proc/PID/task: a directory for each thread of the process. */
#include "fs/vfs/libfs.h"
#include "fs/proc/task/task.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/task/signal_struct.h"

bool proc_name_to_int(const char *name, unsigned *number)
{
	u64 n = 0;

	if (name[0] == '0' && name[1])
		return false;
	for (const char *c = name; *c; c++) {
		if (*c < '0' || *c > '9')
			return false;
		n = n * 10 + (u64)(*c - '0');
		if (n > INT32_MAX)
			return false;
	}
	*number = (unsigned)n;
	return *name;
}

static int task_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	const char *name = dentry->d_name.name;
	struct proc_object object = { .thread = true };
	unsigned tid;
	int err = -ENOENT;

	if (!proc_name_to_int(name, &tid))
		return -ENOENT;
	object.task = find_get_task_by_pid((pid_t)tid);
	if (!object.task)
		return -ENOENT;
	if (object.task->tgid == proc_object(dir)->task->tgid)
		err = proc_instantiate(dentry, &object, S_IFDIR | 0555,
				       &proc_pid_dir_inode_operations, &proc_pid_dir_operations);
	put_task_struct(object.task);
	return err;
}

const struct inode_operations proc_task_dir_inode_operations = {
	.lookup = task_dir_lookup,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

/* The lowest thread number of the process at or above tid; 0: no more. */
static pid_t next_tid(struct task_struct *task, pid_t tid)
{
	struct task_struct *t;
	pid_t best = 0;

	spin_lock(&tasklist_lock);
	list_for_each_entry (t, &task->signal->thread_head, thread_node)
		if (t->pid >= tid && (!best || t->pid < best))
			best = t->pid;
	spin_unlock(&tasklist_lock);
	return best;
}

static int task_dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file->f_inode;
	struct task_struct *task = proc_object(dir)->task;
	char name[12];
	pid_t tid;

	if (!proc_task_alive(task))
		return -ENOENT;
	if (!dir_emit_dots(file->f_path.dentry, ctx))
		return 0;
	while ((tid = next_tid(task, (pid_t)ctx->pos - 2))) {
		int len = snprintf(name, sizeof(name), "%d", tid);

		if (!ctx->actor(ctx, name, (size_t)len, tid + 2, dir->i_ino + (u64)tid, DT_DIR))
			break;
		ctx->pos = tid + 3;
	}
	return 0;
}

const struct file_operations proc_task_dir_operations = {
	.iterate = task_dir_iterate,
	.llseek = dcache_dir_lseek,
};
