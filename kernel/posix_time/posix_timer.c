/*
 * POSIX timers: timer_create(2) and its kin.
 *
 * A timer that expires queues its signal, and stops. A periodic timer starts again when the program
 * takes the signal; the periods that have passed until then are its overrun. So a timer has at most
 * one signal in the queues, whose memory (struct sigqueue) it got at its creation.
 *
 * A timer is armed: it will expire; or waits for its signal to be taken (`rearm`); or is off. All
 * of this is protected by the siglock of its process, which the function of the timer takes, too.
 */
#include "kernel/posix_time/posix_timer.h"

#include "arch/mm/uaccess.h"
#include "kernel/mm/slab.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/task/signal_struct.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/timekeeping.h"

#define SIGEV_SIGNAL    0
#define SIGEV_NONE      1
#define SIGEV_THREAD    2 /* the C library makes a thread; to the kernel it is SIGEV_SIGNAL */
#define SIGEV_THREAD_ID 4

#define MIN_REARM (4 * NSEC_PER_MSEC) /* for a timer whose signal is ignored */

typedef int timer_t;

/* struct sigevent as programs pass it: timer_create(2). */
struct sigevent {
	u64 sigev_value;
	int sigev_signo;
	int sigev_notify;
	int sigev_tid;
	u8 pad[44];
};
BUILD_BUG_ON(sizeof(struct sigevent) != 64);

/* Legend: [S] siglock of the process; [C] constant. */
struct k_itimer {
	struct list_head node;    /* [S] in signal->posix_timers */
	int id;                   /* [C] */
	clockid_t clock;          /* [C] */
	int notify;               /* [C] SIGEV_* */
	struct task_struct *task; /* [C] gets the signal, alone or for its process; counted */
	struct sigqueue *q;       /* [C] */
	struct cpu_clock cpu;     /* [C] task NULL: the clock is none of CPU time */
	struct timer_list timer;  /* of other clocks; set and stopped under S */
	u64 interval;             /* [S] ns */
	enum timer_clock on;      /* [S] the clock of `due`, unless it is one of CPU time */
	u64 due;                  /* [S] what that clock shows then */
	bool armed, rearm;        /* [S] */
	struct rb_node cpu_node;  /* [S] armed, on a clock of CPU time: in signal->cpu_timers */
	int overrun;              /* [S] of the signal that was taken last */
};

/*
 * What its clock shows; that of a process: what it showed last (last_process_clock()). If the
 * process has run since, the overrun lacks that, and the next tick fires the timer again. [S].
 */
static u64 clock_of(const struct k_itimer *t)
{
	if (!t->cpu.task)
		return read_timer_clock(t->on);
	return t->cpu.thread ? cpu_clock_read_locked(&t->cpu)
			     : last_process_clock(t->cpu.task, t->cpu.which);
}

/* The order of clocks in signal->cpu_timers: as strcmp(3). */
static int compare_clocks(const struct cpu_clock *a, const struct cpu_clock *b)
{
	const struct task_struct *thread_a = a->thread ? a->task : NULL;
	const struct task_struct *thread_b = b->thread ? b->task : NULL;

	if (thread_a != thread_b)
		return thread_a < thread_b ? -1 : 1;
	return (int)a->which - (int)b->which;
}

/* The tree is sorted by clock, then by time, so that those which are not due are not looked at. */
static void add_cpu_timer(struct k_itimer *t, struct rb_root *root)
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		struct k_itimer *other = rb_entry(*link, struct k_itimer, cpu_node);
		int order = compare_clocks(&t->cpu, &other->cpu);

		parent = *link;
		link = order < 0 || (!order && t->due < other->due) ? &parent->rb_left
								    : &parent->rb_right;
	}
	rb_link_node(&t->cpu_node, parent, link);
	rb_insert_color(&t->cpu_node, root);
}

/* The earliest timer on that clock; NULL: none. [S]. */
static struct k_itimer *first_cpu_timer(const struct cpu_clock *clock)
{
	struct rb_node *node = clock->task->signal->cpu_timers.rb_node;
	struct k_itimer *first = NULL;

