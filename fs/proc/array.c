/*
 * The files of one task: /proc/PID/{stat,status,stack,comm,patch_state}, in the formats of Linux's
 * proc(5).
 */
#include "arch/stacktrace.h"
#include "fs/proc/internal.h"
#include "kernel/process/signal_struct.h"
#include "kernel/process/pid.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/string.h"

#define STACK_MAX 64

/* A copy of the fields that can change while a file is printed, so that one file is consistent. */
struct task_snapshot {
	char comm[TASK_COMM_LEN];
	char state;
	pid_t ppid, pgrp;
	enum sched_policy policy;
	int rt_priority, nice;
	unsigned cpu;
	u64 runtime, nvcsw, nivcsw;
	struct cpumask cpus_allowed;
};

static int task_snapshot(struct task_struct *task, struct task_snapshot *s)
{
	unsigned long flags;

	if (!proc_task_alive(task))
		return -ESRCH;
	spin_lock(&tasklist_lock);
	s->ppid = task->parent ? task->parent->pid : 0;
	s->pgrp = task_pgrp_nr(task);
	spin_unlock(&tasklist_lock);

	spin_lock_irqsave(&task->lock, flags);
	memcpy(s->comm, task->comm, sizeof(s->comm));
	s->policy = task->policy;
	s->rt_priority = min(task->rt_priority, MAX_RT_PRIO - 1); /* of migration/N, as in Linux */
	s->nice = task->nice;
	for (unsigned i = 0; i < ARRAY_SIZE(s->cpus_allowed.bits); i++)
		s->cpus_allowed.bits[i] = task->cpus_allowed.bits[i] & cpu_possible_mask.bits[i];
	spin_unlock_irqrestore(&task->lock, flags);

	/* Read without the run queue's lock, under which they are written. Each is one load. */
	s->cpu = READ_ONCE(task->cpu);
	s->runtime = task_sched_runtime(task);
	s->nvcsw = READ_ONCE(task->nvcsw);
	s->nivcsw = READ_ONCE(task->nivcsw);
	s->state = task_state_to_char(task);
	return 0;
}

static const char *state_text(char state)
{
	switch (state) {
	case 'R':
		return "R (running)";
	case 'S':
		return "S (sleeping)";
	case 'D':
		return "D (disk sleep)";
	case 'Z':
		return "Z (zombie)";
	case 'I':
		return "I (idle)";
	default:
		return "X (dead)";
	}
}

int proc_pid_comm(struct seq_file *m, void *v)
{
	struct task_snapshot s;
	int err = task_snapshot(m->private, &s);

	(void)v;
	if (err)
		return err;
	seq_printf(m, "%s\n", s.comm);
	return 0;
}

/*
 * Shows which functions the task calls while a live patch is enabled or disabled: 0 the old ones, 1
 * the new ones. -1: no transition runs.
 */
int proc_pid_patch_state(struct seq_file *m, void *v)
{
	struct task_struct *task = m->private;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%d\n", READ_ONCE(task->patch_state));
	return 0;
}

/* proc(5), /proc/PID/stat: 52 fields. The fields about user space are 0. */
int proc_pid_stat(struct seq_file *m, void *v)
{
	struct task_struct *task = m->private;
	struct task_snapshot s;
	int err = task_snapshot(task, &s);
	int priority;

	(void)v;
	if (err)
		return err;
	priority = s.policy == SCHED_FIFO ? -1 - s.rt_priority : 20 + s.nice;
	seq_printf(
		m, "%d (%s) %c %d %d 0 0 -1 %u 0 0 0 0 0 %llu 0 %llu %d %d 1 0 %llu 0 0 ",
		task->pid, s.comm, s.state, s.ppid, s.pgrp, READ_ONCE(task->flags),
		(unsigned long long)(s.runtime / NSEC_PER_USER_TICK),
		(unsigned long long)(READ_ONCE(task->signal->children.stime) / NSEC_PER_USER_TICK),
		priority, s.nice, (unsigned long long)(task->start_time / NSEC_PER_USER_TICK));
	seq_printf(m, "%llu 0 0 0 0 0 %llu 0 %llu 0 0 0 0 %d %u %d %u 0 0 0 0 0 0 0 0 0 0 %d\n",
		   ~0ULL, (unsigned long long)READ_ONCE(task->pending.signal),
		   (unsigned long long)READ_ONCE(task->ignored_signals),
		   task->flags & PF_KTHREAD ? 0 : 17, s.cpu, s.rt_priority, (unsigned)s.policy,
		   READ_ONCE(task->exit_code));
	return 0;
}

int proc_pid_status(struct seq_file *m, void *v)
{
	struct task_struct *task = m->private;
	struct task_snapshot s;
	char cpus[NR_CPUS + NR_CPUS / 8 + 8];
	int err = task_snapshot(task, &s);

	(void)v;
	if (err)
		return err;
	seq_printf(m, "Name:\t%s\nUmask:\t0022\nState:\t%s\n", s.comm, state_text(s.state));
	seq_printf(m, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", task->pid,
		   task->pid, s.ppid);
	seq_puts(m, "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \n");
	seq_printf(m, "NStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nThreads:\t1\n", task->pid, task->pid,
		   s.pgrp);
	seq_printf(m, "SigPnd:\t%016llx\nShdPnd:\t%016llx\nSigBlk:\t%016llx\nSigIgn:\t%016llx\n",
		   (unsigned long long)READ_ONCE(task->pending.signal), 0ULL, 0ULL,
		   (unsigned long long)READ_ONCE(task->ignored_signals));
	cpumask_print(cpus, sizeof(cpus), &s.cpus_allowed);
	seq_printf(m, "Cpus_allowed:\t%s\n", cpus);
	cpulist_print(cpus, sizeof(cpus), &s.cpus_allowed);
	seq_printf(m, "Cpus_allowed_list:\t%s\n", cpus);
	seq_printf(m, "voluntary_ctxt_switches:\t%llu\nnonvoluntary_ctxt_switches:\t%llu\n",
		   (unsigned long long)s.nvcsw, (unsigned long long)s.nivcsw);
	return 0;
}

/* Tells if address is in the scheduler. Such functions do not show why a task sleeps. */
static bool in_sched_functions(unsigned long address)
{
	static const char *const names[] = { "__schedule", "schedule", "schedule_timeout",
					     "preempt_schedule", "preempt_schedule_irq" };
	char buf[KSYM_NAME_LEN];
	const char *name = kallsyms_lookup(address, NULL, NULL, buf);

	return name && match_string(names, ARRAY_SIZE(names), name) >= 0;
}

/* Shows the stack of a task that sleeps. The stack of a task that runs on a CPU is empty. */
int proc_pid_stack(struct seq_file *m, void *v)
{
	struct task_struct *task = m->private;
	unsigned long entries[STACK_MAX];
	unsigned n, i = 0;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	n = stack_trace_save_task(task, entries, STACK_MAX);
	while (i < n && in_sched_functions(entries[i]))
		i++;
	for (; i < n; i++)
		seq_printf(m, "[<0>] %pB\n", (void *)entries[i]);
	return 0;
}
