/*
 * The worst case that a latency tracer has found in a trace_array: its length, its task, and the
 * place of its entries in the snapshot buffer. Documentation/trace/ftrace.rst, "irqsoff".
 *
 * A new worst case exchanges the two buffers, as a snapshot does, or only the CPU's parts of them.
 * So its entries remain as they are, and the tracer continues in the other buffer. `trace` shows
 * the entries from start to end.
 */
#pragma once

#include "kernel/locking/spinlock.h"
#include "kernel/sched/sched.h"

struct seq_file;
struct trace_array;
struct trace_iterator;

/* One case. Constant once reported. */
struct trace_max_record {
	bool valid;     /* false: none was reported yet */
	bool one_cpu;   /* only entries of cpu belong to it */
	unsigned cpu;   /* where it ended */
	u64 latency;    /* in the unit of the buffer's clock, usually ns */
	u64 start, end; /* times of its first and after its last entry */
	unsigned long critical_start, critical_end; /* addresses of both ends; 0: not of interest */
	/* The task: of a section the one that ended it. */
	char comm[TASK_COMM_LEN];
	pid_t pid;
	u32 uid;
	int nice, policy, rt_priority;
};

/* [M] lock; [A] atomic. */
struct trace_max {
	spinlock_t lock;                /* M. Interrupts off; not in NMI */
	u64 latency;                    /* [A] tracing_max_latency */
	u32 epoch;                      /* [A] changes when tracing stops */
	u32 clock;                      /* [A] how often the clock has changed; T to write */
	struct trace_max_record record; /* [M] what `trace` shows */
};

/* Returns whether the latency is to be reported. Any context. */
bool trace_max_exceeded(const struct trace_array *tr, u64 latency);
/*
 * Begins a report: true if the latency still is to be reported, and tracing is not stopped. clock:
 * tr->max.clock as it was before the case began, because times of two clocks have no difference.
 * Then the caller writes the last entries, and ends with trace_max_end(), which takes over the
 * record and exchanges the buffers. M is held from begin to end. Any context but NMI; interrupts
 * off.
 */
bool trace_max_begin(struct trace_array *tr, u64 latency, u32 clock);
void trace_max_end(struct trace_array *tr, struct trace_max_record *record);
/* Fills in the task's part of a record. The task is current, or runs next on this CPU. */
void trace_max_set_task(struct trace_max_record *record, const struct task_struct *task);
/* Notes that cases which run now miss entries, because tracing stops. Any context. */
void trace_max_interrupt(struct trace_array *tr);
/*
 * Raises tracing_max_latency to latency, in ns, for a tracer that shows no worst case. Any context.
 */
void trace_max_raise(struct trace_array *tr, u64 latency);
/* Between these two no report exchanges parts of the two buffers. Not in NMI. */
void trace_max_lock(struct trace_array *tr, unsigned long *flags);
void trace_max_unlock(struct trace_array *tr, unsigned long flags);
/* Forgets the record, so that `trace` is empty; all: tracing_max_latency too. Task context. */
void trace_max_clear(struct trace_array *tr, bool all);
