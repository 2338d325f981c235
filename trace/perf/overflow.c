/*
 * A hit: counting, and the decision whether it is a sample.
 *
 * All of this runs where the source is: in any context, NMI included, with any lock held. So it
 * takes no lock. A hit that the sampling code itself causes, as a probe in it does, is only
 * counted.
 */
#include "trace/perf/internal.h"

#include "arch/time/clock.h"
#include "fs/proc/proc_fs.h"
#include "kernel/time/ktime.h"

int sysctl_perf_event_sample_rate = 100000;

static int proc_sample_rate(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int rate = READ_ONCE(sysctl_perf_event_sample_rate);
	struct ctl_table local = { .data = &rate, .maxlen = table->maxlen };
	int error = proc_dointvec_positive(&local, write, buf, size);

	if (!error && !rate)
		error = -EINVAL;
	if (!error && write)
		WRITE_ONCE(sysctl_perf_event_sample_rate, rate);
	return error;
}

SYSCTL(perf_sample_rate, "kernel", "perf_event_max_sample_rate", 0644, proc_sample_rate,
       .maxlen = sizeof(int));

static DEFINE_PER_CPU(bool, in_overflow[4]); /* [O] task, softirq, hardirq, NMI */

bool perf_recursion_enter(unsigned *level)
{
	*level = in_nmi() ? 3 : in_hardirq() ? 2 : in_serving_softirq() ? 1 : 0;
	if (this_cpu_read(in_overflow[*level]))
		return false;
	this_cpu_write(in_overflow[*level], true);
	barrier();
	return true;
}

void perf_recursion_exit(unsigned level)
{
	barrier();
	this_cpu_write(in_overflow[level], false);
}

/* Whether the hit is the last one of its period. Then the next period has begun. */
static bool period_is_over(struct perf_event *event)
{
	u64 left, period = READ_ONCE(event->period);

	if (likely(period == 1))
		return true;
	do
		left = READ_ONCE(event->left);
	while (!local_cmpxchg(&event->left, left, left > 1 ? left - 1 : period));
	return left <= 1;
}

#define MAX_PERIOD (1ULL << 32)

/* attr.freq: the period with which samples would have come at this rate since the last one. */
static void adapt_period(struct perf_event *event)
{
	u64 now = arch_ktime(), ns = now - event->freq_stamp, freq = READ_ONCE(event->freq);
	u64 period = READ_ONCE(event->period), ideal;

	if (event->freq_stamp && ns) {
		ns = min(ns, (u64)NSEC_PER_SEC);
		ideal = min(period, MAX_PERIOD / 4) * NSEC_PER_SEC / (ns * freq);
		/* A step of one eighth: a burst does not change it at once. */
		period = (u64)((s64)period + ((s64)(ideal - period) + 7) / 8);
		WRITE_ONCE(event->period, max(min(period, MAX_PERIOD), (u64)1));
	}
	event->freq_stamp = now;
}

void perf_overflow(struct perf_event *event, struct perf_sample_data *data)
{
	unsigned level;

	if (!perf_recursion_enter(&level))
		return;
	perf_output_sample(event, data, level);
	perf_recursion_exit(level);
}

void perf_hit(struct perf_event *event, struct perf_sample_data *data)
{
	if (!READ_ONCE(event->active) || (event->exclude & data->mode))
		return;
	local_add(&event->count, 1);
	if (!READ_ONCE(event->period) || !period_is_over(event))
		return;
	perf_overflow(event, data);
	if (event->freq)
		adapt_period(event);
}

void perf_hit_one(struct perf_event *event, void *data)
{
	perf_hit(event, data);
}
