/*
 * Readers of whole sub-buffers: iterators, which do not consume, and pages for trace_pipe_raw. Read
 * trace/ring_buffer/internal.h first.
 *
 * An iterator copies a sub-buffer, then checks that the slot's word has not changed. A writer that
 * takes the page changes that word before it writes to the page. So an unchanged word means that
 * the copy is complete and valid. The iterator copies the newest sub-buffer again when more events
 * have been committed in it.
 *
 * A resize gives the sub-buffers new numbers, but not the events. After a resize the iterator goes
 * through the new ring from the start, and skips the events up to the last one that it returned.
 *
 * If the sub-buffers have become larger than the copy, the iterator finds nothing, because it
 * cannot allocate memory in any context. Its owner does that (ring_buffer_iter_fit()).
 */
#include "kernel/errno.h"
#include "trace/ring_buffer/internal.h"

struct ring_buffer_iter {
	struct trace_buffer *buffer;
	unsigned cpu;
	struct ring_buffer_per_cpu *cb; /* the CPU's part of the buffer since the last reset */
	struct buffer_data_page *copy;
	u32 order;               /* copy has 1 << order pages */
	struct rb_position next; /* the sub-buffer to copy next */
	bool begun;              /* next is valid */
	bool partial;            /* the copy holds the first part of sub-buffer next */
	bool counting;           /* expected is valid: a page has been copied */
	u32 generation;          /* of the ring, for next */
	u32 resets;              /* of the ring, for expected */
	u32 offset, length;      /* in copy */
	u64 stamp;
	u64 expected; /* number of the next event if none was lost */
	u64 first;    /* number of the copy's first event */
	u64 entries;  /* events of the copy that were returned or skipped */
	u64 lost;     /* events lost before the next one */
	bool busy;    /* the last look for a page did not get the CPU's reader lock */
};

/* Goes back to the first event of the part. */
static void restart(struct ring_buffer_iter *iter)
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

struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned cpu)
{
	struct ring_buffer_iter *iter = rb_alloc(sizeof(*iter));

	if (!iter)
		return NULL;
	iter->buffer = buffer;
	iter->cpu = cpu;
	iter->cb = buffer->cpus[cpu];
	iter->order = rb_order(iter->cb);
	iter->copy = rb_alloc_pages(iter->order);
	if (!iter->copy) {
		rb_free(iter);
		return NULL;
	}
	restart(iter);
	return iter;
}

int ring_buffer_iter_fit(struct ring_buffer_iter *iter)
{
	u32 order = rb_order(iter->cb);
	struct buffer_data_page *copy;

	if (order <= iter->order)
		return (int)iter->order;
	copy = rb_alloc_pages(order);
	if (!copy)
		return -ENOMEM;
	rb_free_pages(iter->copy, iter->order);
	iter->copy = copy;
	iter->order = order;
	ring_buffer_iter_reset(iter);
	return (int)order;
}

void ring_buffer_read_finish(struct ring_buffer_iter *iter)
{
	rb_free_pages(iter->copy, iter->order);
	rb_free(iter);
}

void ring_buffer_iter_reset(struct ring_buffer_iter *iter)
{
	/* ring_buffer_swap_this_cpu() may have given the buffer another part. */
	iter->cb = READ_ONCE(iter->buffer->cpus[iter->cpu]);
	restart(iter);
}

/* Finds the iterator's place in the ring, which a resize or a reset may have replaced. [M] */
static void rb_iter_follow(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;

	if (iter->begun && iter->resets != cb->resets)
		restart(iter);
	if (iter->begun && iter->generation == cb->generation)
		return;
	iter->begun = true;
	iter->partial = false;
	iter->resets = cb->resets;
	iter->generation = cb->generation;
	iter->next = cb->reader_active ? cb->reader_pos : rb_reader_next(cb);
}

/* Sets the place in a fresh copy where the iterator continues. */
static void rb_iter_begin(struct ring_buffer_iter *iter, u64 first, u64 entries, u32 offset,
			  u64 stamp)
{
	iter->first = first;
	iter->entries = entries;
	iter->offset = offset;
	iter->stamp = stamp;
}

/* Notes that length bytes of a sub-buffer have been copied. */
static void rb_iter_copied(struct ring_buffer_iter *iter, struct rb_position pos, u32 length,
			   bool partial)
{
	iter->length = length;
	iter->partial = partial;
	iter->next = pos;
	if (!partial)
		iter->next.seq = rb_seq_add(iter->cb, pos.seq, 1);
}

/*
 * Copies the reader's page if it holds events that the iterator has not seen. Nothing can take that
 * page away, so the copy is always valid. [M]
 */
static bool rb_iter_copy_reader_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	struct buffer_page *page = &cb->pages[cb->reader_index];
	s64 ahead = rb_position_diff(cb, cb->reader_pos, iter->next);
	bool again = iter->partial && !ahead;
	bool partial = rb_commit_in_reader_page(cb, __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE));
	u32 length;

	if (!cb->reader_active || ahead < 0)
		return false;
	length = rb_reader_committed(cb);
	if (length <= (again ? iter->length : cb->read))
		return false;
	rb_copy_page(iter->copy, page->data, length);
	if (!again)
		rb_iter_begin(iter, page->first, cb->read_entries, cb->read,
			      cb->read ? cb->read_stamp : iter->copy->time_stamp);
	rb_iter_copied(iter, cb->reader_pos, length, partial);
	return true;
}

