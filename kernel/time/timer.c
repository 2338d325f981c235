/*
 * Timers, and the one-shot clock event of each CPU.
 *
 * Each CPU has a base: a tree of its pending timers by time, and the times of its CPU events (the
 * scheduler's tick, the lockup detector's check). Timers that expire at a time of day are in a tree
 * of their own: when the clock is set, the order of their times stays, and only the first one has
 * to be converted to ktime again. The local APIC timer is programmed for the earliest of them all.
 * Its interrupt calls the handlers of the CPU events that are due, and raises TIMER_SOFTIRQ if a
 * timer is due. The softirq calls the timers' functions with interrupts on.
 *
 * A timer is queued on the CPU that armed it last, with one exception: while its function runs on
 * another CPU it stays with that CPU's base, because del_timer_sync() waits there. timer->base is
 * NULL for the moment in which a timer changes its base; lock_timer_base() spins until then.
 *
 * No change of a clock is missed. Code that arms a timer reads the clock under the lock of the
 * base. The change comes first, and then timers_clock_was_set() takes the lock of each base. So
 * either it finds the timer, or the code that takes the lock later reads the new clock.
 */
#include "kernel/time/timer.h"

#include "kernel/export.h"
#include "kernel/irq/softirq.h"
#include "kernel/locking/spinlock.h"
#include "kernel/smp.h"
#include "kernel/time/timekeeping.h"
#include "kernel/time/timer_events.h"

#define TIMERS_PER_RUN 64 /* functions called before other softirqs and tasks may run */

struct timer_base {
	spinlock_t lock;
	unsigned cpu;                                  /* constant: whose base this is */
	struct timer_list *running;                    /* [lock] its function runs now */
	struct rb_root_cached timers[NR_TIMER_CLOCKS]; /* [lock] */
	/* Written by the CPU itself with interrupts off: */
	bool expiring;      /* TIMER_SOFTIRQ will run and will program the next event */
	ktime_t programmed; /* the time for which the hardware is set, or KTIME_MAX */
	/* When each CPU event is due, or KTIME_MAX. Others read it. */
	ktime_t events[NR_CPU_EVENTS];
};

static DEFINE_PER_CPU(struct timer_base, timer_bases);
static cpu_event_handler_t event_handlers[NR_CPU_EVENTS]; /* [C] before the event first starts */

#define timer_of(rb) rb_entry(rb, struct timer_list, node)

static bool expires_before(struct rb_node *a, const struct rb_node *b)
{
	return timer_of(a)->expires < timer_of(b)->expires;
}

ktime_t timer_ktime(const struct timer_list *timer)
{
	return timer_clock_to_ktime(timer->clock, timer->expires);
}

/* As first_timer(), if there are timers at a time of day: real is the first one of them. */
static noinline struct timer_list *earlier_one(struct timer_list *first, struct timer_list *real,
					       ktime_t *when)
{
	ktime_t ktime = timer_ktime(real);

	if (ktime >= *when)
		return first;
	*when = ktime;
	return real;
}

/* The timer that expires first, and when: KTIME_MAX if there is none. Base lock held. */
static __always_inline struct timer_list *first_timer(const struct timer_base *base, ktime_t *when)
{
	struct rb_node *node = rb_first_cached(&base->timers[TIMER_MONOTONIC]);
	struct rb_node *real = rb_first_cached(&base->timers[TIMER_REALTIME]);
	struct timer_list *first = node ? timer_of(node) : NULL;

	*when = first ? first->expires : KTIME_MAX;
	return unlikely(real) ? earlier_one(first, timer_of(real), when) : first;
}

/* Programs the hardware for the earliest event. first: of the timers. Base lock held. */
static void program_event(struct timer_base *base, ktime_t first)
{
	ktime_t next = base->expiring ? KTIME_MAX : first;

	for (unsigned i = 0; i < NR_CPU_EVENTS; i++)
		next = min(next, base->events[i]);
	if (next == base->programmed)
		return;
	base->programmed = next;
	clockevents_program_event(next);
}

cpu_event_handler_t cpu_event_setup(enum cpu_event event, cpu_event_handler_t handler)
{
	return xchg(&event_handlers[event], handler);
}

void cpu_event_start(enum cpu_event event, ktime_t when)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);

	WRITE_ONCE(base->events[event], when);
	if (when < base->programmed) {
		base->programmed = when;
		clockevents_program_event(when);
	}
}

ktime_t cpu_event_due(enum cpu_event event, unsigned cpu)
{
	return READ_ONCE(per_cpu(timer_bases, cpu).events[event]);
}

void local_apic_timer_interrupt(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);
	ktime_t now = ktime_get(), first;

	base->programmed = KTIME_MAX;
	for (unsigned i = 0; i < NR_CPU_EVENTS; i++) {
		if (now >= base->events[i]) {
			WRITE_ONCE(base->events[i], KTIME_MAX);
			event_handlers[i](now);
		}
	}

	spin_lock(&base->lock);
	first_timer(base, &first);
	if (first <= now && !base->expiring) {
		base->expiring = true;
		raise_softirq(TIMER_SOFTIRQ);
	}
	program_event(base, first);
	spin_unlock(&base->lock);
}

