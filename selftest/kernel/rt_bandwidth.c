/* Self-tests of RT throttling (kernel/sched/rt_bandwidth.c). */
#include "kernel/irq/irq.h"
#include "kernel/sched/runqueue.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define PERIOD_US  40000
#define RUNTIME_US 30000

struct contest {
	bool stop;
	u64 loops; /* of the fair task */
};

/* Thread 0 is a fair task; thread 1, if there is one, a real-time task. */
static void compete(void *arg, unsigned index)
{
	struct contest *c = arg;

	if (index)
		sched_setscheduler(current, SCHED_FIFO, 10);
	while (!READ_ONCE(c->stop))
		if (!index)
			WRITE_ONCE(c->loops, c->loops + 1);
}

/* False: the limit could not be set. */
static bool limit(int period, int runtime)
{
	return !sched_set_rt_runtime(-1) && !sched_set_rt_period(period) &&
	       !sched_set_rt_runtime(runtime);
}

static u64 runtime(const struct test_group *group, unsigned index)
{
	return READ_ONCE(group->threads[index].task->se.sum_exec_runtime);
}

/* Waits until the fair task has run, and then until the real-time task runs again. */
static void next_period(const struct test_group *group, struct contest *c)
{
	u64 loops = READ_ONCE(c->loops), rt;

	while (READ_ONCE(c->loops) == loops)
		msleep(1);
	rt = runtime(group, 1);
	while (runtime(group, 1) == rt)
		msleep(1);
}

/*
 * A boot test checks the shares of whole periods, which it counts in instructions:
 * rt_task_gets_three_quarters. On one CPU, this task runs only while the real-time task is
 * throttled. A host that stops the CPU charges the task that runs, so no share is known here: the
 * fair task must get time at all. Without throttling it never does, and the test does not end.
 */
SELFTEST(rt_bandwidth, spinning_task_leaves_the_rest_of_each_period)
{
	struct test_group group;
	struct contest c = { 0 };
	u64 rt, fair;

	ASSERT(limit(PERIOD_US, RUNTIME_US));
	ASSERT(test_group_start(&group, 2, nth_online_cpu(1), compete, &c));
	while (READ_ONCE(group.threads[1].task->policy) != SCHED_FIFO)
		msleep(1);
	next_period(&group, &c);
	rt = runtime(&group, 1);
	fair = runtime(&group, 0);
	for (unsigned turn = 0; turn < 4; turn++)
		next_period(&group, &c);
	selftest_diag(test, "real-time %llu us, fair %llu us",
		      (unsigned long long)(runtime(&group, 1) - rt) / 1000,
		      (unsigned long long)(runtime(&group, 0) - fair) / 1000);
	WRITE_ONCE(c.stop, true);
	test_group_wait(&group);
	EXPECT(limit(1000000, 950000));
}

static void run_once(void *go, unsigned index __unused)
{
	sched_setscheduler(current, SCHED_FIFO, 10);
	wait_for_completion(go);
}

static bool is_throttled(unsigned cpu)
{
	return READ_ONCE(cpu_rq(cpu)->rt.throttled);
}

/*
 * The CPU that throttles runs a fair task, which looks less urgent than the one that wakes up. The
 * waker chooses the CPU. The woken task may not get far there: it uses up its own 1 ms when the
 * host stops that CPU.
 */
SELFTEST(rt_bandwidth, real_time_task_wakes_up_where_tasks_are_not_throttled)
{
	unsigned a = nth_online_cpu(1), b = nth_online_cpu(2);
	struct test_group hogs, sleeper;
	struct completion go;
	struct contest c = { 0 };
	struct cpumask both = { 0 };

	if (num_online_cpus() < 3)
		return;
	init_completion(&go);
	cpumask_set_cpu(a, &both);
	ASSERT(test_group_start(&sleeper, 1, a, run_once, &go));
	while (READ_ONCE(sleeper.threads[0].task->__state) != TASK_UNINTERRUPTIBLE)
		msleep(1);
	cpumask_set_cpu(b, &both);
	sleeper.threads[0].task->flags &= ~PF_NO_SETAFFINITY;
	EXPECT_EQ(set_cpus_allowed(sleeper.threads[0].task, &both), 0);
	/* A throttled task waits for a quarter of an hour. */
	ASSERT(limit(1000000000, 1000));
	ASSERT(test_group_start(&hogs, 2, a, compete, &c));
	while (!is_throttled(a))
		msleep(1);
	complete(&go);
	EXPECT_EQ(READ_ONCE(sleeper.threads[0].task->cpu), b);
	EXPECT(is_throttled(a));
	WRITE_ONCE(c.stop, true);
	EXPECT(limit(1000000, 950000)); /* begins a new period, so the tasks end now */
	EXPECT(!is_throttled(a));
	test_group_wait(&sleeper);
	test_group_wait(&hogs);
}

