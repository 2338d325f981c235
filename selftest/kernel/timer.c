/* Self-tests of timers: never early, never lost, and not running after del_timer_sync(). */
#include "kernel/time/timer.h"

#include "kernel/irq/softirq.h"
#include "kernel/mm/slab.h"
#include "kernel/preempt.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"

#define TIMERS 400U

struct test_timer {
	struct timer_list timer;
	ktime_t due;
	struct many_timers *all;
};

struct many_timers {
	struct test_timer *timers;
	atomic_t fired, early, wrong_context;
};

static void note_expiry(struct timer_list *timer)
{
	struct test_timer *t = container_of(timer, struct test_timer, timer);

	if (ktime_get() < t->due)
		atomic_inc(&t->all->early);
	if (!in_serving_softirq() || irqs_disabled())
		atomic_inc(&t->all->wrong_context);
	atomic_inc(&t->all->fired);
}

static void arm_timers(void *arg, unsigned index)
{
	struct many_timers *all = arg;
	u32 seed = index + 1;

	for (unsigned i = 0; i < TIMERS; i++) {
		struct test_timer *t = &all->timers[index * TIMERS + i];

		t->all = all;
		timer_setup(&t->timer, note_expiry);
		t->due = ktime_get() + test_random(&seed) % (20 * NSEC_PER_MSEC);
		mod_timer(&t->timer, t->due);
	}
}

SELFTEST(timer, none_is_early_and_none_is_lost)
{
	unsigned n = num_online_cpus();
	struct many_timers all = { 0 };

	all.timers = kcalloc(n * TIMERS, sizeof(struct test_timer), GFP_KERNEL);
	ASSERT(all.timers);
	EXPECT(run_threads(n, EACH_CPU, arm_timers, &all));
	for (unsigned i = 0; i < 10000 && atomic_read(&all.fired) < (int)(n * TIMERS); i++)
		msleep(1);
	EXPECT_EQ(atomic_read(&all.fired), n * TIMERS);
	EXPECT_EQ(atomic_read(&all.early), 0);
	EXPECT_EQ(atomic_read(&all.wrong_context), 0);
	for (unsigned i = 0; i < n * TIMERS; i++)
		del_timer_sync(&all.timers[i].timer);
	kfree(all.timers);
}

struct contested {
	struct timer_list timer;
	atomic_t deleted, broken, runs;
};

static void contested_expiry(struct timer_list *timer)
{
	struct contested *c = container_of(timer, struct contested, timer);

	atomic_inc(&c->runs);
	if (atomic_read(&c->deleted))
		atomic_inc(&c->broken);
	for (unsigned i = 0; i < 200; i++)
		cpu_relax();
	if (atomic_read(&c->deleted))
		atomic_inc(&c->broken);
}

/*
 * Arms and deletes the timer, often on another CPU. The timer expires on the CPU that armed it, so
 * its function may run while it is deleted.
 */
static void contest(void *arg, unsigned index __unused)
{
	struct contested *c = arg;

	for (unsigned i = 0; i < 500; i++) {
		mod_timer(&c->timer, ktime_get() + (i % 5) * 1000);
		for (unsigned spins = 0; spins < (i % 7) * 1000; spins++)
			barrier();
		if (i % 3 == 0) {
			struct cpumask mask;

			cpumask_clear(&mask);
			cpumask_set_cpu(nth_online_cpu(i), &mask);
			set_cpus_allowed(current, &mask);
		}
		del_timer_sync(&c->timer);
		atomic_set(&c->deleted, 1);
		for (unsigned spins = 0; spins < 500; spins++)
			barrier();
		atomic_set(&c->deleted, 0);
	}
}

SELFTEST(timer, function_does_not_run_after_del_timer_sync)
{
	struct contested c = { 0 };

	timer_setup(&c.timer, contested_expiry);
	EXPECT(run_threads(1, ANY_CPU, contest, &c));
	del_timer_sync(&c.timer);
	EXPECT_EQ(atomic_read(&c.broken), 0);
	EXPECT(!timer_pending(&c.timer));
}

struct slow_timer {
	struct timer_list timer;
	unsigned begun, ended;
};

static void expire_slowly(struct timer_list *timer)
{
	struct slow_timer *s = container_of(timer, struct slow_timer, timer);
	ktime_t start = ktime_get();

	WRITE_ONCE(s->begun, s->begun + 1);
	while (ktime_get() - start < NSEC_PER_MSEC)
		cpu_relax();
	smp_store_release(&s->ended, s->ended + 1);
}

static void arm_now(void *arg)
{
	struct slow_timer *s = arg;

	mod_timer(&s->timer, ktime_get());
}

/*
 * The rounds that count are those in which the function still runs when the timer is deleted: a
 * host with little time for this CPU may let it end before.
 */