/* Base lock held. */
static void dequeue_timer(struct timer_base *base, struct timer_list *timer)
{
	TRACE_TIMER(cancel, timer);
	rb_erase_cached(&timer->node, &base->timers[timer->clock]);
	timer->queued = false;
}

/* Calls the function of the first timer if that is due. Base lock held; released for the call. */
static bool expire_one(struct timer_base *base, ktime_t now)
{
	ktime_t when;
	struct timer_list *timer = first_timer(base, &when);
	void (*function)(struct timer_list *);

	if (when > now)
		return false;
	dequeue_timer(base, timer);
	base->running = timer;
	function = timer->function;
	TRACE_TIMER(expire_entry, timer, when);
	spin_unlock_irq(&base->lock);
	function(timer);                 /* may free the timer */
	TRACE_TIMER(expire_exit, timer); /* uses the address only */
	spin_lock_irq(&base->lock);
	base->running = NULL;
	return true;
}

/*
 * TIMER_SOFTIRQ: calls the functions of due timers, up to a limit. If due timers remain, the
 * hardware is programmed for a time in the past, and so interrupts soon.
 */
static void run_timers(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);
	ktime_t now = ktime_get(), first;
	unsigned called = 0;

	spin_lock_irq(&base->lock);
	while (called < TIMERS_PER_RUN && expire_one(base, now))
		called++;
	base->expiring = false;
	first_timer(base, &first);
	program_event(base, first);
	spin_unlock_irq(&base->lock);
}

/* With the base of any CPU: the timer is not queued yet. */
void hrtimer_setup(struct timer_list *timer, void (*function)(struct timer_list *),
		   clockid_t clockid, bool relative)
{
	timer->function = function;
	timer->queued = false;
	timer->clockid = (s8)clockid;
	timer->relative = relative;
	timer->base = this_cpu_ptr(&timer_bases);
	TRACE_TIMER(init, timer);
}

void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *))
{
	hrtimer_setup(timer, function, NO_HRTIMER, false);
}
EXPORT_SYMBOL(timer_setup);

/* Returns the base of the timer, locked. Interrupts off. */
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

static __always_inline bool arm(struct timer_list *timer, enum timer_clock clock, u64 expires)
{
	struct timer_base *base, *here;
	unsigned long flags;
	bool pending;
	ktime_t when;

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
	timer->clock = clock;
	timer->queued = true;
	rb_add_cached(&timer->node, &base->timers[clock], expires_before);
	TRACE_TIMER(start, timer, base->cpu, pending);
	/*
	 * A base of another CPU means that the timer's function runs there now. That CPU programs
	 * its hardware when the function has returned.
	 */
	when = clock == TIMER_MONOTONIC ? expires : timer_ktime(timer);
	if (base == here && when < base->programmed)
		program_event(base, when);
	spin_unlock(&base->lock);
	local_irq_restore(flags);
	return pending;
}

bool mod_timer(struct timer_list *timer, ktime_t expires)
{
	return arm(timer, TIMER_MONOTONIC, expires);
}
EXPORT_SYMBOL(mod_timer);

bool mod_timer_on(struct timer_list *timer, enum timer_clock clock, u64 expires)
{
	return clock == TIMER_MONOTONIC ? mod_timer(timer, expires) : arm(timer, clock, expires);
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
EXPORT_SYMBOL(del_timer);

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
		cpu_relax(); /* softirqs are not preempted, so the function ends soon */
	}
}
EXPORT_SYMBOL(del_timer_sync);

bool timer_pending(const struct timer_list *timer)
{
	return READ_ONCE(timer->queued);
}

/* On a CPU that has timers at a time of day. Hardirq context. */
static void renew_event(void *unused __unused)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);
	ktime_t first;

	spin_lock(&base->lock);
	first_timer(base, &first);
	program_event(base, first);
	spin_unlock(&base->lock);
}

void timers_clock_was_set(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		struct timer_base *base = per_cpu_ptr(&timer_bases, cpu);
		bool any;

		spin_lock_irq(&base->lock);
		any = rb_first_cached(&base->timers[TIMER_REALTIME]);
		spin_unlock_irq(&base->lock);
		if (any)
			smp_call_function_single(cpu, renew_event, NULL, true);
	}
}

void __init timers_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct timer_base *base = per_cpu_ptr(&timer_bases, cpu);

		spin_lock_init(&base->lock);
		base->cpu = cpu;
		for (unsigned i = 0; i < NR_TIMER_CLOCKS; i++)
			base->timers[i] = RB_ROOT_CACHED;
		base->programmed = KTIME_MAX;
		for (unsigned i = 0; i < NR_CPU_EVENTS; i++)
			base->events[i] = KTIME_MAX;
	}
	open_softirq(TIMER_SOFTIRQ, run_timers);
}
