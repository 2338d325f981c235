/*
 * The ring buffer's readers of whole sub-buffers: iterating without consuming, and pages for
 * trace_pipe_raw. Read trace/ring_buffer/internal.h first.
 *
 * An iterator copies a sub-buffer, then looks whether it is still where it was. A writer that wants
 * it changes its slot's word first, so an unchanged word means that the copy is whole. The last
 * sub-buffer is copied again when more has been committed in it.
 *
 * Sub-buffers get other numbers when the ring is resized, events keep theirs: there the iterator
 * looks through the new ring from its beginning, and goes on behind the last event it had.
 */
#include "kernel/errno.h"
#include "trace/ring_buffer/internal.h"

struct ring_buffer_iter {
	struct ring_buffer_per_cpu *cb;
	struct buffer_data_page *copy;
	u32 next_seq;       /* the sub-buffer to copy next */
	bool begun;         /* next_seq is known */
	bool partial;       /* the copy is of next_seq, which was not complete */
	bool counting;      /* expected is known: a page has been copied */
	u32 generation;     /* of the ring that next_seq belongs to */
	u32 resets;         /* of the ring that expected belongs to */
	u32 offset, length; /* in copy */
	u64 stamp;
	u64 expected; /* number of the event that comes next, if none was lost */
	u64 first;    /* number of the copy's first event */
	u64 entries;  /* events handed out of the copy */
	u64 lost;
	bool busy; /* the last look for a page did not get the CPU's reader lock */
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
	iter->partial = false;
	iter->busy = false;
	iter->counting = false;
	iter->offset = iter->length = 0;
	iter->lost = 0;
	iter->entries = 0;
	iter->first = 0;
	iter->expected = 0;
}

/* The ring may be another than it was: find the place in it. [M] */
static void rb_iter_follow(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;

	if (iter->begun && iter->resets != cb->resets)
		ring_buffer_iter_reset(iter);
	if (iter->begun && iter->generation == cb->generation)
		return;
	iter->begun = true;
	iter->partial = false;
	iter->resets = cb->resets;
	iter->generation = cb->generation;
	iter->next_seq = cb->reader_active ? cb->reader_seq : 0;
}

/* Where to go on in a copy that has just been made. */
static void rb_iter_begin(struct ring_buffer_iter *iter, u64 first, u64 entries, u32 offset,
			  u64 stamp)
{
	iter->first = first;
	iter->entries = entries;
	iter->offset = offset;
	iter->stamp = stamp;
}

/* Of sub-buffer seq, length bytes have been copied. */
static void rb_iter_copied(struct ring_buffer_iter *iter, u32 seq, u32 length, bool partial)
{
	iter->length = length;
	iter->partial = partial;
	iter->next_seq = partial ? seq : seq + 1;
}

static bool rb_is_tail(const struct ring_buffer_per_cpu *cb, u32 seq)
{
	return rb_seq(__atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)) == seq;
}

/* What is new in the page that the reader holds: nobody else takes it. [M] False if nothing is. */
static bool rb_iter_copy_reader_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	struct buffer_page *page = &cb->pages[cb->reader_index];
	u32 seq = cb->reader_seq, length;
	bool again = iter->partial && seq == iter->next_seq;
	bool partial = rb_is_tail(cb, seq);

	if (!cb->reader_active || (s32)(seq - iter->next_seq) < 0)
		return false;
	length = rb_committed(cb, seq, cb->reader_index);
	if (length == ~0U || length <= (again ? iter->length : cb->read))
		return false;
	rb_copy_page(iter->copy, page->data, length);
	if (!again)
		rb_iter_begin(iter, page->first, cb->read_entries, cb->read,
			      cb->read ? cb->read_stamp : iter->copy->time_stamp);
	rb_iter_copied(iter, seq, length, partial);
	return true;
}

/* What is new in the oldest sub-buffer of the ring that the iterator has not had whole, or false.
 * [M] */
static bool rb_iter_copy_ring_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	u64 word, *slot;

	while (rb_oldest(cb, iter->next_seq, &word, &slot)) {
		struct buffer_page *page = &cb->pages[rb_index(word)];
		u32 seq = rb_seq(word), length;
		bool again = iter->partial && seq == iter->next_seq;
		bool partial = rb_is_tail(cb, seq);
		u64 first;

		length = rb_committed(cb, seq, rb_index(word));
		if (length <= (again ? iter->length : 0)) {
			if (partial)
				return false;
			rb_iter_copied(iter, seq, length, false);
			continue;
		}
		rb_copy_page(iter->copy, page->data, length);
		first = __atomic_load_n(&page->first, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(slot, __ATOMIC_RELAXED) != word) {
			iter->partial = false; /* the copy is nothing now */
			continue;
		}
		if (!again)
			rb_iter_begin(iter, first, 0, 0, iter->copy->time_stamp);
		rb_iter_copied(iter, seq, length, partial);
		return true;
	}
	return false;
}

static bool rb_iter_next_page(struct ring_buffer_iter *iter)
{
	u64 expected = iter->first + iter->entries;
	unsigned long flags;
	bool more;

	if ((s64)(expected - iter->expected) > 0)
		iter->expected = expected;
	iter->busy = !rb_reader_lock_any_context(iter->cb, &flags);
	if (iter->busy)
		return false;
	rb_iter_follow(iter);
	more = rb_iter_copy_reader_page(iter) || rb_iter_copy_ring_page(iter);
	rb_reader_unlock(iter->cb, flags);
	expected = iter->first + iter->entries;
	if (more && iter->counting && (s64)(expected - iter->expected) > 0)
		iter->lost += expected - iter->expected;
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
				if ((s64)(iter->first + iter->entries - iter->expected) >= 0) {
					*ts = stamp;
					*lost = iter->lost;
					return event;
				}
				iter->entries++; /* it was handed out of the ring before */
			}
			iter->stamp = stamp;
			iter->offset += rb_event_size(event);
		}
		if (!rb_iter_next_page(iter))
			return NULL;
	}
}

bool ring_buffer_iter_busy(const struct ring_buffer_iter *iter)
{
	return iter->busy;
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
	unsigned long flags;
	u64 lost, stamp;
	u32 length;

	flags = rb_reader_lock(cb);
	length = rb_reader_page(cb);
	if (!length ||
	    (full && rb_seq(__atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)) == cb->reader_seq)) {
		rb_reader_unlock(cb, flags);
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
	rb_reader_unlock(cb, flags);

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
