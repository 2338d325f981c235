/* What another room does with each write to trace_marker (trace/events/: triggers). */
#pragma once

#include "trace/core/trace_array.h"

struct print_entry;

/* An entry that trace_marker writes. */
struct trace_marker {
	struct trace_array *tr;
	struct print_entry *entry;
	size_t length;        /* bytes at entry */
	u32 ctx;              /* tracing_gen_ctx() */
	unsigned long caller; /* a return address in the function that serves the write */
};

/* Task context, preemption off. */
struct trace_marker_hook {
	/*
	 * The entry is complete but for a newline that the writer left out. What it returns is
	 * given to after_commit(), if it is not 0.
	 */
	unsigned (*before_commit)(const struct trace_marker *marker);
	/* The entry may be gone. */
	void (*after_commit)(const struct trace_marker *marker, unsigned value);
};
extern const struct trace_marker_hook *trace_marker_hook; /* constant after the boot, or NULL */
