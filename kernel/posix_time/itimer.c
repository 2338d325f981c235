/*
 * alarm(2), setitimer(2): a timer of real time for each process, whose function is a softirq's, and
 * two of CPU time, which the tick watches (cpu_timer.c).
 *
 * The timer of real time expires once. A periodic one starts again when the program takes the
 * signal. So an interval of a microsecond costs no more than the program spends on its signals.
 */
#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/posix_time/clock.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/posix_time/posix_timer.h"
#include "kernel/process/part.h"
#include "kernel/task/signal_struct.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2

struct __kernel_old_itimerval {
	struct __kernel_old_timeval it_interval, it_value;
};

static void it_real_fn(struct timer_list *timer)
{
	struct signal_struct *signal = container_of(timer, struct signal_struct, real_timer);
	struct siginfo info;

	init_siginfo(&info, SIGALRM, SI_KERNEL);
	(void)do_send_sig_info(&info, signal->it_task, PIDTYPE_TGID);
}

/* sigalrm_taken_hook. */
static void restart_real_timer(struct signal_struct *signal)
{
	struct timer_list *timer = &signal->real_timer;
	u64 interval = signal->it_real_incr, missed;
	ktime_t now = ktime_get();

	if (!interval || timer_pending(timer))
		return;
	missed = now > timer->expires ? (now - timer->expires) / interval : 0;
	mod_timer(timer, timer->expires + (missed + 1) * interval);
}

/* No SIGALRM starts it again, and its function has returned. */
static void stop_timer(struct signal_struct *signal)
{
	spin_lock_irq(&current->sighand->siglock);
	signal->it_real_incr = 0;
	spin_unlock_irq(&current->sighand->siglock);
	if (READ_ONCE(signal->it_task))
		del_timer_sync(&signal->real_timer);
}

/* value 0: off. */
static void start_timer(struct signal_struct *signal, u64 value, u64 interval)
{
	spin_lock_irq(&current->sighand->siglock);
	if (!signal->it_task) {
		hrtimer_setup(&signal->real_timer, it_real_fn, CLOCK_MONOTONIC, true);
		WRITE_ONCE(signal->it_task, get_task_struct(current->group_leader));
	}
	signal->it_real_incr = value ? interval : 0;
	if (value)
		mod_timer(&signal->real_timer, ktime_get() + value);
	else
		del_timer(&signal->real_timer); /* another thread may have set it since */
	spin_unlock_irq(&current->sighand->siglock);
}

/* The process ends: stops all its timers, and waits for their functions. */
static void exit_timers(void)
{
	struct signal_struct *signal = current->signal;

	stop_timer(signal);
	if (signal->it_task)
		put_task_struct(signal->it_task);
	signal->it_task = NULL;
	exit_posix_timers();
}

/* exec(2): the timer of the process goes on. */
static void move_to_new_leader(void)
{
	struct signal_struct *signal = current->signal;
	bool pending;

	if (!signal->it_task || signal->it_task == current)
		return;
	pending = del_timer_sync(&signal->real_timer);
	put_task_struct(signal->it_task);
	signal->it_task = get_task_struct(current);
	if (pending)
		mod_timer(&signal->real_timer, signal->real_timer.expires);
}

/* What is left of the timer, in ns; 0: it is off. */
static u64 time_left(struct signal_struct *signal)
{
	ktime_t now = ktime_get(), end = READ_ONCE(signal->real_timer.expires);

	if (!signal->it_task || !timer_pending(&signal->real_timer))
		return 0;
	return end > now ? end - now : NSEC_PER_USEC; /* about to expire, but not off */
}

/* Sets the timer, 0: off. Gives what was left before. */
static u64 set_real_timer(u64 value, u64 interval, u64 *old_interval)
{
	struct signal_struct *signal = current->signal;
	u64 left = time_left(signal);

	*old_interval = READ_ONCE(signal->it_real_incr);
	stop_timer(signal);
	start_timer(signal, value, interval);
	return left;
}

SYSCALL_DEFINE1(alarm, unsigned int, seconds)
{
	u64 old_interval, left = set_real_timer(seconds * NSEC_PER_SEC, 0, &old_interval);

	/* Rounded, but never to 0 while a time is left. */
	return left ? (long)max((left + NSEC_PER_SEC / 2) / NSEC_PER_SEC, 1UL) : 0;
}

