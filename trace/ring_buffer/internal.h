/*
 * The ring buffer's internal structures, shared by its files:
 *
 *	write.c, write.h	writers: claim room, write, publish
 *	read.c, iter.c		readers: consume, or iterate over copies
 *	wait.c, sleep.c		readers that wait for events
 *	manage.c		allocation, reset, resize, statistics
 *	swap.c			exchanges one CPU's parts of two buffers
 *	persistent.c		a buffer in memory that survives a reboot
 *	map.c			a buffer that programs read in their own memory
 *
 * One CPU's buffer is a ring of slots. A slot holds a page, and events are written into the page,
 * one behind the other. Pages are numbered in the order in which writers fill them: 0, 1, 2, ...
 * This number is `seq`. Page `seq` belongs in slot seq % nr_slots. So when the ring has been filled
 * once, the next page goes into slot 0 again.
 *
 * A slot is one word. It says which page is in the slot, and for which seq:
 *
 *      63        32 31            12 11          1 0
 *      | seq       | page index     |             |S|    S: a spare page, without data to read
 *
 * Writing. The writers of a CPU are a task and the interrupts and NMIs that nest in it. They share
 * the tail: two words that change in one CMPXCHG16B. The low word is the place of the next event,
 * the high word is the time of the last event.
 *
 *      lo:  | seq (32) | page index (20) | offset in data (12) |         hi: time stamp
 *
 * A writer moves the tail behind its event. After a successful exchange it owns the room between
 * the two places. The event's header has the difference of the two times. If another writer
 * interrupts between the read of the tail and the exchange, the exchange fails, and the writer
 * tries again with a newer time. So the order of events in space and in time is always the same.
 *
 * Publishing. Writers nest: a task writes, an interrupt comes and writes, too, and ends first. The
 * task is the outermost writer. Events become readable when the outermost writer ends: it copies
 * the tail's place to `commit`. All events before that place are complete. When the tail leaves a
 * page, the length of the page's data goes to `final`.
 *
 * Taking pages. A ring has one page more than slots: the reader's page, which is in no slot. A
 * reader that consumes (trace_pipe) exchanges it for the oldest page in the ring; the page that it
 * leaves there is a spare. Writers and readers take pages out of slots. Each uses one
 * compare-and-exchange of the slot's word, so exactly one of them gets the page. {h, P} is a word
 * with seq h and page index P:
 *
 *      reader  {h, P}    -> {h, spare, S}     reads page h, leaves its last page as a spare
 *      writer  {h, P}    -> {h + nr_slots, P} overwrites page h (overwrite mode)
 *              {h, P, S} -> {h + nr_slots, P} overwrites a spare: no event is lost
 *
 * The number wraps at seq_limit, a multiple of nr_slots. So the slot after the last one is always
 * slot 0, also at the wrap. struct rb_position tells how numbers are compared.
 *
 * That is the whole ring as it usually is, with pages of 4 KiB. Two things are added to it; skip
 * them at first:
 *
 * Larger pages. What is a page above may be 1, 2, 4, ... pages of 4 KiB: a sub-buffer of 1 << order
 * pages. All comments below call it a sub-buffer, and its memory a page. The index counts in 4 KiB,
 * so it is a multiple of 1 << order, and only each such element of pages[] is in use. The offset in
 * a larger sub-buffer is longer than 12 bits. It also has the low bits of the index, which are 0
 * there: the low half of a place is an address in the ring's memory. offset_mask and pages_mask
 * separate the two parts. They cost a writer nothing, because they are operands in the cache line
 * of the tail where constants would be. So the largest ring has 4 GiB with sub-buffers of any size.
 *
 * Persistent buffers (persistent.c) have a sum in each page, which tells after a crash whether its
 * data are whole.
 */
#pragma once

#include "arch/cpu/local.h"
#include "kernel/cpumask.h"
#include "trace/ring_buffer/ring_buffer.h"
#include "trace/ring_buffer/port.h"