static void spin_urgently(void *arg, unsigned index __unused)
{
	compete(arg, 1);
}

static void spin_fairly(void *arg, unsigned index __unused)
{
	compete(arg, 0);
}

static bool allow_cpus(const struct test_group *group, unsigned n, const struct cpumask *mask)
{
	for (unsigned i = 0; i < n; i++)
		if (set_cpus_allowed(group->threads[i].task, mask))
			return false;
	return true;
}

/* A CPU that throttles its only task is idle: it takes one of two fair tasks from another CPU. */
SELFTEST(rt_bandwidth, waiting_fair_task_goes_to_a_cpu_that_only_has_throttled_tasks)
{
	unsigned a = nth_online_cpu(1), b = nth_online_cpu(2), on_b = 0;
	struct test_group hog, fair;
	struct contest c = { 0 };
	struct cpumask mask = { 0 };

	if (num_online_cpus() < 3)
		return;
	EXPECT(run_on_nth_cpu(0));
	ASSERT(limit(1000000000, 1000));
	ASSERT(test_group_start(&hog, 1, b, spin_urgently, &c));
	while (!is_throttled(b))
		msleep(1);
	ASSERT(test_group_start(&fair, 2, ANY_CPU, spin_fairly, &c));
	cpumask_set_cpu(a, &mask);
	EXPECT(allow_cpus(&fair, 2, &mask));
	cpumask_set_cpu(b, &mask);
	EXPECT(allow_cpus(&fair, 2, &mask));
	for (unsigned i = 0; i < 2000 && !on_b; i++) {
		msleep(1);
		for (unsigned n = 0; n < 2; n++)
			on_b += READ_ONCE(fair.threads[n].task->cpu) == b;
	}
	EXPECT(on_b);
	EXPECT(is_throttled(b));
	WRITE_ONCE(c.stop, true);
	EXPECT(limit(1000000, 950000)); /* begins a new period, so that the hog ends now */
	test_group_wait(&hog);
	test_group_wait(&fair);
	run_on_any_cpu();
}

SELFTEST(rt_bandwidth, periods_end_when_no_real_time_task_runs)
{
	struct runqueue *rq = cpu_rq(nth_online_cpu(1));
	struct test_group group;
	struct contest c = { 0 };

	ASSERT(limit(PERIOD_US, RUNTIME_US));
	ASSERT(test_group_start(&group, 2, rq->cpu, compete, &c));
	while (!READ_ONCE(rq->rt.in_period))
		msleep(1);
	WRITE_ONCE(c.stop, true);
	test_group_wait(&group);
	for (unsigned i = 0; i < 1000 && READ_ONCE(rq->rt.in_period); i++)
		msleep(10);
	EXPECT(!rq->rt.in_period && !rq->rt.throttled && !rq->rt.time);
	EXPECT(limit(1000000, 950000));
}

#define SHORT_PERIOD_US 100000

/* Counts the timer's interrupts in half of a period that has 1 us of its time left. */
static void count_events(void *arg, unsigned index __unused)
{
	struct runqueue *rq = this_rq();
	u64 *events = arg;
	ktime_t now;

	local_irq_disable();
	rq_lock(rq);
	now = ktime_get();
	rq->rt.in_period = true;
	rq->rt.period_end = now + SHORT_PERIOD_US * NSEC_PER_USEC;
	rq->rt.time = (SHORT_PERIOD_US / 2 - 1) * NSEC_PER_USEC;
	cpu_event_start(CPU_EVENT_RT_PERIOD, now);
	rq_unlock(rq);
	*events = irq_stat_read(IRQ_STAT_LOC, rq->cpu);
	local_irq_enable();
	while (ktime_get() - now < SHORT_PERIOD_US / 2 * NSEC_PER_USEC)
		;
	*events = irq_stat_read(IRQ_STAT_LOC, rq->cpu) - *events;
}

/* One event each ms, and the ticks. */
SELFTEST(rt_bandwidth, events_are_rare_when_a_sleeping_task_has_left_little_time)
{
	u64 events = 0;

	ASSERT(limit(SHORT_PERIOD_US, SHORT_PERIOD_US / 2));
	EXPECT(run_threads(1, nth_online_cpu(1), count_events, &events));
	selftest_diag(test, "%llu interrupts", (unsigned long long)events);
	EXPECT(events < 100);
	EXPECT(limit(1000000, 950000));
}
