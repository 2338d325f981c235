/*
 * Consuming readers: take a sub-buffer out of the ring, and read its events one by one. Here are
 * also the reader lock and the parts that all readers use. Read trace/ring_buffer/internal.h first.
 */
#include "trace/ring_buffer/internal.h"

#define RB_DELTA_BITS 27

#ifndef NOP5_HOST
DEFINE_PER_CPU(u32, rb_reads);
#endif

u32 rb_event_size(const struct ring_buffer_event *event)
{
	switch (event->type_len) {
	case 0:
		return event->array[0] + 4;
	case RINGBUF_TYPE_PADDING:
		return event->array[0] + 4;
	case RINGBUF_TYPE_TIME_EXTEND:
	case RINGBUF_TYPE_TIME_STAMP:
		return 8;
	default:
		return event->type_len * 4 + 4;
	}
}

bool rb_event_is_data(const struct ring_buffer_event *event, u64 *stamp)
{
	u64 long_time;

	switch (event->type_len) {
	case RINGBUF_TYPE_PADDING:
		*stamp += event->time_delta;
		return false;
	case RINGBUF_TYPE_TIME_EXTEND:
		long_time = event->array[0];
		*stamp += (long_time << RB_DELTA_BITS) + event->time_delta;
		return false;
	case RINGBUF_TYPE_TIME_STAMP:
		long_time = event->array[0];
		*stamp = (long_time << RB_DELTA_BITS) + event->time_delta;
		return false;
	default:
		*stamp += event->time_delta;
		return true;
	}
}

unsigned long rb_reader_lock(struct ring_buffer_per_cpu *cb)
{
	unsigned long flags = rb_irq_save();

	rb_this_cpu_reads_inc();
	rb_lock(&cb->reader_lock);
	return flags;
}

void rb_reader_unlock(struct ring_buffer_per_cpu *cb, unsigned long flags)
{
	rb_unlock(&cb->reader_lock);
	rb_this_cpu_reads_dec();
	rb_unlocked(flags);
}

bool rb_reader_lock_any_context(struct ring_buffer_per_cpu *cb, unsigned long *flags, bool wait)
{
	bool reads = rb_this_cpu_reads(), waits = !rb_irqs_disabled();
	u64 give_up;

	if (!reads && waits) {
		*flags = rb_reader_lock(cb);
		return true;
	}
	*flags = rb_irq_save();
	rb_this_cpu_reads_inc();
	give_up = rb_ktime() + RB_LOCK_TIMEOUT;
	do {
		if (rb_trylock(&cb->reader_lock))
			return true;
		rb_relax();
	} while (wait && !reads && rb_ktime() < give_up);
	rb_this_cpu_reads_dec();
	rb_irq_restore(*flags);
	return false;
}

void *ring_buffer_event_data(struct ring_buffer_event *event)
{
	return event->type_len ? &event->array[0] : &event->array[1];
}

size_t ring_buffer_event_length(const struct ring_buffer_event *event)
{
	return event->type_len ? event->type_len * 4 : event->array[0] - 4;
}

bool rb_oldest(struct ring_buffer_per_cpu *cb, struct rb_position from, u64 *word, u64 **slot)
{
	struct rb_position last = rb_position(cb, __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE));
	s64 age = rb_position_diff(cb, last, from);

	for (age = min(age, (s64)cb->nr_slots - 1); age >= 0; age--) {
		u32 seq = rb_seq_sub(cb, last.seq, (u32)age);

		*slot = &cb->slots[seq % cb->nr_slots];
		*word = __atomic_load_n(*slot, __ATOMIC_ACQUIRE);
		if (rb_seq(*word) == seq && !(*word & RB_SLOT_SPARE))
			return true;
	}
	return false;
}

/* Accounts for the reader's page: all its events have been read, and writers have left it. */
static void rb_finish_reader_page(struct ring_buffer_per_cpu *cb)
{
	struct buffer_page *page = &cb->pages[cb->reader_index];

	cb->expected = page->first + page->entries;
}