#define RB_OFFSET_BITS 12
#define RB_INDEX_BITS  20
#define RB_SEQ_SHIFT   (RB_OFFSET_BITS + RB_INDEX_BITS)
#define RB_SEQ_NUMBERS (1UL << 32)
#define RB_SLOT_SPARE  1UL
/* In nest: a nested writer has ended, and the outermost writer must publish its event. */
#define RB_NEST_MARK (1U << 31)
/*
 * In record_disabled: the ring is being replaced. Events refused for this alone are dropped events.
 */
#define RB_CHANGING (1U << 31)
/* Slots of the largest ring of one-page sub-buffers. Two pages are not in slots. */
#define RB_MAX_SLOTS ((1U << RB_INDEX_BITS) - 2)
/*
 * ns that a CPU with interrupts off waits for the reader lock; a running holder needs microseconds
 */
#define RB_LOCK_TIMEOUT 1000000000UL

static inline u32 rb_seq(u64 place)
{
	return (u32)(place >> RB_SEQ_SHIFT);
}

static inline u64 rb_place(u32 seq, u32 index, u32 low)
{
	return ((u64)seq << RB_SEQ_SHIFT) | ((u64)index << RB_OFFSET_BITS) | low;
}

/*
 * [W] written by this CPU's writers; others may read it once commit has passed the page. [M] the
 * reader lock. [A] atomic.
 */
struct buffer_page {
	struct buffer_data_page *data; /* constant while the ring exists */
	u64 entries;                   /* [W] events in the page */
	u64 first; /* [W] atomic: number of its first event since the last reset */
	u32 final; /* [W] bytes of data, once the tail has left the page */
	u32 sum;   /* [W] rb_page_sum(), once commit has left the page; RB_FL_PERSISTENT */
};
#define RB_PAGE_STRUCT_SHIFT 5
BUILD_BUG_ON(sizeof(struct buffer_page) != 1 << RB_PAGE_STRUCT_SHIFT);

/*
 * A sub-buffer that a reader remembers. The number alone is ambiguous: writers use the same numbers
 * again after seq_limit. So a position also has the number of the sub-buffer's first event, which
 * never wraps.
 *
 * A sub-buffer holds 1 event at least, and at most 512 in each of its pages. If the first events of
 * two positions are less than RB_STALE events apart, their distance is below seq_limit / 2, and
 * their seq can be compared. If they are further apart, the writers have overwritten even the
 * largest ring.
 */
struct rb_position {
	u32 seq;
	u64 first;
};
#define RB_STALE (1UL << 30)    /* events */
#define RB_FAR   ((s64)1 << 40) /* the distance of positions that cannot be compared */

struct ring_buffer_per_cpu {
	/* The writers' half. */
	struct local_pair tail; /* [W] */
	u64 commit;             /* [W] release store; acquire load by readers */
	union {
		struct {
			u32 nest; /* [W] writers between reserve and commit; RB_NEST_MARK */
			u32 record_disabled; /* [A] a count; RB_CHANGING */
		};
		u64 quick_state; /* both, with one load: 1 for the only writer, if it may write */
	};
	/*
	 * [W] Of the sub-buffer of commit: rb_set_quick() in write.c. quick_end: the place behind
	 * it; 0: rb_reserve_quick() does not write there. Another CPU may write 0 when it sets the
	 * clock; whatever a writer makes of that meanwhile ends with the reset that follows.
	 */
	u64 quick_end;
	u64 quick_base;                 /* [W] a place and this are the address in memory */
	struct buffer_page *quick_page; /* [W] */
	/*
	 * Constant while writers may run. nr_slots + 1 sub-buffers: one is the reader's or spare.
	 */
	struct buffer_page *pages;
	u64 offset_mask; /* like pages: of a place, its offset; 64 bits save an instruction */
	u32 pages_mask;  /* like pages: of a place, where its page is in pages[], in bytes */
	u32 data_size;   /* like pages: bytes of data in a sub-buffer */
	u32 waiting;     /* [A] the next event wakes a reader: trace/ring_buffer/wait.c */
	u32 nr_slots;    /* like pages */
	struct trace_buffer *buffer; /* [A] constant, but for swap.c */
	u64 *slots;                  /* pointer like pages; words by compare-and-exchange */
	u64 overrun, commit_overrun, dropped_events, written; /* [W] */
	u32 order; /* like pages, but others may read it: a sub-buffer has 1 << order pages */
	u32 full_waiting; /* [A] the start of sub-buffer wake_seq wakes a reader */
	u32 wake_seq;     /* [M] to write, before full_waiting */
	u32 cpu;          /* constant */
	u64 seq_limit;    /* like pages: sub-buffer numbers are below this multiple of nr_slots */
	struct rb_waker waker;
	struct ring_buffer_per_cpu
		*partner; /* [A] what swap.c exchanges it with; NULL: nothing yet */

