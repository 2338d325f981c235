/*
 * Timers, and what this CPU's one-shot clock event is programmed for.
 *
 * Each CPU has a base: its pending timers in a tree by time. The local APIC timer is programmed for
 * the earliest of the first timer, the scheduler's tick and the lockup detector's check; its
 * interrupt raises TIMER_SOFTIRQ if a timer is due, and the softirq calls the functions with
 * interrupts on.
 *
 * A timer is queued on the CPU that armed it last, except while its function runs on another: then
 * it stays with that base, because del_timer_sync() waits there. timer->base is NULL for the moment
 * in which a timer changes bases; whoever looks for it spins.
 */
#include "kernel/time/timer.h"

#include "kernel/irq/softirq.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/watchdog.h"

#define TIMERS_PER_RUN 64 /* functions called before other softirqs and tasks get a chance */

struct timer_base {
	spinlock_t lock;
	struct rb_root_cached timers; /* [lock] */
	struct timer_list *running;   /* [lock] its function is being called */
	/* Of the CPU itself, interrupts off: */
	bool expiring;      /* TIMER_SOFTIRQ is on its way and will program the next event */
	ktime_t tick;       /* when to call scheduler_tick(), or KTIME_MAX */
	ktime_t programmed; /* what the hardware is set to, or KTIME_MAX */
};

static DEFINE_PER_CPU(struct timer_base, timer_bases);

#define timer_of(rb) rb_entry(rb, struct timer_list, node)

static bool expires_before(struct rb_node *a, const struct rb_node *b)
{
	return timer_of(a)->expires < timer_of(b)->expires;
}

static struct timer_list *first_timer(struct timer_base *base)
{
	struct rb_node *first = rb_first_cached(&base->timers);

	return first ? timer_of(first) : NULL;
}

/* Base lock held. */
static void program_event(struct timer_base *base)
{
	struct timer_list *first = first_timer(base);
	ktime_t next = min(base->tick, watchdog_next());

	if (first && !base->expiring)
		next = min(next, first->expires);
	if (next == base->programmed)
		return;
	base->programmed = next;
	clockevents_program_event(next);
}

void timer_reprogram(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);

	spin_lock(&base->lock);
	program_event(base);
	spin_unlock(&base->lock);
}

void timer_program_before(ktime_t when)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);

	if (when < base->programmed) {
		base->programmed = when;
		clockevents_program_event(when);
	}
}

void tick_start(u64 delta)
{
	ktime_t when = ktime_get() + delta;

	this_cpu_write(timer_bases.tick, when);
	timer_program_before(when);
}

void local_apic_timer_interrupt(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);
	ktime_t now = ktime_get();
	struct timer_list *first;

	base->programmed = KTIME_MAX;
	if (now >= base->tick) {
		base->tick = KTIME_MAX;
		scheduler_tick();
	}
	if (now >= watchdog_next())
		watchdog_timer_interrupt(now);

	spin_lock(&base->lock);
	first = first_timer(base);
	if (first && first->expires <= now && !base->expiring) {
		base->expiring = true;
		raise_softirq(TIMER_SOFTIRQ);
	}
	program_event(base);
	spin_unlock(&base->lock);
}

/* Base lock held. */
static void dequeue_timer(struct timer_base *base, struct timer_list *timer)
{
	rb_erase_cached(&timer->node, &base->timers);
	timer->queued = false;
}

/* Call the function of the first timer if it is due. Base lock held, and released for the call. */
static bool expire_one(struct timer_base *base, ktime_t now)
{
	struct timer_list *timer = first_timer(base);
	void (*function)(struct timer_list *);

	if (!timer || timer->expires > now)
		return false;
	dequeue_timer(base, timer);
	base->running = timer;
	function = timer->function;
	spin_unlock_irq(&base->lock);
	function(timer); /* the timer may be gone when it returns */
	spin_lock_irq(&base->lock);
	base->running = NULL;
	return true;
}

/*
 * TIMER_SOFTIRQ. If timers are left that are due, the event is programmed for the past, that is for
 * soon.
 */
static void run_timers(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);
	ktime_t now = ktime_get();
	unsigned called = 0;

	spin_lock_irq(&base->lock);
	while (called < TIMERS_PER_RUN && expire_one(base, now))
		called++;
	base->expiring = false;
	program_event(base);
	spin_unlock_irq(&base->lock);
}

