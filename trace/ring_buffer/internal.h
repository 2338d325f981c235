/*
 * The ring buffer's insides, shared by its writing half (trace/ring_buffer/write.c), its reading
 * halves (trace/ring_buffer/read.c, trace/ring_buffer/iter.c), those who wait for events
 * (trace/ring_buffer/wait.c) and its management (trace/ring_buffer/manage.c).
 *
 * One CPU's buffer is a ring of slots. Sub-buffer number `seq` (0, 1, 2, ... for ever) belongs in
 * slot seq % nr_slots. A slot is one word: which page stands there, and for which seq:
 *
 *      63        32 31            12 11          1 0
 *      | seq       | page index     |             |S|    S: a spare page, nothing to read in it
 *
 * Two parties take pages out of slots, each with one compare-and-exchange of that word, so that
 * exactly one of them gets it:
 *
 *      the reader  {h, P}    -> {h, spare, S}     reads sub-buffer h; gives its last page
 *      the writer  {h, P}    -> {h + nr_slots, P} overwrites sub-buffer h (overwrite mode)
 *                  {h, P, S} -> {h + nr_slots, P} nothing is lost
 *
 * The writers of a CPU (a task and the interrupts nested in it) share the tail, a pair of words
 * that changes in one CMPXCHG16B: the place where the next event goes, and the time of the last
 * one.
 *
 *      lo:  | seq (32) | page index (20) | offset in data (12) |         hi: time stamp
 *
 * Winning that exchange gives a writer its room and makes its time stamp the one that the next
 * event's delta counts from; a writer that was interrupted between reading the tail and the
 * exchange loses it, and tries again with a newer time. So space and time never disagree, in any
 * nesting.
 *
 * Events become readable when the outermost writer ends: it publishes the tail's place as `commit`.
 * Then all events before it are complete. A page that the tail has left has its length in `final`.
 */
#pragma once

#include "arch/local.h"
#include "kernel/cpumask.h"
#include "trace/ring_buffer/ring_buffer.h"
#include "trace/ring_buffer/port.h"

#define RB_OFFSET_BITS 12
#define RB_INDEX_BITS  20
#define RB_SEQ_SHIFT   (RB_OFFSET_BITS + RB_INDEX_BITS)
#define RB_SLOT_SPARE  1UL
#define RB_NEST_MARK                                                                               \
	(1U << 31) /* a nested writer has ended: the outermost is to publish its event */
/* In record_disabled: the ring is being replaced. What only this refuses counts as dropped. */
#define RB_CHANGING     (1U << 31)
#define RB_MAX_SLOTS    ((1U << RB_INDEX_BITS) - 2)
#define RB_LOCK_TIMEOUT 1000000000UL /* ns; a holder that runs needs microseconds */

static inline u32 rb_seq(u64 place)
{
	return (u32)(place >> RB_SEQ_SHIFT);
}

static inline u32 rb_index(u64 place)
{
	return (u32)(place >> RB_OFFSET_BITS) & ((1U << RB_INDEX_BITS) - 1);
}

static inline u32 rb_offset(u64 place)
{
	return (u32)place & ((1U << RB_OFFSET_BITS) - 1);
}

static inline u64 rb_place(u32 seq, u32 index, u32 low)
{
	return ((u64)seq << RB_SEQ_SHIFT) | ((u64)index << RB_OFFSET_BITS) | low;
}

/* [W] written by this CPU's writers; readable by others once commit has passed the page. [M] reader
 * mutex. */
struct buffer_page {
	struct buffer_data_page *data; /* constant while the ring stands */
	u64 entries;                   /* [W] events in the page */
	u64 first;                     /* [W] number of its first event since the last reset */
	u32 final;                     /* [W] bytes of data, once the tail has left the page */
};

struct ring_buffer_per_cpu {
	/* The writers' half. */
	struct local_pair tail;      /* [W] */
	u64 commit;                  /* [W] release store; acquire load by readers */
	u32 nest;                    /* [W] writers between reserve and commit; RB_NEST_MARK */
	u32 record_disabled;         /* atomic; RB_CHANGING */
	struct trace_buffer *buffer; /* constant */
	u64 *slots; /* constant while writers may run; words by compare-and-exchange */
	struct buffer_page
		*pages; /* the same; nr_slots + 1 of them: one is the reader's or spare */
	u32 nr_slots;
	u32 waiting; /* a reader wants to be woken by the next event: trace/ring_buffer/wait.c */
	u64 overrun, commit_overrun, dropped_events, written, lost_bytes; /* [W] */
	u32 full_waiting; /* a reader wants to be woken by sub-buffer wake_seq */
	u32 wake_seq;     /* [M] to write, before full_waiting */
	u32 cpu;          /* constant */
	struct rb_waker waker;

