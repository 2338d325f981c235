/*
 * A hit: counting, and the decision whether it is a sample.
 *
 * All of this runs where the source is: in any context, NMI included, with any lock held. So it
 * takes no lock. A hit that the sampling code itself causes, as a probe in it does, is only
 * counted.
 */
#include "trace/perf/sample.h"

#include "arch/time/clock.h"
#include "fs/proc/proc_fs.h"
#include "kernel/time/ktime.h"
#include "trace/perf/wakeup.h"

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

DEFINE_PER_CPU(bool, perf_in_sample[PERF_LEVELS]);

/* Then the next period has begun. */
bool perf_period_is_over(struct perf_event *event)
{
	u64 left, period = READ_ONCE(event->period);

	do
		left = READ_ONCE(event->left);
	while (!local_cmpxchg(&event->left, left, left > 1 ? left - 1 : period));
	return left <= 1;
}

#define MAX_PERIOD (1ULL << 32)

/* The period with which samples would have come at this rate since the last one. */
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

void perf_after_sample(struct perf_event *event, const struct perf_sample_data *data)
{
	if (event->after & PERF_AFTER_ADAPT)
		adapt_period(event);
	if (event->after & PERF_AFTER_ALERT)
		perf_alert(event, data);
}

void perf_hit(struct perf_event *event, const struct perf_sample_data *data)
{
	if (perf_hit_is_sample(event, data->mode))
		perf_overflow(event, data);
}

void perf_hit_one(struct perf_event *event, void *data)
{
	perf_hit(event, data);
}
