/*
 * What happens when a program has used a certain time of the CPU: ITIMER_VIRTUAL and ITIMER_PROF,
 * RLIMIT_CPU, RLIMIT_RTTIME, POSIX timers on CPU clocks. The tick looks, so they come up to a tick
 * late. A task that the tick finds in a system call gets its signal when the call ends, however
 * long it sleeps there, as on Linux (CONFIG_POSIX_CPU_TIMERS_TASK_WORK, TWA_RESUME). Only that of
 * RLIMIT_RTTIME is sent by the tick itself.
 *
 * The clock of a process is the sum over its threads, and a program may have thousands of threads
 * and of timers. So the tick, with interrupts off, does not read it. The tick only asks whether a
 * timer may be due, and the task does the rest before it returns to the program (task_work), with
 * interrupts on: it reads each clock once, and fires one timer after the other.
 *
 * The time on a clock of a process cannot come earlier than if all CPUs ran threads of the process.
 * So after each reading the task notes until when nothing can be due (signal->cpu_check), and the
 * ticks before then cost nothing. The time in user mode has no such bound: it is a share of the
 * whole, and the share changes with each tick. While a timer waits for it, each tick asks.
 */
#include "kernel/init.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/posix_time/posix_timer.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/task_work.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/signal.h"
#include "kernel/time/timekeeping.h"

/* ---- the clocks of a process, as they were read last ---- */

static u64 *last_reading(struct task_struct *p, unsigned which)
{
	return &p->signal->cpu_time[which == CPUCLOCK_VIRT]; /* the other two are the same */
}

u64 read_process_clock(unsigned which)
{
	const struct cpu_clock clock = { .task = current, .which = which };
	u64 ns = cpu_clock_read(&clock), *last = last_reading(current, which);

	spin_lock_irq(&current->sighand->siglock);
	*last = max(*last, ns);
	spin_unlock_irq(&current->sighand->siglock);
	return ns;
}

u64 last_process_clock(struct task_struct *p, unsigned which)
{
	return *last_reading(p, which);
}

/* ---- limits and timers of a process ---- */

static void send(struct task_struct *p, int sig)
{
	struct siginfo info;

	init_siginfo(&info, sig, SI_KERNEL);
	(void)send_signal_locked(&info, p, PIDTYPE_TGID, true);
}

/* now: the time on its clock. siglock held. */
static void check_itimer(struct task_struct *p, struct cpu_itimer *it, u64 now, int sig)
{
	if (!it->expires || now < it->expires)
		return;
	it->expires = it->interval ? it->expires + it->interval : 0;
	send(p, sig);
}

/*
 * SIGXCPU at the soft limit and each second after it, SIGKILL at the hard one. now: the time of the
 * process. siglock held.
 */
static void check_limit(struct task_struct *p, u64 now)
{
	struct rlimit *limit = &p->signal->rlim[RLIMIT_CPU];
	unsigned long soft = READ_ONCE(limit->rlim_cur), hard = READ_ONCE(limit->rlim_max);
	u64 seconds = now / NSEC_PER_SEC;

	if (soft == RLIM_INFINITY)
		return;
	if (seconds >= hard) {
		send(p, SIGKILL);
	} else if (seconds >= soft) {
		send(p, SIGXCPU);
		WRITE_ONCE(limit->rlim_cur, soft + 1);
	}
}

/* The earliest time at which something happens on the clock of p's process. siglock held. */
static u64 next_on_clock(struct task_struct *p, unsigned which)
{
	const struct cpu_clock clock = { .task = p, .which = which };

	return posix_cpu_timers_next(&clock);
}

static u64 next_virtual(struct task_struct *p)
{
	u64 expires = p->signal->it[0].expires;

	return min(expires ? expires : KTIME_MAX, next_on_clock(p, CPUCLOCK_VIRT));
}

static u64 next_runtime(struct task_struct *p)
{
	u64 expires = p->signal->it[1].expires;
	u64 soft = READ_ONCE(p->signal->rlim[RLIMIT_CPU].rlim_cur);

	expires = min(expires ? expires : KTIME_MAX, next_on_clock(p, CPUCLOCK_PROF));
	expires = min(expires, next_on_clock(p, CPUCLOCK_SCHED));
	return min(expires, soft < KTIME_MAX / NSEC_PER_SEC ? soft * NSEC_PER_SEC : KTIME_MAX);
}

static void expire_on_clock(struct task_struct *p, unsigned which, u64 now)
{
	const struct cpu_clock clock = { .task = p, .which = which };

	posix_cpu_timers_expire(&clock, now);
}

