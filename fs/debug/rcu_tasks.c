/*
 * /sys/kernel/debug/rcu_tasks: the counts of grace periods and callbacks, and the tasks for which
 * the current grace period waits.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/rcu/rcu_stats.h"
#include "kernel/sched/sched.h"

static void show_callbacks(struct seq_file *m, const char *name,
			   void (*read)(struct rcu_callback_stats *stats))
{
	struct rcu_callback_stats stats;

	read(&stats);
	seq_printf(m, "%s: grace periods: %lu callbacks: %lu waiting: %lu\n", name,
		   stats.grace_periods, stats.queued, stats.queued - stats.called);
}

static void show_holdout(void *m, const struct task_struct *task)
{
	seq_printf(m, "holdout: %s/%d cpu: %u%s\n", task->comm, task->pid, READ_ONCE(task->cpu),
		   READ_ONCE(task->on_cpu) ? " running" : "");
}

static int rcu_tasks_show(struct seq_file *m, void *v __unused)
{
	show_callbacks(m, "rcu_sched", rcu_stats);
	show_callbacks(m, "rcu_tasks", rcu_tasks_stats);
	rcu_tasks_for_each_holdout(show_holdout, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rcu_tasks);

static int __init rcu_tasks_file_init(void)
{
	struct dentry *file = debugfs_create_file("rcu_tasks", 0444, NULL, NULL, &rcu_tasks_fops);

	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
device_initcall(rcu_tasks_file_init);
