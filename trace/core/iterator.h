/* struct trace_iterator: one reader's position in a trace. Task context unless stated otherwise. */
#pragma once

#include "trace/core/entries.h"
#include "trace/core/trace_array.h"
#include "trace/core/trace_seq.h"

#define TRACE_ITER_TEXT_SIZE 1024

/* Only its owner uses an iterator. */
struct trace_iterator {
	struct trace_array *tr;
	struct tracer *trace;       /* the current tracer when the file was opened */
	int cpu_file;               /* a CPU, or RING_BUFFER_ALL_CPUS */
	void *private[TRACERS_MAX]; /* by tracer.index: data from the tracer's open to its close */
	u64 flags_set, flags_cleared;    /* a dump's changes of the options: trace_iter_flags() */
	bool any_context;                /* a dump's iterator: its tracers were opened in advance */
	struct trace_buffer *buffer;     /* the buffer of iters; NULL when consuming */
	bool snapshot;                   /* the reader has opened the file `snapshot` */
	struct ring_buffer_iter **iters; /* nr_cpu_ids elements; NULL when consuming */
	u8 *copy;                        /* holds the current entry */
	unsigned copy_order;             /* copy has 1 << copy_order pages; a sub-buffer fits */
	struct trace_max_record
		max;            /* valid: the reader sees only the entries of this worst case */
	bool shows_max;         /* the reader of a latency tracer's trace: max, or nothing */
	bool skipped;           /* entries older than max.start were skipped */
	u64 end;                /* not consuming: the reader does not see younger entries */
	bool paused;            /* the option pause-on-trace has stopped tracing */
	bool annotated;         /* print "##### CPU n buffer started ####" lines */
	struct cpumask started; /* CPUs with a printed line */

	/* The current entry. */
	struct trace_entry *ent;
	size_t ent_size;
	unsigned cpu;
	u64 ts;
	u64 next_ts;     /* time of the following entry, or 0; not consuming only */
	u64 lost_events; /* lost before this entry */
	u64 idx;         /* number of entries before this one */
	loff_t pos;      /* of the seq_file */

	char text[TRACE_ITER_TEXT_SIZE]; /* pieces of the line, made by trace/events/print.c */
	size_t text_len;                 /* bytes in use: 0 when the line begins */

	bool leftover;        /* seq holds a line that did not fit in the reader's buffer */
	struct trace_seq seq; /* the line of the current entry */
};

/* Returns the place of tracer's data in iter. */
static inline void **trace_iter_private(struct trace_iterator *iter, const struct tracer *tracer)
{
	return &iter->private[tracer->index];
}

/* Returns the time to which latency-format relates the times of entries. */
static inline u64 trace_iter_time_start(const struct trace_iterator *iter)
{
	return iter->shows_max ? iter->max.start : iter->tr->time_start;
}

/* Returns the TRACE_ITER_* options for this reader. */
static inline u64 trace_iter_flags(const struct trace_iterator *iter)
{
	return (READ_ONCE(iter->tr->trace_flags) | iter->flags_set) & ~iter->flags_cleared;
}

/*
 * Allocates the data that tracer needs to print entries with iter, if iter does not have it yet.
 * Does nothing for a dump's iterator. Without memory the lines lack what needs the data.
 */
void trace_iterator_open_tracer(struct trace_iterator *iter, const struct tracer *tracer);
/*
 * Makes iter print with the tracer that tr has now, and takes a reference on its module. Task
 * context.
 */
void trace_iterator_follow_tracer(struct trace_iterator *iter);

/*
 * Allocates an iterator over tr->buffer, for one CPU or all. A consuming reader removes each entry
 * that it reads. NULL: no memory.
 */
struct trace_iterator *trace_iterator_alloc(struct trace_array *tr, int cpu, bool consuming);
/* Allocates a non-consuming iterator over one of tr's buffers. NULL: no memory. */
struct trace_iterator *trace_iterator_alloc_of(struct trace_array *tr, struct trace_buffer *buffer,
					       int cpu);
/* The same over the worst case of a latency tracer. T held, tracing stopped. */
struct trace_iterator *trace_iterator_alloc_max(struct trace_array *tr, int cpu);
void trace_iterator_free(struct trace_iterator *iter);
/*
 * Makes iter's memory as large as the sub-buffers are now; the current entry stays. Consuming:
 * pipe_lock held, so that they keep their size. 0 or -ENOMEM.
 */
int trace_iterator_fit(struct trace_iterator *iter);
/* Returns a non-consuming iterator to the oldest entry. */
void trace_iterator_reset(struct trace_iterator *iter);
/* Returns whether trace_find_next_entry() would find no entry. */
bool trace_empty(struct trace_iterator *iter);
/* Moves to the oldest unread entry of all CPUs. False: no entry is left. */
bool trace_find_next_entry(struct trace_iterator *iter);

/*
 * Skips the entry that follows the current one on its CPU if wanted() returns true for it. The
 * current entry does not change. No other consuming reader can take the entry in between. False: no
 * entry follows yet, entries were lost before it, or it is not wanted.
 */
bool trace_take_following(struct trace_iterator *iter, ring_buffer_wanted_t wanted, void *data);