/* Exchanges the finished page for the oldest one in the ring. False if the ring is empty. [M] */
static bool rb_swap_reader_page(struct ring_buffer_per_cpu *cb)
{
	u64 word, *slot, spare;

	do {
		if (!rb_oldest(cb, rb_reader_next(cb), &word, &slot))
			return false;
		spare = rb_place(rb_seq(word), cb->reader_index, 0) | RB_SLOT_SPARE;
	} while (!__atomic_compare_exchange_n(slot, &word, spare, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	cb->reader_index = rb_index(cb, word);
	cb->reader_pos = rb_position(cb, word);
	cb->reader_active = true;
	cb->read = 0;
	cb->read_entries = 0;
	/* The count is exact, because writers number a page before they publish it. */
	cb->lost += cb->reader_pos.first - cb->expected;
	return true;
}

u32 rb_reader_page(struct ring_buffer_per_cpu *cb)
{
	for (;;) {
		if (cb->reader_active) {
			u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);
			bool current_page = rb_commit_in_reader_page(cb, commit);
			u32 length = current_page ? (u32)rb_offset(cb, commit)
						  : cb->pages[cb->reader_index].final;

			if (cb->read < length)
				return length;
			if (current_page)
				return 0;
			rb_finish_reader_page(cb);
		}
		if (!rb_swap_reader_page(cb))
			return 0;
	}
}

/* Steps to the next data event, and returns it; NULL if the buffer is empty. [M] */
static struct ring_buffer_event *rb_peek(struct ring_buffer_per_cpu *cb)
{
	for (;;) {
		u32 length = rb_reader_page(cb);
		struct buffer_data_page *data;

		if (!length)
			return NULL;
		data = cb->pages[cb->reader_index].data;
		if (!cb->read)
			cb->read_stamp = data->time_stamp;
		while (cb->read < length) {
			struct ring_buffer_event *event = (void *)(data->data + cb->read);
			u64 stamp = cb->read_stamp;

			if (rb_event_is_data(event, &stamp))
				return event;
			cb->read_stamp = stamp;
			cb->read += rb_event_size(event);
		}
	}
}

/* Consumes the event that rb_peek() has returned. [M] */
static void rb_advance(struct ring_buffer_per_cpu *cb, const struct ring_buffer_event *event)
{
	rb_event_is_data(event, &cb->read_stamp);
	cb->read_bytes += rb_event_size(event);
	cb->read += rb_event_size(event);
	cb->read_entries++;
	cb->read_events++;
	cb->lost = 0;
}

struct ring_buffer_event *ring_buffer_peek(struct trace_buffer *buffer, unsigned cpu, u64 *ts,
					   u64 *lost)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	struct ring_buffer_event *event;
	unsigned long flags;

	flags = rb_reader_lock(cb);
	event = rb_peek(cb);
	if (event) {
		*ts = cb->read_stamp;
		rb_event_is_data(event, ts);
		*lost = cb->lost;
	}
	rb_reader_unlock(cb, flags);
	return event;
}

bool ring_buffer_consume_if(struct trace_buffer *buffer, unsigned cpu, ring_buffer_wanted_t wanted,
			    void *data)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	struct ring_buffer_event *event;
	unsigned long flags;
	bool taken;

	flags = rb_reader_lock(cb);
	event = rb_peek(cb);
	taken = event && !cb->lost &&
		wanted(ring_buffer_event_data(event), ring_buffer_event_length(event), data);
	if (taken)
		rb_advance(cb, event);
	rb_reader_unlock(cb, flags);
	return taken;
}

long ring_buffer_consume(struct trace_buffer *buffer, unsigned cpu, void *data, size_t size,
			 u64 *ts, u64 *lost)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	struct ring_buffer_event *event;
	unsigned long flags;
	long length = -1;

	flags = rb_reader_lock(cb);
	event = rb_peek(cb);
	if (event) {
		length = (long)ring_buffer_event_length(event);
		memcpy(data, ring_buffer_event_data(event), min((size_t)length, size));
		*lost = cb->lost;
		rb_advance(cb, event);
		*ts = cb->read_stamp;
	}
	rb_reader_unlock(cb, flags);
	return length;
}

bool ring_buffer_empty_cpu(struct trace_buffer *buffer, unsigned cpu)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	unsigned long flags;
	bool empty;

	flags = rb_reader_lock(cb);
	empty = !rb_peek(cb);
	rb_reader_unlock(cb, flags);
	return empty;
}