	while (node) {
		struct k_itimer *t = rb_entry(node, struct k_itimer, cpu_node);
		int order = compare_clocks(clock, &t->cpu);

		if (!order)
			first = t;
		node = order <= 0 ? node->rb_left : node->rb_right;
	}
	return first;
}

u64 posix_cpu_timers_next(const struct cpu_clock *clock)
{
	struct k_itimer *t = first_cpu_timer(clock);

	return t ? t->due : KTIME_MAX;
}

/* [S]. `due` of a timer that is on does not change. */
static void set_armed(struct k_itimer *t, bool on)
{
	struct signal_struct *signal = t->task->signal;

	if (t->cpu.task && t->armed)
		rb_erase(&t->cpu_node, &signal->cpu_timers);
	if (t->cpu.task && on) {
		add_cpu_timer(t, &signal->cpu_timers);
		if (!t->cpu.thread)
			process_timer_set(signal);
	}
	t->armed = on;
	if (t->cpu.task || t->notify == SIGEV_NONE)
		return;
	if (on)
		mod_timer_on(&t->timer, t->on, t->due);
	else
		del_timer(&t->timer);
}

/*
 * Moves `due` behind now in whole intervals. Returns how many of them have been missed. As on
 * Linux, a timer whose clock was set back after it had expired expires at that time again. [S].
 */
static u64 forward(struct k_itimer *t, u64 now)
{
	u64 missed;

	if (now < t->due)
		return 0;
	missed = (now - t->due) / t->interval;
	if (__builtin_add_overflow(t->due, (missed + 1) * t->interval, &t->due))
		t->due = KTIME_MAX - 1;
	return missed;
}

/* It is due. [S]. */
static void fire(struct k_itimer *t)
{
	enum pid_type type = t->notify & SIGEV_THREAD_ID ? PIDTYPE_PID : PIDTYPE_TGID;
	u64 now;

	set_armed(t, false);
	if (t->notify == SIGEV_NONE || !t->task->sighand) /* or its thread has ended */
		return;
	if (!send_sigqueue_locked(t->q, t->task, type)) {
		t->rearm = t->interval != 0;
	} else if (t->interval) { /* ignored; the program may want it later */
		now = clock_of(t);
		forward(t, t->interval < MIN_REARM ? now + MIN_REARM : now);
		set_armed(t, true);
	}
}

/* The program takes the signal. [S]. */
static void signal_taken(struct sigqueue *q, struct siginfo *info)
{
	struct k_itimer *t = q->owner;

	if (!t->rearm)
		return;
	t->rearm = false;
	info->si_overrun += (int)min(forward(t, clock_of(t)), (u64)INT32_MAX / 2);
	t->overrun = info->si_overrun;
	set_armed(t, true);
}

static void timer_expired(struct timer_list *timer)
{
	struct k_itimer *t = container_of(timer, struct k_itimer, timer);
	unsigned long flags;

	if (!lock_task_sighand(t->task, &flags))
		return;
	if (t->armed && !timer_pending(timer)) /* it may have been set again since */
		fire(t);
	unlock_task_sighand(t->task, flags);
}

void posix_cpu_timers_expire(const struct cpu_clock *clock, u64 now)
{
	struct k_itimer *t;

	do { /* ends: a timer that fires is off, or set to a time after now */
		spin_lock_irq(&current->sighand->siglock);
		t = first_cpu_timer(clock);
		if (t && t->due > now)
			t = NULL;
		if (t)
			fire(t);
		spin_unlock_irq(&current->sighand->siglock);
	} while (t);
}

/* ---- making and deleting ---- */

/* The timer with that number, with siglock held; NULL: there is none, nothing held. */
static struct k_itimer *lock_timer(int id)
{
	struct k_itimer *t;

	spin_lock_irq(&current->sighand->siglock);
	list_for_each_entry (t, &current->signal->posix_timers, node)
		if (t->id == id)
			return t;
	spin_unlock_irq(&current->sighand->siglock);
	return NULL;
}

static void unlock_timer(void)
{
	spin_unlock_irq(&current->sighand->siglock);
}

/*
 * lock_timer() for a call that needs what the clock shows at present; sets: also if the timer is
 * off. Asks all threads of the process before it takes siglock, because siglock keeps interrupts
 * off.
 */
