/*
 * Clocks for time stamps of the trace. Nothing here may be traced, because every write of a tracer
 * reads a clock.
 */
#include "kernel/time/trace_clock.h"
#include "arch/time/clock.h"
#include "kernel/time/timekeeping.h"
#include "kernel/atomic.h"
#include "kernel/export.h"

/* The unit of the uptime clock, a hundredth of a second, as in Linux with HZ=100. */
#define JIFFY_NS (10 * NSEC_PER_MSEC)

u64 trace_clock_local(void)
{
	return arch_ktime();
}
EXPORT_SYMBOL_GPL(trace_clock_local);

/* One clock for all CPUs: it never goes back, also between readings on different CPUs. */
static u64 trace_clock_global(void)
{
	static u64 last; /* [A] the latest time returned */
	u64 now = arch_ktime(), before = __atomic_load_n(&last, __ATOMIC_RELAXED);

	do {
		if ((s64)(now - before) <= 0)
			return before;
	} while (!__atomic_compare_exchange_n(&last, &before, now, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return now;
}

static u64 trace_clock_counter(void)
{
	static u64 counter; /* [A] */

	return __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
}

static u64 trace_clock_uptime(void)
{
	return arch_ktime() / JIFFY_NS;
}

static u64 trace_clock_x86_tsc(void)
{
	return arch_cycles();
}

/* International atomic time: nobody has set how far it is ahead of the time of day. */
static u64 trace_clock_tai(void)
{
	return arch_ktime() + READ_ONCE(real_offset);
}

/* perf, mono, mono_raw and boot are one clock here: it is never slewed, and does not sleep. */
const struct trace_clock trace_clocks[] = {
	{ "local", trace_clock_local, true },      { "global", trace_clock_global, true },
	{ "counter", trace_clock_counter, false }, { "uptime", trace_clock_uptime, false },
	{ "perf", trace_clock_local, true },       { "mono", trace_clock_local, true },
	{ "mono_raw", trace_clock_local, true },   { "boot", trace_clock_local, true },
	{ "tai", trace_clock_tai, true },          { "x86-tsc", trace_clock_x86_tsc, false },
};
const unsigned trace_nr_clocks = ARRAY_SIZE(trace_clocks);
