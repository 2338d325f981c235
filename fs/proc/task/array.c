/*
 * What a task is and does: /proc/PID/{stat,status,comm,patch_state}, in the formats of Linux's
 * proc(5).
 */
#include "arch/unwind/stacktrace.h"
#include "fs/vfs/fs_struct.h"
#include "fs/file/file.h"
#include "fs/proc/task/task.h"
#include "kernel/console/tty.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "kernel/task/pid.h"
#include "kernel/process/rusage.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/seccomp.h"
#include "kernel/task/tracee.h"
#include "kernel/vm/mm.h"

#define TTYS_MAJOR  4
#define TTYS_MINOR  64 /* of ttyS0 */
#define PTS_MAJOR   136
#define SIGNALS_ALL 0x7fffffffULL /* stat shows the first 31 signals only */

/* A copy of the fields that can change while a file is printed, so that one file is consistent. */
struct task_snapshot {
	char comm[TASK_COMM_LEN];
	char state;
	pid_t ppid, pgrp, session;
	pid_t tracer; /* 0: none */
	int exit_signal, threads;
	int policy; /* as sched_setscheduler(2) was given */
	int prio;   /* 0 to 39, or below 0: real-time; with the priority that it inherits */
	int rt_priority, nice;
	unsigned cpu;
	u64 nvcsw, nivcsw;
	struct cpumask cpus_allowed;
	struct task_usage usage;    /* of the task, or of its process */
	struct task_usage children; /* 0 for a thread alone */
	/* Signals; 0 once it is reaped. */
	u64 pending, shared_pending, blocked, ignored, caught;
	unsigned queued;
	u32 tty; /* device number; 0: no terminal */
	pid_t tty_pgrp;
};

/* The device number of a terminal, by its name. */
static u32 tty_device(const struct tty_struct *tty)
{
	unsigned index;

	if (!strncmp(tty->name, "ttyS", 4) && !kstrtouint(tty->name + 4, 10, &index))
		return MKDEV(TTYS_MAJOR, TTYS_MINOR + index);
	if (!strncmp(tty->name, "pts/", 4) && !kstrtouint(tty->name + 4, 10, &index))
		return MKDEV(PTS_MAJOR, index);
	return 0;
}

/* Copies what siglock protects. */
static void snapshot_signals(struct task_struct *task, struct task_snapshot *s)
{
	struct sighand_struct *sighand;
	struct tty_struct *tty;
	unsigned long flags;

	s->tty = 0;
	s->tty_pgrp = -1;
	s->pending = s->shared_pending = s->blocked = s->ignored = s->caught = 0;
	s->queued = 0;
	rcu_read_lock();
	sighand = lock_task_sighand(task, &flags);
	if (sighand) {
		s->pending = task->pending.signal;
		s->shared_pending = task->signal->shared_pending.signal;
		s->blocked = task->blocked;
		s->queued = (unsigned)atomic_read(&task->cred->user->sigpending);
		for (int sig = 1; sig <= _NSIG; sig++) {
			const void *handler = sighand->action[sig - 1].handler;

			if (handler == SIG_IGN)
				s->ignored |= SIG_BIT(sig);
			else if (handler != SIG_DFL)
				s->caught |= SIG_BIT(sig);
		}
		tty = task->signal->tty;
		if (tty) {
			/* RCU keeps the struct pid, which may be replaced at any time. */
			const struct pid *pgrp = READ_ONCE(tty->pgrp);

			s->tty = tty_device(tty);
			s->tty_pgrp = pgrp ? pgrp->nr : -1;
		}
		unlock_task_sighand(task, flags);
	}
	rcu_read_unlock();
}

/* Copies what tasklist_lock protects. */
static void snapshot_process(struct task_struct *task, struct task_snapshot *s, bool thread)
{
	memset(&s->usage, 0, sizeof(s->usage));
	memset(&s->children, 0, sizeof(s->children));
	spin_lock(&tasklist_lock);
	s->ppid = task->signal->ppid;
	s->tracer = task->tracee ? task->tracee->tracer->pid : 0;
	s->pgrp = task_pgrp_nr(task);
	s->session = task_session_nr(task);
	s->exit_signal = task->exit_signal;
	s->threads = task->signal->nr_threads;
	if (thread) {
		add_task_usage(&s->usage, task);
	} else {
		process_usage(task, &s->usage);
		s->children = task->signal->children;
	}
	spin_unlock(&tasklist_lock);
}

