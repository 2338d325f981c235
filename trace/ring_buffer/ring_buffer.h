/*
 * The ring buffer: one buffer per CPU, made of sub-buffers in Linux's binary page format. A
 * sub-buffer has 4 KiB, or a power of two times that.
 *
 * Writers never wait. A writer may run in any context (task, softirq, irq, NMI) and may interrupt
 * another writer of the same CPU; preemption is off from reserve to commit. Readers run on any CPU,
 * and take whole sub-buffers away from the writers. Documentation/trace/ring-buffer-map.rst, and
 * Linux's files events/header_page and events/header_event, describe the format. The mechanism is
 * our own: trace/ring_buffer/internal.h explains it.
 */
#pragma once

#include "kernel/types.h"

#define RB_PAGE_SIZE   4096U
#define RB_PAGE_HEADER 16U                             /* time stamp, commit */
#define RB_PAGE_DATA   (RB_PAGE_SIZE - RB_PAGE_HEADER) /* of a sub-buffer of one page */
#define RB_ORDER_MAX   7U                              /* a sub-buffer has 1 << order pages */
/* Payload bytes of the largest event in such a sub-buffer; leaves room for a time extend. */
#define RB_MAX_EVENT(order) ((RB_PAGE_SIZE << (order)) - RB_PAGE_HEADER - 16U)

/*
 * Flags in the commit word of a page that a reader has taken: events were lost before this page;
 * the count of lost events follows the data.
 */
#define RB_MISSED_EVENTS (1U << 31)
#define RB_MISSED_STORED (1U << 30)

enum ring_buffer_type {
	RINGBUF_TYPE_DATA_TYPE_LEN_MAX = 28, /* 1..28: payload words; 0: length in array[0] */
	RINGBUF_TYPE_PADDING = 29,
	RINGBUF_TYPE_TIME_EXTEND = 30,
	RINGBUF_TYPE_TIME_STAMP = 31,
};

/*
 * The head of an event. type_len 1 to 28: the data have so many words, in array[]; otherwise enum
 * ring_buffer_type. time_delta: the time since the event before it.
 */
struct ring_buffer_event {
	u32 type_len : 5, time_delta : 27;
	u32 array[];
};

/* A sub-buffer in the format of trace_pipe_raw. Of several pages: more data follow. */
struct buffer_data_page {
	u64 time_stamp; /* of the first event, in ns or in the clock's unit */
	u64 commit;     /* bytes of data; RB_MISSED_*. In what a reader gets only */
	u8 data[RB_PAGE_DATA];
};

struct trace_buffer;
struct ring_buffer_iter;
struct wait_queue_head;

#define RB_FL_OVERWRITE  1U /* a full buffer loses its oldest events; else it refuses new events */
#define RB_FL_PERSISTENT 2U /* set by ring_buffer_alloc_range() */

/*
 * Allocates a buffer with sub-buffers of one page. size: bytes per CPU, rounded up to whole
 * sub-buffers, at least two. Returns NULL without memory. Task context.
 */
struct trace_buffer *ring_buffer_alloc(size_t size, u32 flags);
void ring_buffer_free(struct trace_buffer *buffer);

/*
 * A persistent buffer lies in an area of memory that a reboot does not change, and keeps its events
 * across the reboot (persistent.c).
 */
enum ring_buffer_previous {
	RB_PREVIOUS_NONE,        /* the area held no buffer */
	RB_PREVIOUS_OTHER_KEY,   /* a kernel with another key has written it: not read */
	RB_PREVIOUS_OTHER_SHAPE, /* another size, or another number of CPUs: not read */
	RB_PREVIOUS_KEPT,
};
struct ring_buffer_recovery {
	enum ring_buffer_previous previous;
	u64 pages, damaged; /* sub-buffers that were kept; that were left out because of damage */
	u64 events, hidden; /* events that were kept; that valid() has refused */
};
/*
 * Returns whether the text of an event can be made. The payload may hold any bytes. It must not
 * change the payload.
 */
typedef bool (*ring_buffer_valid_t)(const void *payload, size_t length);
/*
 * Makes a buffer in [area, area + size), page-aligned, and keeps the events that an earlier buffer
 * has left there, if that had the same key, size and number of CPUs. key: tells the builds of the
 * kernel apart. NULL: the area is too small, or there is no memory. Its size never changes:
 * ring_buffer_resize() returns -EBUSY. ring_buffer_free() leaves the area as it is. Task context.
 */
