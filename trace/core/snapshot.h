/* Snapshots: the second buffer of a trace_array. Documentation/trace/ftrace.rst, "Snapshot". */
#pragma once

#include "trace/core/trace_array.h"

/*
 * Keeps the trace as the snapshot, and continues in the other buffer, which still holds the
 * previous snapshot. The caller has armed snapshots. Any context. In an NMI the function only
 * writes a line into the trace. If no snapshot buffer is allocated, it writes a line and sets
 * tracing_on to 0, as Linux does.
 */
void tracing_snapshot_tr(struct trace_array *tr);
/*
 * Adds a user of snapshots (step 1) or an area that shows the buffer (step -1). False: there is one
 * of the other kind. Taken back by __atomic_fetch_sub() of the same step. Any context.
 */
static inline bool tracing_add_snapshot_user(struct trace_array *tr, int step)
{
	int users = READ_ONCE(tr->snapshot_users);

	do {
		if (users * step < 0)
			return false;
	} while (!__atomic_compare_exchange_n(&tr->snapshot_users, &users, users + step, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return true;
}

/* Allocates the snapshot buffer. 0 or -ENOMEM. T held. */
int tracing_alloc_snapshot_tr(struct trace_array *tr);
/*
 * Allocates the snapshot buffer for one who takes snapshots until tracing_disarm_snapshot(): until
 * then no program maps the buffer. 0, -ENOMEM, or -EBUSY: one does. T held, and T not held.
 */
int tracing_arm_snapshot_locked(struct trace_array *tr);
int tracing_arm_snapshot(struct trace_array *tr);
void tracing_disarm_snapshot(struct trace_array *tr);
/* Frees the snapshot buffer. 0 or -ENOMEM. T held. */
int tracing_free_snapshot_tr(struct trace_array *tr);
/*
 * Exchanges the buffers for a latency tracer, and waits for another exchange. Any context but NMI;
 * interrupts off.
 */
void tracing_swap_buffers_tr(struct trace_array *tr);
/* Prints the heading of an empty snapshot. Task context. */
void print_snapshot_help(struct seq_file *m, struct trace_iterator *iter);
