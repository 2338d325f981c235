/*
 * /proc/PID/sched: what the scheduler has counted for a task. The lines are those of Linux, without
 * those about averages of load and about NUMA, which nop5 does not have.
 */
#include "fs/proc/task/task.h"
#include "kernel/lib/string.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"

struct sched_numbers {
	struct sched_entity se;
	u64 nvcsw, nivcsw;
	int policy, prio;
	char comm[TASK_COMM_LEN];
};

/* Copies what the locks of the task and of its run queue protect. */
static void copy_numbers(struct task_struct *p, bool asleep, void *arg)
{
	struct sched_numbers *n = arg;

	(void)asleep;
	n->se = p->se;
	n->nvcsw = p->nvcsw;
	n->nivcsw = p->nivcsw;
	n->policy = p->policy;
	n->prio = effective_prio(p);
	memcpy(n->comm, p->comm, sizeof(n->comm));
}

static void show_number(struct seq_file *m, const char *name, u64 value)
{
	seq_printf(m, "%-45s:%21llu\n", name, (unsigned long long)value);
}

/* Nanoseconds, as milliseconds with six digits behind the point. */
static void show_time(struct seq_file *m, const char *name, u64 ns)
{
	seq_printf(m, "%-45s:%14llu.%06llu\n", name, (unsigned long long)(ns / NSEC_PER_MSEC),
		   (unsigned long long)(ns % NSEC_PER_MSEC));
}

int proc_pid_sched(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	struct sched_numbers n;
	ktime_t before;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	task_call_func(task, copy_numbers, &n);
	seq_printf(m, "%s (%d, #threads: %d)\n", n.comm, task->pid,
		   READ_ONCE(task->signal->nr_threads));
	seq_puts(m, "-------------------------------------------------------------------\n");
	show_time(m, "se.exec_start", n.se.exec_start);
	show_time(m, "se.vruntime", n.se.vruntime);
	show_time(m, "se.sum_exec_runtime", n.se.sum_exec_runtime);
	show_number(m, "se.nr_migrations", n.se.nr_migrations);
	show_number(m, "nr_switches", n.nvcsw + n.nivcsw);
	show_number(m, "nr_voluntary_switches", n.nvcsw);
	show_number(m, "nr_involuntary_switches", n.nivcsw);
	/* Linux calculates with 10 more bits of the weight than nop5. */
	show_number(m, "se.load.weight", (u64)n.se.weight << 10);
	show_number(m, "policy", (u64)n.policy);
	show_number(m, "prio", (u64)n.prio);
	before = ktime_get();
	show_number(m, "clock-delta", ktime_get() - before);
	return 0;
}