struct trace_buffer *ring_buffer_alloc_range(void *area, size_t size, u64 key, u32 flags,
					     ring_buffer_valid_t valid,
					     struct ring_buffer_recovery *found);

#define RING_BUFFER_ALL_CPUS (-1)
/*
 * Changes the size of the buffer of one CPU or of all CPUs while writers run. Keeps the newest
 * events that fit. Events that are written during the change count as dropped. Returns 0, or
 * -ENOMEM and nothing is changed. Task context.
 */
int ring_buffer_resize(struct trace_buffer *buffer, size_t size, int cpu);
size_t ring_buffer_size(struct trace_buffer *buffer, unsigned cpu); /* bytes */
/*
 * Gives the buffer sub-buffers of 1 << order pages, which are contiguous memory. The buffer of each
 * CPU keeps its size, rounded up to whole sub-buffers, at least two; its events are removed, and
 * its counts cleared. Returns 0, or -EINVAL, -ENOMEM, and -EBUSY of a persistent buffer, and
 * nothing is changed. Writers and readers may run: an iterator ends until ring_buffer_iter_fit().
 * Task context.
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, unsigned order);
/* Makes the buffer as small as can be: sub-buffers of one page, two for each CPU. As above. */
int ring_buffer_shrink(struct trace_buffer *buffer);
unsigned ring_buffer_subbuf_order_get(struct trace_buffer *buffer);
size_t ring_buffer_subbuf_size_get(struct trace_buffer *buffer); /* bytes, with the header */
void ring_buffer_change_overwrite(struct trace_buffer *buffer, bool overwrite);
/*
 * Sets the source of time stamps, callable in any context. The caller resets the buffer afterwards.
 */
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void));

/*
 * Reserves room for length payload bytes in this CPU's buffer. Returns NULL if recording is off, if
 * drop mode has no room, or if length is above RB_MAX_EVENT(). The caller has turned
 * preemption off, and leaves it off until the commit. Any context.
 */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, size_t length);
void ring_buffer_unlock_commit(struct trace_buffer *buffer);
/*
 * Counts an event as dropped that its writer could not even reserve room for. Preemption off, any
 * context.
 */
void ring_buffer_count_dropped(struct trace_buffer *buffer);
void *ring_buffer_event_data(struct ring_buffer_event *event);
size_t ring_buffer_event_length(const struct ring_buffer_event *event);

/*
 * Turn recording off and on, for all CPUs or for one CPU. The calls nest. Events that come while
 * recording is off are not counted as lost. Any context.
 */
void ring_buffer_record_disable(struct trace_buffer *buffer);
void ring_buffer_record_enable(struct trace_buffer *buffer);
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, unsigned cpu);
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, unsigned cpu);
/* The switch behind tracing_on. These calls do not nest. */
void ring_buffer_record_on(struct trace_buffer *buffer);
void ring_buffer_record_off(struct trace_buffer *buffer);

/*
 * Consuming readers. ring_buffer_peek() returns the oldest event of one CPU, or NULL; the event is
 * valid until the next call for that CPU. ts: the event's time; lost: events lost just before it.
 * All consuming functions take the CPU's reader lock, a spinlock: not in NMI, and not in code that
 * may interrupt or trace a reader of this CPU.
 */
struct ring_buffer_event *ring_buffer_peek(struct trace_buffer *buffer, unsigned cpu, u64 *ts,
					   u64 *lost);
/*
 * Consumes the oldest event, if wanted() returns true for its payload and no event was lost before
 * it. No other reader can take the event in between: wanted() is called with the reader lock held
 * and interrupts off, so it must be short and must not sleep. False: nothing was consumed.
 */
typedef bool (*ring_buffer_wanted_t)(const void *payload, size_t length, void *data);
bool ring_buffer_consume_if(struct trace_buffer *buffer, unsigned cpu, ring_buffer_wanted_t wanted,
			    void *data);
/*
 * Consumes the oldest event: copies its payload (at most size bytes) to data. Returns the payload's
 * length, or -1 if the buffer is empty.
 */
long ring_buffer_consume(struct trace_buffer *buffer, unsigned cpu, void *data, size_t size,
			 u64 *ts, u64 *lost);