SELFTEST(timer, del_timer_sync_waits_for_the_function_that_runs_on_another_cpu)
{
	struct slow_timer s = { .begun = 0 };
	unsigned counted = 0;

	if (num_online_cpus() < 2)
		return;
	ASSERT(run_on_nth_cpu(0));
	timer_setup(&s.timer, expire_slowly);
	for (unsigned i = 1; i <= 200 && counted < 5; i++) {
		bool runs;

		EXPECT_EQ(smp_call_function_single(nth_online_cpu(1), arm_now, &s, true), 0);
		while (READ_ONCE(s.begun) < i)
			cpu_relax();
		runs = READ_ONCE(s.ended) < i;
		EXPECT(!del_timer_sync(&s.timer));
		EXPECT_EQ(smp_load_acquire(&s.ended), i);
		counted += runs;
	}
	run_on_any_cpu();
}

/* Many CPUs arm one timer, so that it moves between them. At the end it must expire. */
static void move_timer(void *arg, unsigned index)
{
	struct contested *c = arg;

	for (unsigned i = 0; i < 1000; i++)
		mod_timer(&c->timer, ktime_get() + (index + i) % 50 * 1000);
}

SELFTEST(timer, survives_being_moved_by_all_cpus)
{
	struct contested c = { 0 };
	int runs;

	timer_setup(&c.timer, contested_expiry);
	EXPECT(run_threads(num_online_cpus() + 1, EACH_CPU, move_timer, &c));
	for (unsigned i = 0; i < 10000 && timer_pending(&c.timer); i++)
		msleep(1);
	del_timer_sync(&c.timer);
	runs = atomic_read(&c.runs);
	EXPECT(runs > 0);
	msleep(2);
	EXPECT_EQ(atomic_read(&c.runs), runs);
}

SELFTEST(timer, del_timer_tells_whether_it_was_pending)
{
	struct contested c = { 0 };

	timer_setup(&c.timer, contested_expiry);
	EXPECT(!del_timer(&c.timer));
	EXPECT(!mod_timer(&c.timer, ktime_get() + 1000 * NSEC_PER_SEC));
	EXPECT(timer_pending(&c.timer));
	EXPECT(mod_timer(&c.timer, ktime_get() + 2000 * NSEC_PER_SEC));
	EXPECT(del_timer(&c.timer));
	EXPECT(!del_timer_sync(&c.timer));
	EXPECT_EQ(atomic_read(&c.runs), 0);
}

static void sleep_often(void *arg, unsigned index)
{
	atomic_t *early = arg;

	for (unsigned i = 0; i < 50; i++) {
		ktime_t start = ktime_get();

		msleep((index + i) % 4);
		if (ktime_get() - start < (index + i) % 4 * NSEC_PER_MSEC)
			atomic_inc(early);
	}
}

SELFTEST(timer, msleep_is_never_short)
{
	atomic_t early = ATOMIC_INIT(0);

	EXPECT(run_threads(num_online_cpus() * 2, ANY_CPU, sleep_often, &early));
	EXPECT_EQ(atomic_read(&early), 0);
}

/* [O] of the CPU whose event it is. */
static unsigned perf_events_seen;
static ktime_t perf_event_when, perf_event_now;
static bool perf_event_in_hardirq;

static void see_perf_event(ktime_t now)
{
	perf_event_now = now;
	perf_event_in_hardirq = in_hardirq() && irqs_disabled();
	if (++perf_events_seen == 1) { /* once more, by itself */
		perf_event_when = now + NSEC_PER_MSEC;
		cpu_event_start(CPU_EVENT_PERF, perf_event_when);
	}
}

SELFTEST(timer, event_of_a_cpu_happens_in_its_interrupt_and_can_start_again)
{
	cpu_event_handler_t usual;
	unsigned long flags;

	ASSERT(run_on_nth_cpu(0));
	usual = cpu_event_setup(CPU_EVENT_PERF, see_perf_event);
	perf_events_seen = 0;
	local_irq_save(flags);
	perf_event_when = ktime_get() + NSEC_PER_MSEC;
	cpu_event_start(CPU_EVENT_PERF, perf_event_when);
	EXPECT_EQ(cpu_event_due(CPU_EVENT_PERF, smp_processor_id()), perf_event_when);
	local_irq_restore(flags);
	while (READ_ONCE(perf_events_seen) < 2)
		msleep(1);
	EXPECT(perf_event_now >= perf_event_when);
	EXPECT(perf_event_in_hardirq);
	EXPECT_EQ(cpu_event_due(CPU_EVENT_PERF, smp_processor_id()), KTIME_MAX);
	EXPECT_EQ(perf_events_seen, 2);
	cpu_event_setup(CPU_EVENT_PERF, usual);
	run_on_any_cpu();
}