static int task_snapshot(const struct proc_object *object, struct task_snapshot *s)
{
	struct task_struct *task = object->task;
	unsigned long flags;

	if (!proc_task_alive(task))
		return -ESRCH;
	snapshot_process(task, s, object->thread);
	snapshot_signals(task, s);

	spin_lock_irqsave(&task->lock, flags);
	memcpy(s->comm, task->comm, sizeof(s->comm));
	s->policy = task->policy;
	s->prio = effective_prio(task) - MAX_RT_PRIO;
	/* migration/N shows 99, as in Linux. */
	s->rt_priority = min(task->normal_rt_priority, MAX_RT_PRIO - 1);
	s->nice = task->nice;
	for (unsigned i = 0; i < ARRAY_SIZE(s->cpus_allowed.bits); i++)
		s->cpus_allowed.bits[i] = task->cpus_allowed.bits[i] & cpu_possible_mask.bits[i];
	spin_unlock_irqrestore(&task->lock, flags);

	/* Read without the run queue's lock, under which they are written. Each is one load. */
	s->cpu = READ_ONCE(task->cpu);
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
	case 'T':
		return "T (stopped)";
	case 't':
		return "t (tracing stop)";
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
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	char comm[TASK_COMM_LEN];
	unsigned long flags;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	spin_lock_irqsave(&task->lock, flags);
	memcpy(comm, task->comm, sizeof(comm));
	spin_unlock_irqrestore(&task->lock, flags);
	seq_printf(m, "%s\n", comm);
	return 0;
}

/*
 * Shows which functions the task calls while a live patch is enabled or disabled: 0 the old ones, 1
 * the new ones. -1: no transition runs.
 */
int proc_pid_patch_state(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	seq_printf(m, "%d\n", READ_ONCE(task->patch_state));
	return 0;
}

static void put_number(struct seq_file *m, u64 value)
{
	seq_put_decimal_ull_width(m, " ", value, 0);
}

/*
 * Numbers 26 to 28, or 45 to 51: addresses in the program. Others may not know them, and see
 * `hidden`.
 */
static void put_addresses(struct seq_file *m, const unsigned long *addresses, unsigned n, bool show,
			  unsigned long hidden)
{
	for (unsigned i = 0; i < n; i++)
		put_number(m, show ? addresses[i] : hidden);
}

/* proc(5), /proc/PID/stat: 52 fields. */
int proc_pid_stat(struct seq_file *m, void *v)
{
	const struct proc_object *object = m->private;
	struct task_struct *task = object->task;
	struct task_snapshot s;
	struct mm_struct *mm;
	int err = task_snapshot(object, &s);
	bool permitted = ptrace_may_access(task, PTRACE_MODE_READ_FSCREDS);
	unsigned long vsize = 0, rss = 0, code[3] = { 0 }, data[7] = { 0 };

	(void)v;
	if (err)
		return err;
	mm = get_task_mm(task);
	if (mm) {
		vsize = mm->total_vm << PAGE_SHIFT;
		rss = get_mm_rss(mm);
		code[0] = mm->start_code;
		code[1] = mm->end_code;
		code[2] = mm->start_stack;
		data[0] = mm->start_data;
		data[1] = mm->end_data;
		data[2] = mm->start_brk;
		data[3] = mm->arg_start;
		data[4] = mm->arg_end;
		data[5] = mm->env_start;
		data[6] = mm->env_end;
		mmput(mm);
	}
	seq_printf(m, "%d (%s) %c %d %d %d %u %d %u", task->pid, s.comm, s.state, s.ppid, s.pgrp,
		   s.session, s.tty, s.tty_pgrp, READ_ONCE(task->flags));
	put_number(m, s.usage.min_flt);
	put_number(m, s.children.min_flt);
	put_number(m, s.usage.maj_flt);
	put_number(m, s.children.maj_flt);
	put_number(m, s.usage.utime / NSEC_PER_USER_TICK);
	put_number(m, s.usage.stime / NSEC_PER_USER_TICK);
	put_number(m, s.children.utime / NSEC_PER_USER_TICK);
	put_number(m, s.children.stime / NSEC_PER_USER_TICK);
	seq_printf(m, " %d %d %d 0", s.prio, s.nice, s.threads);
	put_number(m, task->start_time / NSEC_PER_USER_TICK);
	put_number(m, vsize);
	put_number(m, rss);
	put_number(m, READ_ONCE(task->signal->rlim[RLIMIT_RSS].rlim_cur));
	put_addresses(m, code, 2, permitted, mm ? 1 : 0);
	put_addresses(m, code + 2, 1, permitted, 0);
	seq_puts(m, " 0 0");
	put_number(m, s.pending & SIGNALS_ALL);
	put_number(m, s.blocked & SIGNALS_ALL);
	put_number(m, s.ignored & SIGNALS_ALL);
	put_number(m, s.caught & SIGNALS_ALL);
	seq_puts(m, permitted && s.state != 'R' ? " 1 0 0" : " 0 0 0");
	seq_printf(m, " %d %u %d %u 0 0 0", s.exit_signal, s.cpu, s.rt_priority,
		   (unsigned)s.policy);
	put_addresses(m, data, ARRAY_SIZE(data), permitted, 0);
	seq_printf(m, " %d\n", permitted ? READ_ONCE(task->exit_code) : 0);
	return 0;
}

