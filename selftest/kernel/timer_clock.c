/* Self-tests of timers at a time of day: what happens when the clock is set. */
#include "kernel/time/timer.h"

#include "kernel/mm/slab.h"
#include "kernel/smp.h"
#include "kernel/time/timekeeping.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define HOUR   (3600 * NSEC_PER_SEC)
#define TIMERS 100U /* of each thread */

struct clock_timer {
	struct timer_list timer;
	enum timer_clock clock;
	u64 due;
	struct clock_timers *all;
};

struct clock_timers {
	struct clock_timer *timers; /* TIMERS for each thread */
	unsigned threads;
	atomic_t fired, early, wrong;
	atomic_t ended; /* threads that arm */
	ktime_t start;
	u64 real; /* at start */
};

/* The time of day with that much added, as if nobody had set it since the start. */
static void set_clock_ahead(const struct clock_timers *all, u64 ahead)
{
	timekeeping_set_real(all->real + (ktime_get() - all->start) + ahead);
}

static void note_expiry(struct timer_list *timer)
{
	struct clock_timer *t = container_of(timer, struct clock_timer, timer);

	if (read_timer_clock(t->clock) < t->due)
		atomic_inc(&t->all->early);
	if (timer_pending(timer))
		atomic_inc(&t->all->wrong);
	atomic_inc(&t->all->fired);
}

static bool begin(struct clock_timers *all)
{
	all->threads = num_online_cpus() + 1;
	all->timers = kcalloc(all->threads * TIMERS, sizeof(struct clock_timer), GFP_KERNEL);
	for (unsigned i = 0; all->timers && i < all->threads * TIMERS; i++)
		timer_setup(&all->timers[i].timer, note_expiry);
	all->real = ktime_get_real();
	all->start = ktime_get();
	return all->timers;
}

static void end(struct clock_timers *all)
{
	for (unsigned i = 0; i < all->threads * TIMERS; i++)
		del_timer_sync(&all->timers[i].timer);
	set_clock_ahead(all, 0);
	kfree(all->timers);
}

static void arm_for(struct clock_timer *t, struct clock_timers *all, enum timer_clock clock, u64 ns)
{
	t->all = all;
	t->clock = clock;
	t->due = read_timer_clock(clock) + ns;
	mod_timer_on(&t->timer, clock, t->due);
}

/* Each CPU gets timers of each clock, for times in the next hour. */
static void arm_in_an_hour(void *arg, unsigned index)
{
	struct clock_timers *all = arg;

	for (unsigned i = 0; i < TIMERS; i++)
		arm_for(&all->timers[index * TIMERS + i], all, i % NR_TIMER_CLOCKS,
			HOUR - i * NSEC_PER_SEC);
}

static void wait_for_expiries(const struct clock_timers *all, unsigned n)
{
	for (unsigned i = 0; i < 10000 && atomic_read(&all->fired) < (int)n; i++)
		msleep(1);
}

/* How many of the timers on a clock are pending. */
static unsigned pending(const struct clock_timers *all, enum timer_clock clock)
{
	unsigned n = 0;

	for (unsigned i = 0; i < all->threads * TIMERS; i++)
		n += all->timers[i].clock == clock && timer_pending(&all->timers[i].timer);
	return n;
}

SELFTEST(timer_clock, setting_the_clock_expires_timers_of_all_cpus)
{
	struct clock_timers all = { 0 };
	unsigned monotonic;

	ASSERT(begin(&all));
	EXPECT(run_threads(all.threads, EACH_CPU, arm_in_an_hour, &all));
	monotonic = pending(&all, TIMER_MONOTONIC);
	EXPECT_EQ(atomic_read(&all.fired), 0);
	set_clock_ahead(&all, 2 * HOUR);
	wait_for_expiries(&all, all.threads * TIMERS - monotonic);
	EXPECT_EQ(pending(&all, TIMER_MONOTONIC), monotonic);
	end(&all);
	EXPECT_EQ(atomic_read(&all.fired) + monotonic, all.threads * TIMERS);
	EXPECT_EQ(atomic_read(&all.early), 0);
}

/* On one CPU, so that the clock is not set between the expiry of a timer and its function. */
SELFTEST(timer_clock, setting_the_clock_back_delays_timers)
{
	struct clock_timers all = { 0 };

	ASSERT(run_on_nth_cpu(0));
	ASSERT(begin(&all));
	for (unsigned i = 0; i < TIMERS; i++)
		arm_for(&all.timers[i], &all, TIMER_REALTIME, NSEC_PER_SEC / 2);
	set_clock_ahead(&all, (u64)-HOUR);
	while (ktime_get() - all.start < NSEC_PER_SEC)
		msleep(100);
	set_clock_ahead(&all, 0);
	wait_for_expiries(&all, TIMERS);
	end(&all);
	EXPECT_EQ(atomic_read(&all.fired), TIMERS);
	EXPECT_EQ(atomic_read(&all.early), 0);
	run_on_any_cpu();
}

/* Arms timers for the next milliseconds of a clock that is set meanwhile. */
static void arm_soon(void *arg, unsigned index)
{
	struct clock_timers *all = arg;
	u32 seed = index + 1;

	if (!index) { /* sets the clock */
		for (u64 i = 0; atomic_read(&all->ended) < (int)all->threads - 1; i++)
			set_clock_ahead(all, i % 3 * HOUR);
		set_clock_ahead(all, 4 * HOUR);
		return;
	}
	for (unsigned i = 0; i < TIMERS; i++) {
		arm_for(&all->timers[index * TIMERS + i], all, TIMER_REALTIME,
			test_random(&seed) % (2 * NSEC_PER_MSEC));
		if (i % 16 == 0)
			msleep(1);
	}
	atomic_inc(&all->ended);
}

SELFTEST(timer_clock, no_timer_is_lost_while_the_clock_is_set)
{
	struct clock_timers all = { 0 };

	ASSERT(begin(&all));
	EXPECT(run_threads(all.threads, EACH_CPU, arm_soon, &all));
	wait_for_expiries(&all, (all.threads - 1) * TIMERS);
	end(&all);
	EXPECT_EQ(atomic_read(&all.fired), (all.threads - 1) * TIMERS);
	EXPECT_EQ(atomic_read(&all.wrong), 0);
}