/*
 * Consumes one sub-buffer of a CPU: copies it to page in the binary page format. size: the bytes
 * that page has. full: take only a sub-buffer that the writer has left. Returns the size of the
 * sub-buffer; -EAGAIN if there is none, or -EMSGSIZE: page is too small.
 */
int ring_buffer_read_page(struct trace_buffer *buffer, unsigned cpu, struct buffer_data_page *page,
			  size_t size, bool full);
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, unsigned cpu);

/*
 * Iterators read without consuming, while writers run. An iterator copies each sub-buffer, and
 * skips it if a writer has taken it during the copy. ring_buffer_read_start() returns NULL without
 * memory. Start, finish and fit: task context. The other functions: any context, NMI included, but
 * only one context at a time for one iterator.
 */
struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned cpu);
void ring_buffer_read_finish(struct ring_buffer_iter *iter);
struct ring_buffer_event *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts, u64 *lost);
void ring_buffer_iter_advance(struct ring_buffer_iter *iter);
/*
 * Goes back to the first event that the buffer has now. Until then an iterator stays in the part in
 * which it has begun, also when ring_buffer_swap_this_cpu() gives that to the other buffer.
 */
void ring_buffer_iter_reset(struct ring_buffer_iter *iter);
/*
 * Makes the iterator's memory as large as the sub-buffers are now. If that needs more memory, the
 * iterator begins again, since the change has removed all events. Returns the order of the memory:
 * until the next call no event is larger. Or -ENOMEM.
 */
int ring_buffer_iter_fit(struct ring_buffer_iter *iter);
/*
 * True if the last ring_buffer_iter_peek() returned NULL because it could not get the CPU's reader
 * lock: this CPU holds the lock in the code that was interrupted or traced, or the holder is stuck.
 * Never true for a caller in task context with interrupts on.
 */
bool ring_buffer_iter_busy(const struct ring_buffer_iter *iter);

/*
 * Sleeps until cond(data) is true, or until a CPU's buffer is filled to *percent. With percent 0 or
 * NULL, and always for all CPUs, one event is enough. cond must not sleep. Code that makes cond
 * true or changes *percent must call ring_buffer_wake_waiters(). Returns 0 or -EINTR. Task context.
 */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, const unsigned *percent,
		     bool (*cond)(void *data), void *data);
/*
 * The parts of ring_buffer_wait() for a poll operation. First enter the wait queue; then
 * ring_buffer_request_wake() returns true if there is enough to read, else a writer will wake the
 * queue. Task context.
 */
struct wait_queue_head *ring_buffer_wait_queue(struct trace_buffer *buffer, int cpu);
bool ring_buffer_request_wake(struct trace_buffer *buffer, int cpu, unsigned percent);
/* Makes all waiting readers check their conditions again. Any context. */
void ring_buffer_wake_waiters(struct trace_buffer *buffer);

/* Removes all events and clears all counts of one CPU or of all CPUs. Task context. */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, unsigned cpu);
void ring_buffer_reset(struct trace_buffer *buffer);

/*
 * Exchanges this CPU's parts of two buffers of the same kind, clock and size, always the same two.
 * A writer that this call interrupts ends in the part that it began in. False, and nothing has
 * changed: an interrupted writer has begun in both parts, one of them is being changed, or their
 * sub-buffers differ in size (memory for a change was there for one of them only). Any context but
 * NMI; interrupts off. Readers of the two buffers may run. The sizes of the buffers must not change
 * during the call.
 */
bool ring_buffer_swap_this_cpu(struct trace_buffer *a, struct trace_buffer *b);

/* Statistics of one CPU, exact while the CPU does not write. */
struct ring_buffer_stats {
	u64 entries;        /* readable now */
	u64 overrun;        /* overwritten before they were read */
	u64 commit_overrun; /* refused: interrupted writers filled the whole buffer */
	u64 bytes;          /* readable now, headers of events included */
	u64 oldest_event_ts;
	u64 dropped_events; /* refused: full in drop mode, or the buffer was being changed; or
			       ring_buffer_count_dropped() */
	u64 read_events;
	u64 written; /* events committed since the last reset */
};
void ring_buffer_cpu_stats(struct trace_buffer *buffer, unsigned cpu,
			   struct ring_buffer_stats *stats);
u64 ring_buffer_time_stamp(struct trace_buffer *buffer);