static void show_creds(struct seq_file *m, struct task_struct *task)
{
	const struct cred *cred = get_task_cred(task);
	const struct group_info *groups = cred->group_info;

	seq_printf(m, "Uid:\t%u\t%u\t%u\t%u\n", cred->uid, cred->euid, cred->suid, cred->fsuid);
	seq_printf(m, "Gid:\t%u\t%u\t%u\t%u\n", cred->gid, cred->egid, cred->sgid, cred->fsgid);
	seq_printf(m, "FDSize:\t%u\nGroups:\t", task_fd_size(task));
	for (unsigned i = 0; i < groups->ngroups; i++)
		seq_printf(m, "%s%u", i ? " " : "", groups->gid[i]);
	seq_puts(m, " \n");
	put_cred(cred);
}

static void show_set(struct seq_file *m, const char *name, u64 set)
{
	seq_printf(m, "%s:\t%016llx\n", name, (unsigned long long)set);
}

static void show_capabilities(struct seq_file *m, struct task_struct *task)
{
	const struct cred *cred = get_task_cred(task);

	show_set(m, "CapInh", cred->cap_inheritable);
	show_set(m, "CapPrm", cred->cap_permitted);
	show_set(m, "CapEff", cred->cap_effective);
	show_set(m, "CapBnd", cred->cap_bset);
	show_set(m, "CapAmb", cred->cap_ambient);
	put_cred(cred);
	seq_printf(m, "NoNewPrivs:\t%d\nSeccomp:\t%d\nSeccomp_filters:\t%u\n",
		   READ_ONCE(task->no_new_privs), READ_ONCE(task->seccomp.mode),
		   READ_ONCE(task->seccomp.mode) ? seccomp_ops->count(task) : 0);
}

static void show_signals(struct seq_file *m, struct task_struct *task,
			 const struct task_snapshot *s)
{
	seq_printf(m, "Threads:\t%d\nSigQ:\t%u/%lu\n", s->threads, s->queued,
		   READ_ONCE(task->signal->rlim[RLIMIT_SIGPENDING].rlim_cur));
	show_set(m, "SigPnd", s->pending);
	show_set(m, "ShdPnd", s->shared_pending);
	show_set(m, "SigBlk", s->blocked);
	show_set(m, "SigIgn", s->ignored);
	show_set(m, "SigCgt", s->caught);
}

int proc_pid_status(struct seq_file *m, void *v)
{
	const struct proc_object *object = m->private;
	struct task_struct *task = object->task;
	struct task_snapshot s;
	struct mm_struct *mm;
	char cpus[NR_CPUS + NR_CPUS / 8 + 8];
	int err = task_snapshot(object, &s);

	(void)v;
	if (err)
		return err;
	seq_printf(m, "Name:\t%s\nUmask:\t%04o\nState:\t%s\n", s.comm, get_task_umask(task),
		   state_text(s.state));
	seq_printf(m, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n", task->tgid,
		   task->pid, s.ppid, s.tracer);
	show_creds(m, task);
	seq_printf(m, "NStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\n", task->tgid, task->pid,
		   s.pgrp, s.session);
	mm = get_task_mm(task);
	if (mm) {
		proc_show_mm_status(m, mm);
		mmput(mm);
		seq_printf(m, "CoreDumping:\t%d\n", READ_ONCE(task->signal->core_state) != NULL);
	}
	show_signals(m, task, &s);
	show_capabilities(m, task);
	cpumask_print(cpus, sizeof(cpus), &s.cpus_allowed);
	seq_printf(m, "Cpus_allowed:\t%s\n", cpus);
	cpulist_print(cpus, sizeof(cpus), &s.cpus_allowed);
	seq_printf(m, "Cpus_allowed_list:\t%s\nMems_allowed:\t1\nMems_allowed_list:\t0\n", cpus);
	seq_printf(m, "voluntary_ctxt_switches:\t%llu\nnonvoluntary_ctxt_switches:\t%llu\n",
		   (unsigned long long)s.nvcsw, (unsigned long long)s.nivcsw);
	return 0;
}