	/* The readers' half. */
	rb_lock_t reader_lock __aligned(64); /* M */
	u32 reader_index;                    /* [M] the page that is out of the ring */
	bool reader_active;                  /* [M] the page holds a sub-buffer */
	struct rb_position reader_pos;       /* [M] its position, or that before the first */
	u32 read;                            /* [M] bytes consumed of it */
	u64 read_stamp;                      /* [M] time of the last consumed event */
	u64 read_entries;                    /* [M] events consumed of this page */
	u64 expected;                        /* [M] number that the next event should have */
	u64 lost;                            /* [M] events lost before the next, not reported yet */
	u64 read_events, read_bytes;         /* [M] */
	u32 generation; /* [M] of the ring: a new ring numbers its sub-buffers anew */
	u32 resets;     /* [M] a reset numbers events anew, and makes a new generation */
	u32 mapped;     /* [buffer->map_lock] areas of programs that show the ring */
	struct trace_buffer_meta *meta; /* [M] the first page of these areas */
	/* [M] After a reset: tells the programs. NULL: there are none. map.c */
	void (*was_reset)(struct ring_buffer_per_cpu *cb);
};

struct trace_buffer {
	union {
		struct {
			u32 record_disabled; /* [A] a count */
			u32 record_off;      /* [A] tracing_on is 0 */
		};
		u64 record_stopped; /* both: writers read them with one load */
	};
	u32 flags;
	u64 (*clock)(void);
	rb_wait_queue_t waiters; /* readers of all CPUs */
	unsigned nr_cpus;
	u32 swaps;           /* [A] of parts, so far: swap.c */
	rb_mutex_t map_lock; /* rings that are mapped do not change: map.c. After mmap_lock */
	/* [A] constant, but for swap.c. NULL for a CPU that does not exist. */
	struct ring_buffer_per_cpu *cpus[];
};

/* Returns the order without the reader lock. It may change at once. */
static inline u32 rb_order(const struct ring_buffer_per_cpu *cb)
{
	return __atomic_load_n(&cb->order, __ATOMIC_RELAXED);
}

static __always_inline u64 rb_offset(const struct ring_buffer_per_cpu *cb, u64 place)
{
	return place & cb->offset_mask;
}

/* Returns the page of a place or of a slot's word. at: where it is in pages[], in bytes. */
static __always_inline struct buffer_page *rb_page(const struct ring_buffer_per_cpu *cb, u64 place)
{
	u32 at = (u32)place >> (RB_OFFSET_BITS - RB_PAGE_STRUCT_SHIFT) & cb->pages_mask;

	return (struct buffer_page *)((u8 *)cb->pages + at);
}

static inline u32 rb_index(const struct ring_buffer_per_cpu *cb, u64 place)
{
	return (u32)place >> RB_OFFSET_BITS & cb->pages_mask >> RB_PAGE_STRUCT_SHIFT;
}