static struct k_itimer *lock_timer_read_clock(int id, bool sets)
{
	struct k_itimer *t = lock_timer(id);
	unsigned which;

	if (!t || !t->cpu.task || t->cpu.thread || (!t->armed && !t->rearm && !sets))
		return t;
	which = t->cpu.which;
	unlock_timer();
	read_process_clock(which);
	return lock_timer(id);
}

/* Takes the timer out of the list; siglock held, released. */
static void delete_locked(struct k_itimer *t)
{
	set_armed(t, false);
	list_del(&t->node);
	if (t->q)
		sigqueue_disown(t->q);
	unlock_timer();
	del_timer_sync(&t->timer);
	put_cpu_clock(&t->cpu);
	put_task_struct(t->task);
	kfree(t);
}

void exit_posix_timers(void)
{
	struct list_head *timers = &current->signal->posix_timers;

	while (!list_empty(timers)) {
		spin_lock_irq(&current->sighand->siglock);
		delete_locked(list_first_entry(timers, struct k_itimer, node));
	}
}

/* Finds the task or group that gets the signal, counted. NULL: the event is not valid. */
static struct task_struct *event_target(const struct sigevent *event)
{
	struct task_struct *p;

	if (event->sigev_notify == SIGEV_NONE)
		return get_task_struct(current->group_leader);
	if (event->sigev_signo <= 0 || event->sigev_signo > _NSIG)
		return NULL;
	if (event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD)
		return get_task_struct(current->group_leader);
	if (event->sigev_notify != SIGEV_THREAD_ID)
		return NULL;
	p = find_get_task_by_pid(event->sigev_tid);
	if (p && p->signal != current->signal) {
		put_task_struct(p);
		p = NULL;
	}
	return p;
}

/* 0; -EINVAL: no such clock; -EOPNOTSUPP: it has no timers. */
static int check_clock(clockid_t clock)
{
	u64 now;

	switch (clock) {
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
		return -EOPNOTSUPP;
	}
	return clock_now(clock, &now);
}

/* Gives the timer a number that no other timer of the process has. siglock held. */
static void number_timer(struct k_itimer *t)
{
	struct signal_struct *signal = current->signal;
	struct k_itimer *other;
	bool used;

	do {
		t->id = signal->next_timer_id;
		signal->next_timer_id = t->id == INT32_MAX ? 0 : t->id + 1;
		used = false;
		list_for_each_entry (other, &signal->posix_timers, node)
			used |= other->id == t->id;
	} while (used);
	list_add_tail(&t->node, &signal->posix_timers);
}

static struct k_itimer *alloc_timer(clockid_t clock, const struct sigevent *event)
{
	struct k_itimer *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int err = -EAGAIN;

	if (!t)
		return ERR_PTR(-EAGAIN);
	t->clock = clock;
	t->notify = event->sigev_notify;
	hrtimer_setup(&t->timer, timer_expired, clock, false);
	t->q = sigqueue_alloc(signal_taken, t);
	if (!t->q)
		goto free;
	err = is_cpu_clock(clock) ? get_cpu_clock(clock, false, &t->cpu) : 0;
	if (!err && t->cpu.task && t->cpu.task->signal != current->signal)
		err = -EINVAL; /* nop5: only of the own process */
	t->task = err ? NULL : event_target(event);
	if (t->task)
		return t;
	err = err ? err : -EINVAL;
	spin_lock_irq(&current->sighand->siglock);
	sigqueue_disown(t->q);
	spin_unlock_irq(&current->sighand->siglock);
	put_cpu_clock(&t->cpu);
	/*
	 * LAB 20, unmarked, 1 of 5: with or without its signal. Starts as:
	 * free:
	 * if (t->q)
	 *	kfree(t);
	 */
free:
	kfree(t);
	/* END LAB 20 */
	return ERR_PTR(err);
}