static struct __kernel_old_timeval to_timeval(u64 ns)
{
	return (struct __kernel_old_timeval){ (s64)(ns / NSEC_PER_SEC),
					      (s64)(ns % NSEC_PER_SEC / NSEC_PER_USEC) };
}

static bool timeval_to_ns(const struct __kernel_old_timeval *tv, u64 *ns)
{
	if (tv->tv_sec < 0 || tv->tv_usec < 0 || tv->tv_usec >= 1000000)
		return false;
	*ns = min((u64)tv->tv_sec, KTIME_MAX / NSEC_PER_SEC / 4) * NSEC_PER_SEC +
	      (u64)tv->tv_usec * NSEC_PER_USEC;
	return true;
}

static unsigned clock_of_itimer(int which)
{
	return which == ITIMER_VIRTUAL ? CPUCLOCK_VIRT : CPUCLOCK_PROF;
}

/*
 * What is left of ITIMER_VIRTUAL or ITIMER_PROF. siglock held; the clock has been read since the
 * beginning of the system call.
 */
static u64 cpu_time_left(int which, u64 *now)
{
	u64 end = current->signal->it[which - ITIMER_VIRTUAL].expires;

	*now = last_process_clock(current, clock_of_itimer(which));
	if (!end)
		return 0;
	return end > *now ? end - *now : USER_TICK_NS; /* the next tick sends the signal */
}

/* Sets one of them, 0: off. Gives what was left before. */
static u64 set_cpu_timer(int which, u64 value, u64 interval, u64 *old_interval)
{
	struct cpu_itimer *it = &current->signal->it[which - ITIMER_VIRTUAL];
	u64 now, left;

	read_process_clock(clock_of_itimer(which));
	spin_lock_irq(&current->sighand->siglock);
	left = cpu_time_left(which, &now);
	*old_interval = it->interval;
	/* Not before its time: the tick that has begun does not count. */
	it->expires = value ? now + value + USER_TICK_NS : 0;
	it->interval = interval;
	process_timer_set(current->signal);
	spin_unlock_irq(&current->sighand->siglock);
	return left;
}

SYSCALL_DEFINE2(getitimer, int, which, struct __kernel_old_itimerval *, value)
{
	struct __kernel_old_itimerval now = { 0 };

	if (which < ITIMER_REAL || which > ITIMER_PROF)
		return -EINVAL;
	if (which == ITIMER_REAL) {
		now.it_interval = to_timeval(READ_ONCE(current->signal->it_real_incr));
		now.it_value = to_timeval(time_left(current->signal));
	} else {
		u64 unused;

		read_process_clock(clock_of_itimer(which));
		spin_lock_irq(&current->sighand->siglock);
		now.it_value = to_timeval(cpu_time_left(which, &unused));
		now.it_interval = to_timeval(current->signal->it[which - ITIMER_VIRTUAL].interval);
		spin_unlock_irq(&current->sighand->siglock);
	}
	return copy_to_user(value, &now, sizeof(now)) ? -EFAULT : 0;
}

SYSCALL_DEFINE3(setitimer, int, which, struct __kernel_old_itimerval *, value,
		struct __kernel_old_itimerval *, ovalue)
{
	struct __kernel_old_itimerval new = { 0 }, old = { 0 };
	u64 ns, interval, left, old_interval;

	if (value && copy_from_user(&new, value, sizeof(new)))
		return -EFAULT;
	if (which < ITIMER_REAL || which > ITIMER_PROF || !timeval_to_ns(&new.it_value, &ns) ||
	    !timeval_to_ns(&new.it_interval, &interval))
		return -EINVAL;
	left = which == ITIMER_REAL ? set_real_timer(ns, interval, &old_interval)
				    : set_cpu_timer(which, ns, interval, &old_interval);
	old.it_value = to_timeval(left);
	old.it_interval = to_timeval(old_interval);
	return ovalue && copy_to_user(ovalue, &old, sizeof(old)) ? -EFAULT : 0;
}

static const struct process_part timers PROCESS_PART(timers) = {
	.exit = exit_timers,
	.exec = exit_posix_timers,
	.new_leader = move_to_new_leader,
};

static int __init itimer_init(void)
{
	sigalrm_taken_hook = restart_real_timer;
	return 0;
}
core_initcall(itimer_init);