/* Returns the number of the sub-buffer that comes n (at most seq_limit) after seq. */
static __always_inline u32 rb_seq_add(const struct ring_buffer_per_cpu *cb, u32 seq, u64 n)
{
	u64 sum = seq + n;

	return (u32)(sum >= cb->seq_limit ? sum - cb->seq_limit : sum);
}

static __always_inline u32 rb_seq_sub(const struct ring_buffer_per_cpu *cb, u32 seq, u32 n)
{
	return rb_seq_add(cb, seq, cb->seq_limit - n);
}

/* Returns a - b in sub-buffers. Their distance must be below seq_limit / 2. */
static __always_inline s64 rb_seq_diff(const struct ring_buffer_per_cpu *cb, u32 a, u32 b)
{
	s64 diff = (s64)a - (s64)b, limit = (s64)cb->seq_limit;

	if (diff > limit / 2)
		return diff - limit;
	return diff < -limit / 2 ? diff + limit : diff;
}

/* Returns a - b in sub-buffers, RB_FAR or -RB_FAR at least if they cannot be compared. */
static inline s64 rb_position_diff(const struct ring_buffer_per_cpu *cb, struct rb_position a,
				   struct rb_position b)
{
	s64 events = (s64)(a.first - b.first);

	if (events >= (s64)RB_STALE)
		return RB_FAR;
	if (events <= -(s64)RB_STALE)
		return -RB_FAR;
	return rb_seq_diff(cb, a.seq, b.seq);
}

/* Returns the position of the sub-buffer that a slot's word, or a place, names. */
static inline struct rb_position rb_position(const struct ring_buffer_per_cpu *cb, u64 word)
{
	const struct buffer_page *page = rb_page(cb, word);

	return (struct rb_position){ rb_seq(word),
				     __atomic_load_n(&page->first, __ATOMIC_RELAXED) };
}

/*
 * Returns how many bytes of the sub-buffer seq, which is in the ring on page index, are committed;
 * ~0 if commit has not reached it. Any context.
 */
static inline u32 rb_committed(struct ring_buffer_per_cpu *cb, u32 seq, u32 index)
{
	u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);
	s64 ahead = rb_seq_diff(cb, rb_seq(commit), seq);

	if (ahead < 0)
		return ~0U;
	return ahead ? __atomic_load_n(&cb->pages[index].final, __ATOMIC_RELAXED)
		     : (u32)rb_offset(cb, commit);
}

/* True if `commit` is in the reader's page: writers may still add events to the page. [M] */
static inline bool rb_commit_in_reader_page(const struct ring_buffer_per_cpu *cb, u64 commit)
{
	return cb->reader_active && rb_index(cb, commit) == cb->reader_index;
}

/* Returns how many bytes of the reader's page are committed. reader_active is true. [M] */
static inline u32 rb_reader_committed(const struct ring_buffer_per_cpu *cb)
{
	u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);

	if (rb_commit_in_reader_page(cb, commit))
		return (u32)rb_offset(cb, commit);
	return __atomic_load_n(&cb->pages[cb->reader_index].final, __ATOMIC_RELAXED);
}

/*
 * Notes that the reader has had the rest of its page, of which `length` bytes are committed. [M]
 */
void rb_consume_page(struct ring_buffer_per_cpu *cb, u32 length);
/* Returns the size of the event in bytes, with its header. Any context. */
u32 rb_event_size(const struct ring_buffer_event *event);
/*
 * Adds the event's time delta to *stamp, or sets *stamp to an absolute time. Returns true for a
 * data event, false for padding and for events that hold only a time. Any context.
 */
bool rb_event_is_data(const struct ring_buffer_event *event, u64 *stamp);

/*
 * Takes the CPU's reader lock with interrupts off, and returns the interrupt flags for the unlock.
 * Not in NMI, and not inside code that may interrupt or trace a reader of this CPU.
 */