/*
 * Copies the oldest sub-buffer in the ring with events that the iterator has not seen. A writer may
 * overwrite the page during the copy. It changes the slot's word before it writes. So if the word
 * is the same after the copy, the copy is whole; else tries again with what is the oldest now. [M]
 *
 * partial: the page is the one that writers fill now. again: the copy holds its first part already.
 */
static bool rb_iter_copy_ring_page(struct ring_buffer_iter *iter)
{
	struct ring_buffer_per_cpu *cb = iter->cb;
	u64 word, *slot;

	while (rb_oldest(cb, iter->next, &word, &slot)) {
		struct buffer_page *page = rb_page(cb, word);
		struct rb_position pos = rb_position(cb, word);
		bool again = iter->partial && !rb_position_diff(cb, pos, iter->next);
		u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);
		bool partial = rb_seq(commit) == pos.seq;
		u32 length = rb_committed(cb, pos.seq, rb_index(cb, word));

		if (length <= (again ? iter->length : 0)) {
			if (partial)
				return false;
			rb_iter_copied(iter, pos, length, false);
			continue;
		}
		rb_copy_page(iter->copy, page->data, length);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(slot, __ATOMIC_RELAXED) != word) {
			iter->partial = false; /* the copy is not valid */
			continue;
		}
		if (!again)
			rb_iter_begin(iter, pos.first, 0, 0, iter->copy->time_stamp);
		rb_iter_copied(iter, pos, length, partial);
		return true;
	}
	return false;
}

/*
 * Copies the next page: the reader's page if it has older events (it is in no slot), else one of
 * the ring. Counts the events lost between the last page and this one.
 */
static bool rb_iter_next_page(struct ring_buffer_iter *iter)
{
	u64 expected = iter->first + iter->entries;
	unsigned long flags;
	bool more;

	if ((s64)(expected - iter->expected) > 0)
		iter->expected = expected;
	/* After one wait in vain the iterator only tries: the holder may be stopped for ever. */
	iter->busy = !rb_reader_lock_any_context(iter->cb, &flags, !iter->busy);
	if (iter->busy)
		return false;
	rb_iter_follow(iter);
	more = iter->cb->order <= iter->order &&
	       (rb_iter_copy_reader_page(iter) || rb_iter_copy_ring_page(iter));
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
				iter->entries++; /* the caller has had it from another copy */
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

/* Stores behind the data how many events were lost before them, and clears the rest. */
static void rb_finish_read_page(struct buffer_data_page *page, u32 data_size, u64 lost)
{
	u32 used = (u32)page->commit;

	if (lost && used + sizeof(u64) <= data_size) {
		memcpy(page->data + used, &lost, sizeof(u64));
		used += sizeof(u64);
		page->commit |= RB_MISSED_STORED;
	}
	if (lost)
		page->commit |= RB_MISSED_EVENTS;
	memset(page->data + used, 0, data_size - used);
}

void rb_consume_page(struct ring_buffer_per_cpu *cb, u32 length)
{
	struct buffer_data_page *data = cb->pages[cb->reader_index].data;

	if (!cb->read)
		cb->read_stamp = data->time_stamp;
	while (cb->read < length) {
		struct ring_buffer_event *event = (void *)(data->data + cb->read);

		if (rb_event_is_data(event, &cb->read_stamp)) {
			cb->read_entries++;
			cb->read_events++;
		}
		cb->read_bytes += rb_event_size(event);
		cb->read += rb_event_size(event);
	}
	cb->lost = 0;
}

int ring_buffer_read_page(struct trace_buffer *buffer, unsigned cpu, struct buffer_data_page *page,
			  size_t size, bool full)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	struct buffer_page *reader;
	unsigned long flags;
	u64 lost, stamp;
	u32 length, data_size;

	flags = rb_reader_lock(cb);
	data_size = cb->data_size;
	if (data_size + RB_PAGE_HEADER > size) {
		rb_reader_unlock(cb, flags);
		return -EMSGSIZE;
	}
	length = rb_reader_page(cb);
	if (!length || (full && rb_commit_in_reader_page(
					cb, __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)))) {
		rb_reader_unlock(cb, flags);
		return -EAGAIN;
	}
	reader = &cb->pages[cb->reader_index];
	stamp = cb->read ? cb->read_stamp : reader->data->time_stamp;
	memcpy(page->data, reader->data->data + cb->read, length - cb->read);
	page->commit = length - cb->read;
	/* The first event of a page's rest counts its delta from the last event read. */
	page->time_stamp = stamp;
	lost = cb->lost;
	rb_consume_page(cb, length);
	rb_reader_unlock(cb, flags);

	rb_finish_read_page(page, data_size, lost);
	return (int)(data_size + RB_PAGE_HEADER);
}