	/* The readers' half. */
	rb_lock_t reader_lock __aligned(64); /* M */
	u32 reader_index;                    /* [M] the page that is out of the ring */
	u32 reader_seq;                      /* [M] the sub-buffer in it, if reader_active */
	bool reader_active;                  /* [M] */
	u32 read;                            /* [M] bytes consumed of it */
	u64 read_stamp;                      /* [M] time of the last consumed event */
	u64 read_entries;                    /* [M] events consumed of this page */
	u64 expected;                        /* [M] number of the event that should come next */
	u64 lost;                            /* [M] lost before the next event, not yet told */
	u64 read_events, read_bytes;         /* [M] */
	u32 generation; /* [M] of the ring: sub-buffers are numbered anew when it changes */
	u32 resets;     /* [M] events are numbered anew when it changes, and so does generation */
};

struct trace_buffer {
	u32 flags;
	u32 record_disabled; /* atomic */
	u32 record_off;      /* tracing_on is 0 */
	u64 (*clock)(void);
	rb_wait_queue_t waiters; /* readers of all CPUs */
	unsigned nr_cpus;
	struct ring_buffer_per_cpu *cpus[]; /* NULL for a CPU that is not there */
};

/* How far committed data goes in the sub-buffer seq on page index; ~0 when the buffer is not that
 * far. Any context. */
static inline u32 rb_committed(struct ring_buffer_per_cpu *cb, u32 seq, u32 index)
{
	u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);
	s32 ahead = (s32)(rb_seq(commit) - seq);

	if (ahead < 0)
		return ~0U;
	return ahead ? __atomic_load_n(&cb->pages[index].final, __ATOMIC_RELAXED)
		     : rb_offset(commit);
}

/* The bytes that the event takes, its header included. Any context. */
u32 rb_event_size(const struct ring_buffer_event *event);
/* Step over the event at *offset: its time delta is added to *stamp. True if it is data, false if
 * only time or padding. */
bool rb_event_is_data(const struct ring_buffer_event *event, u64 *stamp);

/*
 * Takes the CPU's reader lock with interrupts off, and returns the interrupt flags. Any context
 * that may wait for a spinlock, and that no reader of this CPU runs below.
 */
unsigned long rb_reader_lock(struct ring_buffer_per_cpu *cb);
void rb_reader_unlock(struct ring_buffer_per_cpu *cb, unsigned long flags);
/*
 * Takes the CPU's reader lock in any context, NMI included. Returns false at once if the code that
 * this call interrupted (or that a tracer runs in) holds a reader lock on this CPU. With interrupts
 * off it waits RB_LOCK_TIMEOUT at most, because the holder may be a CPU that panic has stopped.
 */
bool rb_reader_lock_any_context(struct ring_buffer_per_cpu *cb, unsigned long *flags);

/* The sub-buffer after the last one the reader had. [M] */
static inline u32 rb_reader_next(const struct ring_buffer_per_cpu *cb)
{
	return cb->reader_active ? cb->reader_seq + 1 : 0;
}

/* The oldest published sub-buffer from `from` on in the ring; see trace/ring_buffer/read.c. */
bool rb_oldest(struct ring_buffer_per_cpu *cb, u32 from, u64 *word, u64 **slot);
/* Have the reader's page hold unread data; its committed length, or 0 when the buffer is empty. [M]
 */
u32 rb_reader_page(struct ring_buffer_per_cpu *cb);

/* There is something to read, and the buffer is so full. Task context. */
bool rb_is_ready(struct ring_buffer_per_cpu *cb, unsigned percent);
/*
 * True when it is; else the CPU's waker will be raised once it may be. After rb_sync_cpu() the
 * caller asks rb_is_ready() again before it sleeps. Task context.
 */
bool rb_want_wake(struct ring_buffer_per_cpu *cb, unsigned percent);

int rb_alloc_pages(struct ring_buffer_per_cpu *cb, u32 nr_slots);
void rb_free_pages(struct buffer_page *pages, u32 count);
/* Keep new writers of the CPU out and wait for those inside; then let them in again. why: 1, or
 * RB_CHANGING. Task context. */
void rb_quiesce(struct ring_buffer_per_cpu *cb, u32 why);
void rb_resume(struct ring_buffer_per_cpu *cb, u32 why);
void rb_init_ring(struct ring_buffer_per_cpu *cb);
