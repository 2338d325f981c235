/*
 * The ring buffer: per-CPU buffers of 4 KiB sub-buffers in Linux's binary page format.
 *
 * Writers never wait: any context may write (task, softirq, irq, NMI), each nesting inside the one
 * it interrupted, with preemption off from reserve to commit. Readers run on any CPU and take whole
 * sub-buffers away from the writers. Format: Documentation/trace/ring-buffer-map.rst and what Linux
 * shows in events/header_page and events/header_event. The mechanism is our own;
 * trace/ring_buffer/write.c tells it.
 */
#pragma once

#include "kernel/types.h"

#define RB_PAGE_SIZE   4096U
#define RB_PAGE_HEADER 16U /* time stamp, commit */
#define RB_PAGE_DATA   (RB_PAGE_SIZE - RB_PAGE_HEADER)
#define RB_MAX_EVENT   (RB_PAGE_DATA - 16U) /* payload bytes, with room for a time extend */

/* In the commit word of a page that left the buffer: events were lost before it; their count
 * follows the data. */
#define RB_MISSED_EVENTS (1U << 31)
#define RB_MISSED_STORED (1U << 30)

enum ring_buffer_type {
	RINGBUF_TYPE_DATA_TYPE_LEN_MAX = 28, /* 1..28: payload words; 0: length in array[0] */
	RINGBUF_TYPE_PADDING = 29,
	RINGBUF_TYPE_TIME_EXTEND = 30,
	RINGBUF_TYPE_TIME_STAMP = 31,
};

struct ring_buffer_event {
	u32 type_len : 5, time_delta : 27;
	u32 array[];
};

/* A sub-buffer as trace_pipe_raw hands it out. */
struct buffer_data_page {
	u64 time_stamp; /* of the first event, ns or the clock's unit */
	u64 commit;     /* bytes of data; RB_MISSED_* */
	u8 data[RB_PAGE_DATA];
};

struct file;
struct poll_table_struct;
struct trace_buffer;
struct ring_buffer_iter;

#define RB_FL_OVERWRITE 1U /* a full buffer loses its oldest events; without it, the newest */

/* size: bytes for each CPU, rounded up to sub-buffers, two at the least. NULL without memory. Task
 * context. */
struct trace_buffer *ring_buffer_alloc(size_t size, u32 flags);
void ring_buffer_free(struct trace_buffer *buffer);

#define RING_BUFFER_ALL_CPUS (-1)
/*
 * Change the size of one CPU's buffer or of all while writers go on: the newest events that fit are
 * kept. Events that come in the moment of the change count as dropped. 0 or -ENOMEM (unchanged).
 * Task context.
 */
int ring_buffer_resize(struct trace_buffer *buffer, size_t size, int cpu);
size_t ring_buffer_size(struct trace_buffer *buffer, unsigned cpu); /* bytes */
void ring_buffer_change_overwrite(struct trace_buffer *buffer, bool overwrite);
/* The time stamps' source; the buffer is to be reset after a change. Any context must be able to
 * call it. */
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void));

/*
 * Room for length payload bytes on this CPU, or NULL (recording off, no room in drop mode, or
 * longer than RB_MAX_EVENT). Preemption is off already and stays off until the commit. Any context.
 */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, size_t length);
void ring_buffer_unlock_commit(struct trace_buffer *buffer);
void *ring_buffer_event_data(struct ring_buffer_event *event);
size_t ring_buffer_event_length(const struct ring_buffer_event *event);

/* Recording on and off, counted, for the buffer or one CPU; what comes while it is off is not
 * counted. Any context. */
void ring_buffer_record_disable(struct trace_buffer *buffer);
void ring_buffer_record_enable(struct trace_buffer *buffer);
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, unsigned cpu);
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, unsigned cpu);
/* The switch behind tracing_on, not counted. */
void ring_buffer_record_on(struct trace_buffer *buffer);
void ring_buffer_record_off(struct trace_buffer *buffer);
bool ring_buffer_record_is_set_on(struct trace_buffer *buffer);

/*
 * Consuming readers. peek: the oldest event of one CPU or NULL, valid until the next call for that
 * CPU; consume takes it. ts: its time; lost: events lost just before it. Each takes the CPU's
 * reader mutex (a spinlock): not from NMI.
 */
struct ring_buffer_event *ring_buffer_peek(struct trace_buffer *buffer, unsigned cpu, u64 *ts,
					   u64 *lost);
/* Copies the payload (at most size bytes) to data; its length, or -1 when the buffer is empty. */
long ring_buffer_consume(struct trace_buffer *buffer, unsigned cpu, void *data, size_t size,
			 u64 *ts, u64 *lost);
/*
 * One sub-buffer of a CPU into page, in the format that leaves the machine. With full, only
 * sub-buffers that the writer has left. 0, or -EAGAIN when there is nothing.
 */
int ring_buffer_read_page(struct trace_buffer *buffer, unsigned cpu, struct buffer_data_page *page,
			  bool full);
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, unsigned cpu);

/*
 * Iterating without consuming, while writers go on: each sub-buffer is copied, and left out when a
 * writer took it meanwhile. NULL without memory. Task context.
 */
struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned cpu);
void ring_buffer_read_finish(struct ring_buffer_iter *iter);
struct ring_buffer_event *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts, u64 *lost);
void ring_buffer_iter_advance(struct ring_buffer_iter *iter);
void ring_buffer_iter_reset(struct ring_buffer_iter *iter);
/*
 * True if the last ring_buffer_iter_peek() returned NULL because it could not get the CPU's reader
 * lock: this CPU holds the lock in the code that was interrupted or traced, or the holder is stuck.
 * Never true for a caller in task context with interrupts on.
 */
bool ring_buffer_iter_busy(const struct ring_buffer_iter *iter);

/*
 * Sleep until cond(data), or until a CPU's buffer is so many percent full; 0 or NULL: until there
 * is an event, as always for all CPUs. cond must not sleep; who makes it true or changes *percent
 * calls ring_buffer_wake_waiters(). 0 or -EINTR. Task context.
 */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, const unsigned *percent,
		     bool (*cond)(void *data), void *data);
/* The same for a poll operation: POLLIN | POLLRDNORM, or 0 and file's poll waits for it. */
unsigned ring_buffer_poll_wait(struct trace_buffer *buffer, int cpu, struct file *file,
			       struct poll_table_struct *table, unsigned percent);
/* Have all waiting readers look again. Any context. */
void ring_buffer_wake_waiters(struct trace_buffer *buffer);

/* Forget all events and counts of one CPU or all. Task context. */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, unsigned cpu);
void ring_buffer_reset(struct trace_buffer *buffer);

/* Figures of one CPU, exact while it does not write. */
struct ring_buffer_stats {
	u64 entries;        /* readable now */
	u64 overrun;        /* overwritten unread */
	u64 commit_overrun; /* refused: interrupted writers filled the whole buffer */
	u64 bytes;          /* readable now, headers of events included */
	u64 oldest_event_ts;
	u64 dropped_events; /* refused: full in drop mode, or the buffer was being changed */
	u64 read_events;
	u64 written; /* all that were ever committed */
};
void ring_buffer_cpu_stats(struct trace_buffer *buffer, unsigned cpu,
			   struct ring_buffer_stats *stats);
u64 ring_buffer_time_stamp(struct trace_buffer *buffer);
