/*
 * The slow parts of writing: a full page, publication of several pages, refused events. Read
 * trace/ring_buffer/internal.h first; the fast path is in trace/ring_buffer/write.h.
 *
 * All functions run with preemption off. Another writer may interrupt them at any instruction, and
 * runs all of the code itself. Nothing here can be traced, because a tracer would trace its own
 * writing.
 */
#include "trace/ring_buffer/write.h"

/*
 * Moves the tail from its full page to the next sub-buffer. The writer takes the page in that
 * sub-buffer's slot: in overwrite mode the oldest events are lost, in drop mode the move fails.
 * Returns false if there is no room. A writer that interrupts this function may do part or all of
 * the move; the function then finds that part done.
 */
notrace /* part of every tracer's write */
noinline bool rb_move_tail(struct ring_buffer_per_cpu *cb, struct local_pair tail)
{
	/*
	 * LAB 7: Take the page in the next slot, then move the tail to it. Count what is lost.
	 * Starts as:
	 * (void)tail;
	 * local_add(&cb->dropped_events, 1);
	 * return false;
	 */
	u32 seq = rb_seq_add(cb, rb_seq(tail.lo), 1);
	u64 *slot = &cb->slots[seq % cb->nr_slots];
	u64 word = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	struct local_pair next;

	if (rb_seq(word) != seq) {
		struct buffer_page *page = rb_page(cb, word);
		u64 entries = READ_ONCE(page->entries);

		if (!(word & RB_SLOT_SPARE)) {
			/* An interrupted writer may still write to this page. */
			if (rb_seq_diff(cb, rb_seq(word), rb_seq(READ_ONCE(cb->commit))) >= 0) {
				local_add(&cb->commit_overrun, 1);
				return false;
			}
			if (!(READ_ONCE(cb->buffer->flags) & RB_FL_OVERWRITE)) {
				local_add(&cb->dropped_events, 1);
				return false;
			}
		}
		if (!__atomic_compare_exchange_n(slot, &word, rb_place(seq, rb_index(cb, word), 0),
						 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true; /* a reader or a nested writer has taken it: try again */
		if (!(word & RB_SLOT_SPARE))
			local_add(&cb->overrun, entries);
		/* Subtract, do not clear: a nested writer may have counted its events already. */
		local_sub(&page->entries, entries);
		word = rb_place(seq, rb_index(cb, word), 0);
	}
	next.lo = rb_place(seq, rb_index(cb, word), 0);
	next.hi = tail.hi;
	if (local_pair_cmpxchg(&cb->tail, tail, next))
		__atomic_store_n(&rb_page(cb, tail.lo)->final, (u32)rb_offset(cb, tail.lo),
				 __ATOMIC_RELAXED);
	return true;
	/* END LAB 7 */
}

/*
 * Nobody reads the three words while they change: rb_reserve_quick() of a writer that interrupts
 * the outermost one returns NULL.
 */
notrace /* part of every tracer's write */
noinline void rb_set_quick(struct ring_buffer_per_cpu *cb, u64 place)
{
	/*
	 * LAB 7: The page, what makes addresses of places, and the place behind the sub-buffer.
	 * Starts as: (void)cb, (void)place;
	 */
	u64 start = place - rb_offset(cb, place);

	cb->quick_page = rb_page(cb, place);
	cb->quick_base = (u64)cb->quick_page->data->data - start;
	WRITE_ONCE(cb->quick_end, rb_has_default_clock(cb->buffer) ? start + cb->data_size : 0);
	/* END LAB 7 */
}

notrace /* part of every tracer's write */
noinline void rb_publish_pages(struct ring_buffer_per_cpu *cb, u64 place)
{
	u64 commit = cb->commit;

	/* Number the events of each page, so that readers can count what was lost between pages. */
	while (rb_seq(commit) != rb_seq(place)) {
		struct buffer_page *page = rb_page(cb, commit);
		u32 seq = rb_seq_add(cb, rb_seq(commit), 1);

		if (unlikely(READ_ONCE(cb->buffer->flags) & RB_FL_PERSISTENT))
			page->sum =
				rb_page_sum(page, page->data, rb_seq(commit), rb_index(cb, commit));
		commit = seq == rb_seq(place) ? place : cb->slots[seq % cb->nr_slots];
		__atomic_store_n(&rb_page(cb, commit)->first, page->first + page->entries,
				 __ATOMIC_RELAXED);
	}
	rb_set_quick(cb, place);
	__atomic_store_n(&cb->commit, place, __ATOMIC_RELEASE);
	rb_writer_barrier();
	rb_wake_full(cb, rb_seq(place));
}

/*
 * Leaves without an event. While recording is disabled, another CPU may be replacing the ring, so
 * this function must not touch the ring. RB_NEST_MARK means that a nested writer has found
 * recording enabled again and has written an event: then the ring is in use, and this function
 * publishes the event.
 */
notrace /* part of every tracer's write */
noinline void rb_refuse_write(struct ring_buffer_per_cpu *cb, u32 disabled)
{
	if (disabled == RB_CHANGING)
		local_add(&cb->dropped_events, 1);
	/*
	 * LAB 7: Leave as rb_end_write() does, but publish only for a nested writer.
	 * Starts as: local_dec32(&cb->nest);
	 */
	if ((rb_nest(cb) & ~RB_NEST_MARK) != 1) {
		local_dec32(&cb->nest);
		return;
	}
	while (!local_cmpxchg32(&cb->nest, 1, 0)) {
		__atomic_store_n(&cb->nest, 1, __ATOMIC_RELAXED);
		rb_publish(cb);
	}
	rb_wake_waiting(cb);
	/* END LAB 7 */
}

void ring_buffer_count_dropped(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[rb_cpu()];

	if (__atomic_load_n(&buffer->record_stopped, __ATOMIC_RELAXED))
		return;
	local_inc32(&cb->nest);
	rb_writer_barrier();
	rb_refuse_write(cb, RB_CHANGING);
}

notrace /* part of every tracer's write */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, size_t length)
{
	return rb_lock_reserve(buffer, buffer->cpus[rb_cpu()], length);
}

notrace /* part of every tracer's write */
void ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[rb_cpu()];

	/* Nobody writes there, so an interrupt has exchanged what the caller reserved room in. */
	if (unlikely(!rb_nest(cb)))
		cb = READ_ONCE(cb->partner);
	rb_unlock_commit(cb);
}