/*
 * Claims the check of the process clocks for the current task. False: another thread has claimed
 * it, or nothing can be due yet. *until: other threads do not check before it.
 */
static bool take_turn(struct signal_struct *signal, ktime_t now, ktime_t *until)
{
	ktime_t check = READ_ONCE(signal->cpu_check);

	*until = now + USER_TICK_NS / 2;
	return now >= check && cmpxchg(&signal->cpu_check, check, *until) == check;
}

/*
 * Notes until when nothing can be due; runtime: what was read after start. If something has set
 * cpu_check to 0 since take_turn(), it stays 0: a limit changes without siglock. siglock held.
 */
static void note_next_check(struct task_struct *p, ktime_t start, u64 runtime, ktime_t until)
{
	u64 next = next_runtime(p), left = next > runtime ? next - runtime : 0;

	if (next_virtual(p) != KTIME_MAX)
		return;
	left = min(left / num_online_cpus(), KTIME_MAX - start);
	(void)cmpxchg(&p->signal->cpu_check, until, max(start + left, until));
}

static void check_process(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	u64 virtual = 0, runtime = 0;
	ktime_t now = ktime_get(), until;
	bool on_virtual, on_runtime;

	if (!take_turn(signal, now, &until))
		return;
	spin_lock_irq(&p->sighand->siglock);
	on_virtual = next_virtual(p) != KTIME_MAX;
	on_runtime = next_runtime(p) != KTIME_MAX;
	spin_unlock_irq(&p->sighand->siglock);
	if (on_virtual) { /* first the part, then the whole, which is never behind */
		virtual = read_process_clock(CPUCLOCK_VIRT);
		expire_on_clock(p, CPUCLOCK_VIRT, virtual);
	}
	if (on_runtime) {
		runtime = read_process_clock(CPUCLOCK_PROF);
		expire_on_clock(p, CPUCLOCK_PROF, runtime);
		expire_on_clock(p, CPUCLOCK_SCHED, runtime);
	}
	spin_lock_irq(&p->sighand->siglock);
	check_itimer(p, &signal->it[0], virtual, SIGVTALRM);
	check_itimer(p, &signal->it[1], runtime, SIGPROF);
	check_limit(p, runtime);
	note_next_check(p, now, runtime, until);
	spin_unlock_irq(&p->sighand->siglock);
}

/* ---- a thread ---- */

/* The time in us that p, a real-time task, has run since a tick after its last sleep. */
static u64 time_without_sleep(struct task_struct *p)
{
	u64 runtime = task_sched_runtime(p);

	if (!p->rt_run_start || p->rt_run_nvcsw != p->nvcsw) {
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
		p->rt_run_start = 0;
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

/* Whether a timer on a clock of p alone is due. p is the current task. siglock held. */
static bool thread_timer_is_due(struct task_struct *p)
{
	struct cpu_clock clock = { .task = p, .thread = true };
	u64 next;

	for (; clock.which <= CPUCLOCK_SCHED; clock.which++) {
		next = posix_cpu_timers_next(&clock);
		if (next != KTIME_MAX && cpu_clock_read_locked(&clock) >= next)
			return true;
	}
	return false;
}

static void check_thread(struct task_struct *p)
{
	struct cpu_clock clock = { .task = p, .thread = true };

	for (; clock.which <= CPUCLOCK_SCHED; clock.which++)
		posix_cpu_timers_expire(&clock, cpu_clock_read_locked(&clock));
}

/* ---- the tick ---- */

static void check_cpu_timers(struct callback_head *work)
{
	work->func = NULL; /* first: the next tick may ask again */
	if (current->flags & PF_EXITING)
		return;
	check_thread(current);
	check_process(current);
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
	bool due;

	if (likely(!signal->it[0].expires && !signal->it[1].expires &&
		   RB_EMPTY_ROOT(&signal->cpu_timers) && has_no_limit(signal, RLIMIT_CPU) &&
		   has_no_limit(signal, RLIMIT_RTTIME)))
		return;
	if ((p->flags & PF_EXITING) || !lock_task_sighand(p, &flags))
		return;
	check_rt_limit(p);
	due = ktime_get() >= READ_ONCE(signal->cpu_check) || thread_timer_is_due(p);
	unlock_task_sighand(p, flags);
	if (!due || p->cpu_timer_work.func)
		return;
	p->cpu_timer_work.func = check_cpu_timers; /* when p returns to its program */
	(void)task_work_add(p, &p->cpu_timer_work);
}

static int __init cpu_timers_init(void)
{
	sched_ops.program_tick = run_cpu_timers;
	return 0;
}
core_initcall(cpu_timers_init);