/* Restricted: CPU clocks of the own process only. */
SYSCALL_DEFINE3(timer_create, const clockid_t, which_clock, struct sigevent *, timer_event_spec,
		timer_t *, created_timer_id)
{
	struct sigevent event = { .sigev_signo = SIGALRM, .sigev_notify = SIGEV_SIGNAL };
	struct k_itimer *t;
	int id, err;

	if (timer_event_spec && copy_from_user(&event, timer_event_spec, sizeof(event)))
		return -EFAULT;
	err = check_clock(which_clock);
	if (err)
		return err;
	t = alloc_timer(which_clock, &event);
	if (IS_ERR(t))
		return PTR_ERR(t);
	spin_lock_irq(&current->sighand->siglock);
	number_timer(t);
	id = t->id;
	init_siginfo(&t->q->info, event.sigev_signo, SI_TIMER);
	t->q->info.si_tid = id;
	t->q->info.si_timer_value = timer_event_spec ? event.sigev_value : (u64)id;
	unlock_timer();
	if (!put_user(id, created_timer_id))
		return 0;
	t = lock_timer(id);
	if (t)
		delete_locked(t);
	return -EFAULT;
}

SYSCALL_DEFINE1(timer_delete, timer_t, timer_id)
{
	struct k_itimer *t = lock_timer(timer_id);

	if (!t)
		return -EINVAL;
	delete_locked(t);
	return 0;
}

/* ---- setting and asking ---- */

/* siglock held. */
static struct __kernel_itimerspec time_left(struct k_itimer *t)
{
	struct __kernel_itimerspec left = { .it_interval = ns_to_timespec(t->interval) };
	u64 now, due = t->due;

	if (!t->armed && !t->rearm)
		return left;
	now = clock_of(t);
	if (due <= now && t->interval && (t->rearm || t->notify == SIGEV_NONE))
		due += ((now - due) / t->interval + 1) * t->interval;
	if (due > now)
		left.it_value = ns_to_timespec(due - now);
	else if (t->notify != SIGEV_NONE)
		left.it_value = ns_to_timespec(1); /* about to expire, but not off */
	return left;
}

/* siglock held. */
static void set_cpu_timer(struct k_itimer *t, bool absolute, u64 value)
{
	u64 now = clock_of(t);

	if (absolute)
		t->due = value;
	else
		t->due = value < KTIME_MAX - 1 - now ? now + value : KTIME_MAX - 1;
	set_armed(t, true);
	if (now >= t->due)
		fire(t);
}

/* siglock held. */
static void set_timer(struct k_itimer *t, bool absolute, u64 value, u64 interval)
{
	struct deadline end;

	set_armed(t, false);
	t->rearm = false;
	t->overrun = 0;
	t->interval = value ? interval : 0;
	if (!value)
		return;
	if (t->cpu.task) {
		set_cpu_timer(t, absolute, value);
		return;
	}
	end = make_deadline(t->clock, absolute, value);
	t->on = end.clock;
	t->due = end.time;
	set_armed(t, true);
}

SYSCALL_DEFINE4(timer_settime, timer_t, timer_id, int, flags, const struct __kernel_itimerspec *,
		new_setting, struct __kernel_itimerspec *, old_setting)
{
	struct __kernel_itimerspec new, old;
	struct k_itimer *t;

	if (!new_setting)
		return -EINVAL;
	if (copy_from_user(&new, new_setting, sizeof(new)))
		return -EFAULT;
	if (!timespec_valid(&new.it_value) || !timespec_valid(&new.it_interval))
		return -EINVAL;
	t = lock_timer_read_clock(timer_id, timespec_to_ns(&new.it_value));
	if (!t)
		return -EINVAL;
	old = time_left(t);
	set_timer(t, flags & TIMER_ABSTIME, timespec_to_ns(&new.it_value),
		  timespec_to_ns(&new.it_interval));
	unlock_timer();
	return old_setting && copy_to_user(old_setting, &old, sizeof(old)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(timer_gettime, timer_t, timer_id, struct __kernel_itimerspec *, setting)
{
	struct k_itimer *t = lock_timer_read_clock(timer_id, false);
	struct __kernel_itimerspec left;

	if (!t)
		return -EINVAL;
	left = time_left(t);
	unlock_timer();
	return copy_to_user(setting, &left, sizeof(left)) ? -EFAULT : 0;
}

SYSCALL_DEFINE1(timer_getoverrun, timer_t, timer_id)
{
	struct k_itimer *t = lock_timer(timer_id);
	int overrun;

	if (!t)
		return -EINVAL;
	overrun = t->overrun;
	unlock_timer();
	return overrun;
}
