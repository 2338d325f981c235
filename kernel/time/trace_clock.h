/*
 * Clocks for time stamps of the trace: Documentation/trace/ftrace.rst, "trace_clock". Any context,
 * NMI included.
 */
#pragma once

#include "kernel/compiler.h"

struct trace_clock {
	const char *name;
	u64 (*read)(void);
	bool in_ns; /* read() returns nanoseconds; false: another unit */
};

/*
 * In Linux's order: local, global, counter, uptime, perf, mono, mono_raw, boot, tai, x86-tsc.
 */
extern const struct trace_clock trace_clocks[];
extern const unsigned trace_nr_clocks;

/* Returns this CPU's time in ns. The fastest clock. */
u64 trace_clock_local(void);
