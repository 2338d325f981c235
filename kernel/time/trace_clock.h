/* Clocks for time stamps of the trace: Documentation/trace/ftrace.rst, "trace_clock". Any context,
 * NMI included. */
#pragma once

#include "kernel/compiler.h"

struct trace_clock {
	const char *name;
	u64 (*read)(void);
	bool in_ns; /* what the counts are: nanoseconds, or something else */
};

/* local global counter uptime mono x86-tsc, in this order. */
extern const struct trace_clock trace_clocks[];
extern const unsigned trace_nr_clocks;

/* This CPU's time in ns: the fastest. */
u64 trace_clock_local(void);