unsigned long rb_reader_lock(struct ring_buffer_per_cpu *cb);
void rb_reader_unlock(struct ring_buffer_per_cpu *cb, unsigned long flags);
/*
 * Takes the CPU's reader lock in any context, NMI included. Returns false at once if the code that
 * this call interrupts (or that a tracer runs in) holds or waits for a reader lock on this CPU.
 * With interrupts off it waits RB_LOCK_TIMEOUT at most, because the holder may be a CPU that panic
 * has stopped, and without wait not at all.
 */
bool rb_reader_lock_any_context(struct ring_buffer_per_cpu *cb, unsigned long *flags, bool wait);

/* Returns the position after the last sub-buffer that the reader had. [M] */
static inline struct rb_position rb_reader_next(const struct ring_buffer_per_cpu *cb)
{
	struct rb_position next = cb->reader_pos;

	next.seq = rb_seq_add(cb, next.seq, 1);
	return next;
}

/*
 * Finds the oldest sub-buffer in the ring that is not before `from` and holds published data:
 * returns its slot and the slot's word. The word may change at any time, so the caller must claim
 * the page or validate its copy. False if there is no such sub-buffer. [M]
 */
bool rb_oldest(struct ring_buffer_per_cpu *cb, struct rb_position from, u64 *word, u64 **slot);
/*
 * Makes the reader's page hold unread data. Returns its committed length, or 0 if the buffer is
 * empty. [M]
 */
u32 rb_reader_page(struct ring_buffer_per_cpu *cb);

/* True if the buffer holds an unread event and is filled to the percentage. Task context. */
bool rb_is_ready(struct ring_buffer_per_cpu *cb, unsigned percent);
/*
 * Returns true if the buffer is ready as above. Else it requests that a writer raises the CPU's
 * waker when the buffer may be ready. The caller must then call rb_sync_cpu() and ask rb_is_ready()
 * again before it sleeps. Task context.
 */
bool rb_want_wake(struct ring_buffer_per_cpu *cb, unsigned percent);

/* Fills what follows from the size of the ring and of its sub-buffers. */
void rb_set_shape(struct ring_buffer_per_cpu *cb, u32 nr_slots, u32 order);
/*
 * rb_quiesce() keeps new writers of the CPU out and waits until those inside have left;
 * rb_resume() lets writers in again. why: 1, or RB_CHANGING. Task context.
 */
void rb_quiesce(struct ring_buffer_per_cpu *cb, u32 why);
void rb_resume(struct ring_buffer_per_cpu *cb, u32 why);
void rb_init_ring(struct ring_buffer_per_cpu *cb);
/* Initializes what is not the ring: locks, wakers, the CPU's number. */
void rb_init_cpu(struct ring_buffer_per_cpu *cb, struct trace_buffer *buffer, unsigned cpu);
/* Allocates a buffer without the parts of the CPUs. NULL without memory. */
struct trace_buffer *rb_alloc_buffer(u32 flags);

/* ---- persistent buffers ---- */

/* Adds a word to a sum. */
static __always_inline u64 rb_sum_step(u64 sum, u64 word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15UL;
	return sum << 23 | sum >> 41;
}

/*
 * Returns the sum of a sub-buffer's data and of its numbers in buffer_page. One changed bit always
 * changes the 64-bit state. Part of rb_publish_pages(), so it cannot be traced.
 */
static __always_inline u32 rb_page_sum(const struct buffer_page *page,
				       const struct buffer_data_page *data, u32 seq, u32 index)
{
	u64 sum = rb_sum_step(rb_sum_step(page->entries, page->first), rb_place(seq, index, 0));
	u32 length = min(page->final, RB_PAGE_DATA);

	sum = rb_sum_step(rb_sum_step(sum, page->final), data->time_stamp);
	for (u32 i = 0; i < length; i += sizeof(u64))
		sum = rb_sum_step(sum, i + sizeof(u64) <= length ? *(const u64 *)(data->data + i)
								 : *(const u32 *)(data->data + i));
	return (u32)(sum >> 32 ^ sum);
}
