/*
 * /proc/PID and /proc/self.
 *
 * Their dentries are not pinned: a lookup makes them, and the last reference frees them. Each inode
 * holds a reference on its task, so a file that was opened before the task ended can still be read
 * (with -ESRCH). The dentry of a reaped task is stale: the next walk drops it, because another task
 * may have the PID by then.
 */
#include "fs/filesystems.h"
#include "fs/proc/internal.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

struct pid_entry {
	const char *name;
	umode_t mode;
	int (*show)(struct seq_file *m, void *v);
};

static const struct pid_entry pid_entries[] = {
	{ "comm", 0644, proc_pid_comm },     { "patch_state", 0400, proc_pid_patch_state },
	{ "stack", 0400, proc_pid_stack },   { "stat", 0444, proc_pid_stat },
	{ "status", 0444, proc_pid_status },
};

bool proc_task_alive(struct task_struct *task)
{
	struct task_struct *found = find_get_task_by_pid(task->pid);

	if (found)
		put_task_struct(found);
	return found == task;
}

struct task_struct *next_task_from(pid_t pid)
{
	struct task_struct *p, *best = NULL;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->pid >= pid && (!best || p->pid < best->pid))
			best = p;
	if (best)
		get_task_struct(best);
	spin_unlock(&tasklist_lock);
	return best;
}

static bool pid_revalidate(struct dentry *dentry)
{
	return proc_task_alive(dentry->d_inode->i_private);
}

/* Finds the entry by the name of the file. */
static int pid_file_open(struct inode *inode, struct file *file)
{
	const char *name = file->f_path.dentry->d_name.name;

	for (unsigned i = 0; i < ARRAY_SIZE(pid_entries); i++)
		if (!strcmp(pid_entries[i].name, name))
			return single_open(file, pid_entries[i].show, inode->i_private);
	return -ENOENT;
}

/* Only comm can be written: a task may change its own name. */
static ssize_t pid_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct task_struct *task = file->f_inode->i_private;
	char comm[TASK_COMM_LEN];
	size_t len = min(count, sizeof(comm) - 1);

	(void)pos;
	if (strcmp(file->f_path.dentry->d_name.name, "comm"))
		return -EIO;
	if (task != current)
		return -EINVAL;
	memcpy(comm, buf, len);
	comm[len] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	set_task_comm(task, comm);
	return (ssize_t)count;
}

static const struct file_operations pid_file_fops = {
	.open = pid_file_open,
	.read = seq_read,
	.write = pid_file_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct inode_operations pid_file_operations = { .revalidate = pid_revalidate };

static int pid_dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file->f_inode;

	if (!dir_emit_dots(file->f_path.dentry, ctx))
		return 0;
	for (; (u64)ctx->pos - 2 < ARRAY_SIZE(pid_entries); ctx->pos++) {
		const struct pid_entry *entry = &pid_entries[ctx->pos - 2];

		if (!ctx->actor(ctx, entry->name, strlen(entry->name), ctx->pos,
				dir->i_ino + (u64)ctx->pos, DT_REG))
			break;
	}
	return 0;
}

static const struct file_operations pid_dir_fops = {
	.iterate = pid_dir_iterate,
	.llseek = dcache_dir_lseek,
};

/* Gives dentry a new inode that holds task. Takes over the task reference, also on failure. */
static int pid_instantiate(struct dentry *dentry, struct task_struct *task, umode_t mode,
			   const struct inode_operations *iops, const struct file_operations *fops)
{
	struct inode *inode = new_inode(dentry->d_sb, mode);

	if (!inode) {
		put_task_struct(task);
		return -ENOMEM;
	}
	inode->i_nlink = S_ISDIR(mode) ? 2 : 1;
	inode->i_op = iops;
	inode->i_fop = fops;
	inode->i_private = task;
	dentry->d_flags |= DCACHE_REVALIDATE;
	d_add(dentry, inode);
	return 0;
}

static int pid_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	for (unsigned i = 0; i < ARRAY_SIZE(pid_entries); i++) {
		if (strcmp(pid_entries[i].name, dentry->d_name.name))
			continue;
		return pid_instantiate(dentry, get_task_struct(dir->i_private),
				       pid_entries[i].mode | S_IFREG, &pid_file_operations,
				       &pid_file_fops);
	}
	return -ENOENT;
}

static const struct inode_operations pid_dir_operations = {
	.lookup = pid_dir_lookup,
	.revalidate = pid_revalidate,
};

static char *self_get_link(struct dentry *dentry)
{
	char *text = kasprintf(GFP_KERNEL, "%d", current->pid);

	(void)dentry;
	return text ? text : ERR_PTR(-ENOMEM);
}

static const struct inode_operations self_operations = { .get_link = self_get_link };

static int self_lookup(struct dentry *dentry)
{
	struct inode *inode = new_inode(dentry->d_sb, S_IFLNK | S_IRWXUGO);

	if (!inode)
		return -ENOMEM;
	inode->i_op = &self_operations;
	d_add(dentry, inode);
	return 0;
}

int proc_root_lookup(struct inode *dir, struct dentry *dentry)
{
	const char *name = dentry->d_name.name;
	struct task_struct *task;
	unsigned pid;

	(void)dir;
	if (!strcmp(name, "self"))
		return self_lookup(dentry);
	/* kstrtouint() accepts 007 and +7, which are not names of task 7. */
	if (name[0] < '1' || name[0] > '9' || kstrtouint(name, 10, &pid) || pid > INT32_MAX)
		return -ENOENT;
	task = find_get_task_by_pid((pid_t)pid);
	if (!task)
		return -ENOENT;
	return pid_instantiate(dentry, task, S_IFDIR | 0555, &pid_dir_operations, &pid_dir_fops);
}

void proc_pid_readdir(struct dir_context *ctx)
{
	struct task_struct *task;
	pid_t pid;

	if (ctx->pos == FIRST_PROCESS_POS) {
		if (!ctx->actor(ctx, "self", 4, ctx->pos, 1, DT_LNK))
			return;
		ctx->pos++;
	}
	while ((task = next_task_from((pid_t)(ctx->pos - FIRST_PROCESS_POS)))) {
		char name[12];
		int len = snprintf(name, sizeof(name), "%d", task->pid);

		pid = task->pid;
		put_task_struct(task);
		if (!ctx->actor(ctx, name, (size_t)len, FIRST_PROCESS_POS + pid,
				(u64)FIRST_PROCESS_POS + (u64)pid, DT_DIR))
			return;
		ctx->pos = FIRST_PROCESS_POS + pid + 1;
	}
}

/* Only the inodes of this file hold a task. Static entries have another i_private. */
void proc_evict_inode(struct inode *inode)
{
	if (inode->i_op == &pid_dir_operations || inode->i_op == &pid_file_operations)
		put_task_struct(inode->i_private);
}
