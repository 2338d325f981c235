/*
 * /proc/PID/make-it-fail and /proc/PID/fail-nth: which task fails, and in which call.
 *
 * fail-nth is the systematic way: a program writes 1, makes a system call, and sees the first
 * allocation of it fail; then 2, and so on until a call succeeds and the file still shows a number.
 * Allocations have callbacks while a task has written a number: until it writes 0 or ends.
 */
#include "fs/proc/task/task.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/task/capability.h"
#include "kernel/task/part.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/inject/inject.h"

#define DETACH_DELAY 1000000000ULL /* ns: a loop of programs attaches once */

static struct delayed_work detach_work;

static void detach(struct work_struct *work __unused)
{
	mutex_lock(&inject_mutex);
	(void)fault_update_allocations();
	mutex_unlock(&inject_mutex);
}

static int parse_number(const char *buf, size_t count, unsigned *value)
{
	char text[13] = { 0 };

	memcpy(text, buf, min(count, sizeof(text) - 1));
	return kstrtouint(strim(text), 0, value);
}

/* The task holds fault_nth_tasks up, or lets it go. inject_mutex held. */
static int arm(struct task_struct *task, bool on)
{
	if (task->inject.armed == on)
		return 0;
	WRITE_ONCE(task->inject.armed, on);
	if (!on) {
		fault_nth_tasks--;
		(void)mod_delayed_work(&detach_work, DETACH_DELAY);
		return 0;
	}
	fault_nth_tasks++;
	return fault_update_allocations();
}

/* ---- fail-nth ---- */

static int fail_nth_show(struct seq_file *m, void *v)
{
	struct task_struct *task = proc_object(m->file->f_inode)->task;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%u\n", READ_ONCE(task->inject.fail_nth));
	return 0;
}

static ssize_t fail_nth_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct task_struct *task = proc_object(file->f_inode)->task;
	unsigned nth;
	int err;

	(void)pos;
	/* The callbacks slow down all tasks, so not everybody may attach them. */
	if (!proc_capable(file, CAP_SYS_RESOURCE))
		return -EPERM;
	err = parse_number(buf, count, &nth);
	if (err)
		return err;
	mutex_lock(&inject_mutex);
	err = arm(task, nth != 0);
	/* A task that ends does so before it looks at armed in forget(), and this after it. */
	smp_mb();
	if (!err && (READ_ONCE(task->flags) & PF_EXITING))
		err = -ESRCH;
	if (err)
		(void)arm(task, false);
	else
		WRITE_ONCE(task->inject.fail_nth, nth);
	mutex_unlock(&inject_mutex);
	return err ? err : (ssize_t)count;
}

static int fail_nth_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return proc_opener_open(file, fail_nth_show);
}

static const struct file_operations fail_nth_fops = {
	.no_splice_read = true,
	.open = fail_nth_open,
	.read = seq_read,
	.write = fail_nth_write,
	.llseek = seq_lseek,
	.release = proc_opener_release,
};
static const struct pid_entry fail_nth_entry PID_ENTRY("fail-nth") = { .name = "fail-nth",
								       .mode = S_IFREG | 0644,
								       .fops = &fail_nth_fops };

/* ---- make-it-fail ---- */

static int make_it_fail_show(struct seq_file *m, void *v)
{
	struct task_struct *task = proc_object(m->file->f_inode)->task;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%d\n", READ_ONCE(task->inject.make_it_fail));
	return 0;
}

static int make_it_fail_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return proc_opener_open(file, make_it_fail_show);
}

static ssize_t make_it_fail_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct task_struct *task = proc_object(file->f_inode)->task;
	unsigned value;
	int err;

	(void)pos;
	if (!proc_capable(file, CAP_SYS_RESOURCE))
		return -EPERM;
	err = parse_number(buf, count, &value);
	if (err)
		return err;
	if (value > 1)
		return -EINVAL;
	if (!proc_task_alive(task))
		return -ESRCH;
	WRITE_ONCE(task->inject.make_it_fail, value);
	return (ssize_t)count;
}

static const struct file_operations make_it_fail_fops = {
	.no_splice_read = true,
	.open = make_it_fail_open,
	.read = seq_read,
	.write = make_it_fail_write,
	.llseek = seq_lseek,
	.release = proc_opener_release,
};
static const struct pid_entry make_it_fail_entry PID_ENTRY("make-it-fail") = {
	.name = "make-it-fail", .mode = S_IFREG | 0644, .fops = &make_it_fail_fops
};

/* ---- tasks ---- */

/* make-it-fail is for a whole tree of processes, fail-nth for one task. */
static int inherit(u64 clone_flags __unused, struct task_struct *child)
{
	child->inject.make_it_fail = current->inject.make_it_fail;
	return 0;
}

static void forget(struct task_struct *task)
{
	smp_mb(); /* after PF_EXITING was set: see fail_nth_write() */
	if (likely(!READ_ONCE(task->inject.armed)))
		return;
	mutex_lock(&inject_mutex);
	(void)arm(task, false);
	mutex_unlock(&inject_mutex);
}

static const struct task_part inject_task_part TASK_PART(inject) = {
	.copy = inherit,
	.exit = forget,
};

static int __init inject_proc_init(void)
{
	INIT_DELAYED_WORK(&detach_work, detach);
	return 0;
}
late_initcall(inject_proc_init);
