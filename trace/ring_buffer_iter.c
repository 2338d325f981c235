/*
 * The ring buffer's readers of whole sub-buffers: iterating without consuming, and pages for
 * trace_pipe_raw. Read ring_buffer_internal.h first.
 *
 * An iterator copies a sub-buffer, then looks whether it is still where it was. A writer that wants
 * it changes its slot's word first, so an unchanged word means that the copy is whole.
 */
#include "kernel/errno.h"
#include "trace/ring_buffer_internal.h"

struct ring_buffer_iter {
	struct ring_buffer_per_cpu *cb;
	struct buffer_data_page *copy;
	u32 next_seq;       /* the sub-buffer to copy next */
	bool begun;         /* the reader's page has been looked at */
	bool counting;      /* expected is known: a page has been copied */
	u32 generation;     /* of the ring that next_seq belongs to */
	u32 offset, length; /* in copy */
	u64 stamp;
	u64 expected; /* number of the event that comes next, if none was lost */
	u64 first;    /* number of the copy's first event */
	u64 entries;  /* events handed out of the copy */
	u64 lost;
};

struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned cpu)
{
	struct ring_buffer_iter *iter = rb_alloc(sizeof(*iter));

	if (!iter)
		return NULL;
	iter->copy = rb_alloc_page();
	if (!iter->copy) {
		rb_free(iter);
		return NULL;
	}
	iter->cb = buffer->cpus[cpu];
	ring_buffer_iter_reset(iter);
	return iter;
}

void ring_buffer_read_finish(struct ring_buffer_iter *iter)
{
	rb_free_page(iter->copy);
	rb_free(iter);
}

void ring_buffer_iter_reset(struct ring_buffer_iter *iter)
{
	iter->begun = false;
	iter->counting = false;
	iter->next_seq = 0;
	iter->offset = iter->length = 0;
	iter->lost = 0;
	iter->entries = 0;
	iter->first = 0;
	iter->expected = 0;
}

/* The rest of the page that the reader holds: nobody else takes it. [M] False if it has nothing. */
static bool rb_iter_copy_reader_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	u32 length;

	if (!cb->reader_active)
		return false;
	length = rb_committed(cb, cb->reader_seq, cb->reader_index);
	iter->next_seq = cb->reader_seq + 1;
	if (length == ~0U || length <= cb->read)
		return false;
	rb_copy_page(iter->copy, cb->pages[cb->reader_index].data, length);
	iter->first = cb->pages[cb->reader_index].first;
	iter->entries = cb->read_entries;
	iter->offset = cb->read;
	iter->length = length;
	iter->stamp = cb->read ? cb->read_stamp : iter->copy->time_stamp;
	return true;
}

/* The oldest sub-buffer of the ring that the iterator has not had, or false. [M] */
static bool rb_iter_copy_ring_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	u64 word, *slot;
	u32 length;

	for (;;) {
		if (!rb_oldest(cb, iter->next_seq, &word, &slot))
			return false;
		length = rb_committed(cb, rb_seq(word), rb_index(word));
		rb_copy_page(iter->copy, cb->pages[rb_index(word)].data, length);
		iter->first = __atomic_load_n(&cb->pages[rb_index(word)].first, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(slot, __ATOMIC_RELAXED) == word)
			break;
	}
	iter->next_seq = rb_seq(word) + 1;
	iter->offset = 0;
	iter->entries = 0;
	iter->length = length;
	iter->stamp = iter->copy->time_stamp;
	return length != 0;
}

static bool rb_iter_next_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	bool more = false;

	rb_mutex_lock(&cb->reader_lock);
	if (iter->generation != cb->generation)
		ring_buffer_iter_reset(iter);
	if (!iter->begun) {
		iter->begun = true;
		iter->generation = cb->generation;
		more = rb_iter_copy_reader_page(iter);
	}
	if (!more)
		more = rb_iter_copy_ring_page(iter);
	rb_mutex_unlock(&cb->reader_lock);
	if (more && iter->counting)
		iter->lost += iter->first + iter->entries - iter->expected;
	iter->counting |= more;
	return more;
}

struct ring_buffer_event *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts, u64 *lost)
{
	for (;;) {
		while (iter->offset < iter->length) {
			struct ring_buffer_event *event = (void *)(iter->copy->data + iter->offset);
			u64 stamp = iter->stamp;

			if (rb_event_is_data(event, &stamp)) {
				*ts = stamp;
				*lost = iter->lost;
				return event;
			}
			iter->stamp = stamp;
			iter->offset += rb_event_size(event);
		}
		iter->expected = iter->first + iter->entries;
		if (!rb_iter_next_page(iter))
			return NULL;
	}
}

void ring_buffer_iter_advance(struct ring_buffer_iter *iter)
{
	struct ring_buffer_event *event = (void *)(iter->copy->data + iter->offset);

	rb_event_is_data(event, &iter->stamp);
	iter->offset += rb_event_size(event);
	iter->entries++;
	iter->lost = 0;
}

int ring_buffer_read_page(struct trace_buffer *buffer, unsigned cpu, struct buffer_data_page *page,
			  bool full)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	struct buffer_page *reader;
	u64 lost, stamp;
	u32 length;

	rb_mutex_lock(&cb->reader_lock);
	length = rb_reader_page(cb);
	if (!length ||
	    (full && rb_seq(__atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)) == cb->reader_seq)) {
		rb_mutex_unlock(&cb->reader_lock);
		return -EAGAIN;
	}
	reader = &cb->pages[cb->reader_index];
	stamp = cb->read ? cb->read_stamp : reader->data->time_stamp;
	memcpy(page->data, reader->data->data + cb->read, length - cb->read);
	page->commit = length - cb->read;
	/* The rest of a page that was read in part begins with a delta from the last event read. */
	page->time_stamp = stamp;
	lost = cb->lost;
	while (cb->read < length) {
		struct ring_buffer_event *event = (void *)(reader->data->data + cb->read);

		cb->read_stamp = stamp;
		if (rb_event_is_data(event, &stamp)) {
			cb->read_entries++;
			cb->read_events++;
		}
		cb->read_stamp = stamp;
		cb->read_bytes += rb_event_size(event);
		cb->read += rb_event_size(event);
	}
	cb->lost = 0;
	rb_mutex_unlock(&cb->reader_lock);

	if (lost) {
		if (page->commit + sizeof(u64) <= RB_PAGE_DATA) {
			memcpy(page->data + page->commit, &lost, sizeof(u64));
			page->commit |= RB_MISSED_STORED;
		}
		page->commit |= RB_MISSED_EVENTS;
	}
	if ((page->commit & 0xfffff) < RB_PAGE_DATA) {
		u32 used =
			(u32)(page->commit & 0xfffff) + (page->commit & RB_MISSED_STORED ? 8 : 0);

		memset(page->data + used, 0, RB_PAGE_DATA - used);
	}
	return 0;
}
