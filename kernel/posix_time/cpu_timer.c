/*
 * What happens when a program has used a certain time of the CPU: ITIMER_VIRTUAL and ITIMER_PROF,
 * RLIMIT_CPU, RLIMIT_RTTIME, POSIX timers on CPU clocks. The tick looks, so they come up to a tick
 * late.
 */
#include "kernel/init.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/posix_time/posix_timer.h"
#include "kernel/task/signal_struct.h"
#include "kernel/signal/signal.h"
#include "kernel/time/ktime.h"

static void send(struct task_struct *p, int sig)
{
	struct siginfo info;

	init_siginfo(&info, sig, SI_KERNEL);
	(void)send_signal_locked(&info, p, PIDTYPE_TGID, true);
}

/* siglock held. */
static void check_itimer(struct task_struct *p, struct cpu_itimer *it, unsigned which, int sig)
{
	const struct cpu_clock clock = { .task = p, .which = which };

	if (!it->expires || cpu_clock_read_locked(&clock) < it->expires)
		return;
	it->expires = it->interval ? it->expires + it->interval : 0;
	send(p, sig);
}

/* SIGXCPU at the soft limit and each second after it, SIGKILL at the hard one. siglock held. */
static void check_limit(struct task_struct *p)
{
	const struct cpu_clock clock = { .task = p, .which = CPUCLOCK_PROF };
	struct rlimit *limit = &p->signal->rlim[RLIMIT_CPU];
	unsigned long soft = READ_ONCE(limit->rlim_cur), hard = READ_ONCE(limit->rlim_max);
	u64 seconds;

	if (soft == RLIM_INFINITY)
		return;
	seconds = cpu_clock_read_locked(&clock) / NSEC_PER_SEC;
	if (seconds >= hard) {
		send(p, SIGKILL);
	} else if (seconds >= soft) {
		send(p, SIGXCPU);
		WRITE_ONCE(limit->rlim_cur, soft + 1);
	}
}

/* The time in us that p, a real-time task, has run since a tick after its last sleep. */
static u64 time_without_sleep(struct task_struct *p)
{
	u64 runtime = task_sched_runtime(p);

	if (!p->rt_run_counted || p->rt_run_nvcsw != p->nvcsw) {
		p->rt_run_counted = true;
		p->rt_run_nvcsw = p->nvcsw;
		p->rt_run_start = runtime;
	}
	return (runtime - p->rt_run_start) / NSEC_PER_USEC;
}

/* The same as check_limit() for a real-time task that does not sleep. siglock held. */
static void check_rt_limit(struct task_struct *p)
{
	struct rlimit *limit = &p->signal->rlim[RLIMIT_RTTIME];
	unsigned long soft = READ_ONCE(limit->rlim_cur), hard = READ_ONCE(limit->rlim_max);
	u64 us;

	if (soft == RLIM_INFINITY || !rt_policy(p->policy)) {
		p->rt_run_counted = false;
		return;
	}
	us = time_without_sleep(p);
	if (us >= hard) {
		send(p, SIGKILL);
	} else if (us >= soft) {
		send(p, SIGXCPU);
		WRITE_ONCE(limit->rlim_cur, soft + NSEC_PER_SEC / NSEC_PER_USEC);
	}
}

static bool has_no_limit(const struct signal_struct *signal, unsigned resource)
{
	return READ_ONCE(signal->rlim[resource].rlim_cur) == RLIM_INFINITY;
}

/* The tick has interrupted p. Interrupts off. */
static void run_cpu_timers(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	unsigned long flags;

	if (likely(!signal->it[0].expires && !signal->it[1].expires && !signal->nr_cpu_timers &&
		   has_no_limit(signal, RLIMIT_CPU) && has_no_limit(signal, RLIMIT_RTTIME)))
		return;
	if ((p->flags & PF_EXITING) || !lock_task_sighand(p, &flags))
		return;
	check_itimer(p, &signal->it[0], CPUCLOCK_VIRT, SIGVTALRM);
	check_itimer(p, &signal->it[1], CPUCLOCK_PROF, SIGPROF);
	check_limit(p);
	check_rt_limit(p);
	if (signal->nr_cpu_timers)
		posix_cpu_timers_expire(p);
	unlock_task_sighand(p, flags);
}

static int __init cpu_timers_init(void)
{
	sched_ops.program_tick = run_cpu_timers;
	return 0;
}
core_initcall(cpu_timers_init);
