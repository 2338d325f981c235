/* Snapshots: the second buffer of a trace_array. Documentation/trace/ftrace.rst, "Snapshot". */
#pragma once

#include "trace/core/trace_array.h"

/*
 * Keeps the trace as the snapshot, and continues in the other buffer, which still holds the
 * previous snapshot. Any context. In an NMI the function only writes a line into the trace. If no
 * snapshot buffer is allocated, it writes a line and sets tracing_on to 0, as Linux does.
 */
void tracing_snapshot_tr(struct trace_array *tr);
/* Allocates the snapshot buffer. 0 or -ENOMEM. T held. */
int tracing_alloc_snapshot_tr(struct trace_array *tr);
/* Frees the snapshot buffer. 0 or -ENOMEM. T held. */
int tracing_free_snapshot_tr(struct trace_array *tr);
/*
 * Exchanges the buffers for a latency tracer, and waits for another exchange. Any context but NMI;
 * interrupts off.
 */
void tracing_swap_buffers_tr(struct trace_array *tr);
/* Prints the heading of an empty snapshot. Task context. */
void print_snapshot_help(struct seq_file *m, struct trace_iterator *iter);
