/*
 * RT throttling: the tasks of the real-time class may use a CPU for 950 ms of each second, so that
 * one that spins does not freeze the machine (sched(7): "Limiting the CPU usage of real-time and
 * deadline processes"). Then only migration/N and fair tasks run until the period ends.
 *
 * Each CPU has its own periods. The first one begins when the CPU picks a real-time task. One CPU
 * event serves all: it comes when the time could be used up at the earliest, and at the end of the
 * period. So switches between tasks cost nothing, and a CPU without such tasks has no event.
 */
#include "kernel/sched/runqueue.h"

#include "kernel/init.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define EVENT_DISTANCE NSEC_PER_MSEC /* between two events of a CPU, at least */

/* [M] to write. Microseconds. */
static int rt_period_us = 1000000;
static int rt_runtime_us = 950000;       /* -1: no limit */
static DEFINE_MUTEX(rt_bandwidth_mutex); /* M */
static bool reported;                    /* once, as on Linux */

static u64 period_ns(void)
{
	return (u64)READ_ONCE(rt_period_us) * NSEC_PER_USEC;
}

/* The time in a period, or 0: no limit. Linux does not limit tasks to nothing, either. */
static u64 runtime_ns(void)
{
	int runtime = READ_ONCE(rt_runtime_us);

	return runtime > 0 && runtime < READ_ONCE(rt_period_us) ? (u64)runtime * NSEC_PER_USEC : 0;
}

/*
 * Starts the event for the end of the period, or for the moment at which the time could be used up.
 * If the task does not run until then, the event finds that a little time is left, and starts
 * again. So the next event comes no sooner than EVENT_DISTANCE. A task may run too long by that
 * much; the next period counts it. R held.
 */
static void start_event(struct rt_rq *rt, ktime_t now, u64 runtime)
{
	ktime_t next = rt->period_end;

	if (rt->time < runtime)
		next = min(next, now + (runtime - rt->time));
	cpu_event_start(CPU_EVENT_RT_PERIOD, max(next, now + EVENT_DISTANCE));
}

/* A period begins with a task that runs on this CPU. R held. */
static void start_rt_period(struct runqueue *rq)
{
	ktime_t now = ktime_get();
	u64 runtime = runtime_ns();

	rq->rt.in_period = true;
	rq->rt.period_end = now + period_ns();
	if (runtime)
		start_event(&rq->rt, now, runtime);
}

/* Each period that has ended gives its time back. R held. */
static void end_periods(struct rt_rq *rt, ktime_t now, u64 runtime)
{
	u64 period = period_ns(), n = (now - rt->period_end) / period + 1;

	rt->period_end += n * period;
	rt->time -= min(rt->time, n * runtime);
}

/* CPU_EVENT_RT_PERIOD: the time may be used up, or the period is over. */
static void rt_period_event(ktime_t now)
{
	struct runqueue *rq = this_rq();
	struct rt_rq *rt = &rq->rt;
	u64 runtime = runtime_ns();
	bool before, activated;

	rq_lock(rq);
	before = rt->throttled;
	if (rt->in_period && runtime) {
		update_curr(rq, now);
		if (now >= rt->period_end)
			end_periods(rt, now, runtime);
		rt->throttled = rt->time >= runtime;
		rt->in_period = rt->time || rt->nr_running;
		if (rt->in_period)
			start_event(rt, now, runtime);
		if (rt->throttled != before)
			resched_curr(rq);
	}
	activated = rt->throttled && !before;
	rq_unlock(rq);
	if (activated && !__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED))
		printk("sched: RT throttling activated\n");
}

/* The limit has changed: a new period begins on this CPU. */
static void restart_period(void *info __unused)
{
	struct runqueue *rq = this_rq();
	unsigned long flags;

	local_irq_save(flags);
	rq_lock(rq);
	update_curr(rq, ktime_get());
	rq->rt.time = 0;
	if (rq->rt.throttled)
		resched_curr(rq);
	rq->rt.throttled = false;
	rq->rt.in_period = false;
	if (rq->rt.nr_running)
		start_rt_period(rq);
	rq_unlock(rq);
	local_irq_restore(flags);
}

void sched_rt_bandwidth(int *period, int *runtime)
{
	mutex_lock(&rt_bandwidth_mutex);
	*period = rt_period_us;
	*runtime = rt_runtime_us;
	mutex_unlock(&rt_bandwidth_mutex);
}

static int set_bandwidth(int period, int runtime)
{
	if (period < 1 || runtime < -1 || runtime > period)
		return -EINVAL;
	WRITE_ONCE(rt_period_us, period);
	WRITE_ONCE(rt_runtime_us, runtime);
	on_each_cpu(restart_period, NULL, true);
	return 0;
}

int sched_set_rt_period(int period)
{
	int err;

	mutex_lock(&rt_bandwidth_mutex);
	err = set_bandwidth(period, rt_runtime_us);
	mutex_unlock(&rt_bandwidth_mutex);
	return err;
}

int sched_set_rt_runtime(int runtime)
{
	int err;

	mutex_lock(&rt_bandwidth_mutex);
	err = set_bandwidth(rt_period_us, runtime);
	mutex_unlock(&rt_bandwidth_mutex);
	return err;
}

static int __init rt_bandwidth_init(void)
{
	cpu_event_setup(CPU_EVENT_RT_PERIOD, rt_period_event);
	smp_store_release(&sched_ops.start_rt_period, start_rt_period);
	return 0;
}
core_initcall(rt_bandwidth_init);
