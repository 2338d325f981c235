/*
 * What happens when a program has used a certain time of the CPU: ITIMER_VIRTUAL and ITIMER_PROF,
 * RLIMIT_CPU, POSIX timers on CPU clocks. The tick looks, so they come up to a tick late.
 */
#include "kernel/init.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/posix_time/posix_timer.h"
#include "kernel/process/signal_struct.h"
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

/* The tick has interrupted p. Interrupts off. */
static void run_cpu_timers(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	unsigned long flags;

	if (likely(!signal->it[0].expires && !signal->it[1].expires && !signal->nr_cpu_timers &&
		   signal->rlim[RLIMIT_CPU].rlim_cur == RLIM_INFINITY))
		return;
	if ((p->flags & PF_EXITING) || !lock_task_sighand(p, &flags))
		return;
	check_itimer(p, &signal->it[0], CPUCLOCK_VIRT, SIGVTALRM);
	check_itimer(p, &signal->it[1], CPUCLOCK_PROF, SIGPROF);
	check_limit(p);
	if (signal->nr_cpu_timers)
		posix_cpu_timers_expire(p);
	unlock_task_sighand(p, flags);
}

static int __init cpu_timers_init(void)
{
	sched_program_tick_hook = run_cpu_timers;
	return 0;
}
core_initcall(cpu_timers_init);
