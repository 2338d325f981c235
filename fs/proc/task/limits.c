/* What limits a process: /proc/PID/{limits,personality,oom_score,oom_score_adj}. */
#include "fs/proc/task/task.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/vm/mm.h"

#define OOM_SCORE_ADJ_MAX 1000

static const struct {
	const char *name, *unit;
} limit_names[RLIM_NLIMITS] = {
	[RLIMIT_CPU] = { "Max cpu time", "seconds" },
	[RLIMIT_FSIZE] = { "Max file size", "bytes" },
	[RLIMIT_DATA] = { "Max data size", "bytes" },
	[RLIMIT_STACK] = { "Max stack size", "bytes" },
	[RLIMIT_CORE] = { "Max core file size", "bytes" },
	[RLIMIT_RSS] = { "Max resident set", "bytes" },
	[RLIMIT_NPROC] = { "Max processes", "processes" },
	[RLIMIT_NOFILE] = { "Max open files", "files" },
	[RLIMIT_MEMLOCK] = { "Max locked memory", "bytes" },
	[RLIMIT_AS] = { "Max address space", "bytes" },
	[RLIMIT_LOCKS] = { "Max file locks", "locks" },
	[RLIMIT_SIGPENDING] = { "Max pending signals", "signals" },
	[RLIMIT_MSGQUEUE] = { "Max msgqueue size", "bytes" },
	[RLIMIT_NICE] = { "Max nice priority", NULL },
	[RLIMIT_RTPRIO] = { "Max realtime priority", NULL },
	[RLIMIT_RTTIME] = { "Max realtime timeout", "us" },
};

static void show_limit(struct seq_file *m, unsigned long value)
{
	if (value == RLIM_INFINITY)
		seq_printf(m, "%-20s ", "unlimited");
	else
		seq_printf(m, "%-20lu ", value);
}

int proc_pid_limits(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
		const struct rlimit *limit = &task->signal->rlim[i];

		seq_printf(m, "%-25s ", limit_names[i].name);
		show_limit(m, READ_ONCE(limit->rlim_cur));
		show_limit(m, READ_ONCE(limit->rlim_max));
		if (limit_names[i].unit)
			seq_printf(m, "%-10s", limit_names[i].unit);
		seq_putc(m, '\n');
	}
	return 0;
}

int proc_pid_personality(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%08x\n", READ_ONCE(task->personality));
	return 0;
}

/*
 * Shows how likely the process is killed when memory is short: its share of the memory and
 * oom_score_adj, both in thousandths, scaled to 0 to 1333. 0: it is never killed.
 */
int proc_pid_oom_score(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	long total = (long)total_pages(), adj, points;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	adj = READ_ONCE(task->signal->oom_score_adj);
	points = task->tgid == 1 || adj == -OOM_SCORE_ADJ_MAX ? 0 : (long)oom_pages(task);
	if (points)
		points = max((1000 + points * 1000 / total + adj) * 2 / 3, 0L);
	seq_printf(m, "%ld\n", points);
	return 0;
}

static int oom_score_adj_show(struct seq_file *m, void *v)
{
	struct task_struct *task = proc_object(m->file->f_inode)->task;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%d\n", READ_ONCE(task->signal->oom_score_adj));
	return 0;
}

static int oom_score_adj_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return proc_opener_open(file, oom_score_adj_show);
}

static int parse_adj(const char *buf, size_t count, int *value)
{
	char text[13] = { 0 };

	memcpy(text, buf, min(count, sizeof(text) - 1));
	return kstrtoint(strim(text), 0, value);
}

static int set_oom_score_adj(const struct file *file, int value)
{
	struct task_struct *task = proc_object(file->f_inode)->task;

	if (!proc_task_alive(task))
		return -ESRCH;
	/* Everybody may offer himself; only root may protect a process. */
	if (value < READ_ONCE(task->signal->oom_score_adj) && !proc_capable(file, CAP_SYS_RESOURCE))
		return -EACCES;
	WRITE_ONCE(task->signal->oom_score_adj, (short)value);
	return 0;
}

static ssize_t oom_score_adj_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	int value, err = parse_adj(buf, count, &value);

	(void)pos;
	if (err)
		return err;
	if (value < -OOM_SCORE_ADJ_MAX || value > OOM_SCORE_ADJ_MAX)
		return -EINVAL;
	err = set_oom_score_adj(file, value);
	return err ? err : (ssize_t)count;
}

const struct file_operations proc_oom_score_adj_operations = {
	.no_splice_read = true,
	.open = oom_score_adj_open,
	.read = seq_read,
	.write = oom_score_adj_write,
	.llseek = seq_lseek,
	.release = proc_opener_release,
};

/* ---- timerslack_ns ---- */

/* The own one, or with CAP_SYS_NICE that of any task. */
static bool may_see_slack(const struct file *file)
{
	return proc_object(file->f_inode)->task == current || proc_capable(file, CAP_SYS_NICE);
}

static int timerslack_show(struct seq_file *m, void *v)
{
	struct task_struct *task = proc_object(m->file->f_inode)->task;

	(void)v;
	if (!may_see_slack(m->file))
		return -EPERM;
	seq_printf(m, "%lu\n", (unsigned long)READ_ONCE(task->timer_slack_ns));
	return 0;
}

static int timerslack_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return proc_opener_open(file, timerslack_show);
}

static ssize_t timerslack_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct task_struct *task = proc_object(file->f_inode)->task;
	char text[24] = { 0 };
	unsigned long long value;
	int err;

	(void)pos;
	memcpy(text, buf, min(count, sizeof(text) - 1));
	err = kstrtoull(strim(text), 10, &value);
	if (err)
		return err;
	if (!may_see_slack(file))
		return -EPERM;
	WRITE_ONCE(task->timer_slack_ns, value ? value : task->default_timer_slack_ns);
	return (ssize_t)count;
}

const struct file_operations proc_timerslack_operations = {
	.no_splice_read = true,
	.open = timerslack_open,
	.read = seq_read,
	.write = timerslack_write,
	.llseek = seq_lseek,
	.release = proc_opener_release,
};