void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *))
{
	unsigned cpu = get_cpu();

	timer->function = function;
	timer->queued = false;
	timer->base = per_cpu_ptr(&timer_bases, cpu);
	put_cpu();
}

/* The base that the timer belongs to, locked. Interrupts off. */
static struct timer_base *lock_timer_base(const struct timer_list *timer)
{
	for (;;) {
		struct timer_base *base = READ_ONCE(timer->base);

		if (base) {
			spin_lock(&base->lock);
			if (likely(READ_ONCE(timer->base) == base))
				return base;
			spin_unlock(&base->lock);
		}
		cpu_relax();
	}
}

bool mod_timer(struct timer_list *timer, ktime_t expires)
{
	struct timer_base *base, *here;
	unsigned long flags;
	bool pending;

	local_irq_save(flags);
	here = this_cpu_ptr(&timer_bases);
	base = lock_timer_base(timer);
	pending = timer->queued;
	if (pending)
		dequeue_timer(base, timer);
	if (base != here && base->running != timer) {
		WRITE_ONCE(timer->base, NULL);
		spin_unlock(&base->lock);
		base = here;
		spin_lock(&base->lock);
		smp_store_release(&timer->base, base);
	}
	timer->expires = expires;
	timer->queued = true;
	rb_add_cached(&timer->node, &base->timers, expires_before);
	/*
	 * On another CPU's base the timer's function is running, and that CPU programs the event
	 * after it.
	 */
	if (base == here && expires < base->programmed)
		program_event(base);
	spin_unlock(&base->lock);
	local_irq_restore(flags);
	return pending;
}

bool del_timer(struct timer_list *timer)
{
	struct timer_base *base;
	unsigned long flags;
	bool pending;

	local_irq_save(flags);
	base = lock_timer_base(timer);
	pending = timer->queued;
	if (pending)
		dequeue_timer(base, timer);
	spin_unlock(&base->lock);
	local_irq_restore(flags);
	return pending;
}

bool del_timer_sync(struct timer_list *timer)
{
	bool pending = false;

	for (;;) {
		struct timer_base *base;
		unsigned long flags;
		bool running;

		local_irq_save(flags);
		base = lock_timer_base(timer);
		running = base->running == timer;
		if (timer->queued) {
			dequeue_timer(base, timer);
			pending = true;
		}
		spin_unlock(&base->lock);
		local_irq_restore(flags);
		if (!running)
			return pending;
		cpu_relax(); /* softirqs are not preempted, so it ends soon on its CPU */
	}
}

bool timer_pending(const struct timer_list *timer)
{
	return READ_ONCE(timer->queued);
}

/* A sleeper's timer, on its stack. */
struct sleep_timer {
	struct timer_list timer;
	struct task_struct *task;
};

static void wake_sleeper(struct timer_list *timer)
{
	wake_up_process(container_of(timer, struct sleep_timer, timer)->task);
}

u64 schedule_timeout(u64 ns)
{
	struct sleep_timer sleeper = { .task = current };
	ktime_t now = ktime_get(), end;

	if (ns >= MAX_SCHEDULE_TIMEOUT - now) {
		schedule();
		return ns;
	}
	end = now + ns;
	timer_setup(&sleeper.timer, wake_sleeper);
	mod_timer(&sleeper.timer, end);
	schedule();
	del_timer_sync(&sleeper.timer);
	now = ktime_get();
	return now < end ? end - now : 0;
}

void msleep(unsigned ms)
{
	u64 left = ms * NSEC_PER_MSEC;

	while (left) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		left = schedule_timeout(left);
	}
}

int sleep_interruptible(u64 ns)
{
	while (ns) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			return -EINTR;
		}
		ns = schedule_timeout(ns);
	}
	return 0;
}

void __init timers_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct timer_base *base = per_cpu_ptr(&timer_bases, cpu);

		spin_lock_init(&base->lock);
		base->timers = RB_ROOT_CACHED;
		base->tick = KTIME_MAX;
		base->programmed = KTIME_MAX;
	}
	open_softirq(TIMER_SOFTIRQ, run_timers);
}
