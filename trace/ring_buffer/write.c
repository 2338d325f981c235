/*
 * The ring buffer's writing half: claim room, write, publish. Read trace/ring_buffer/internal.h
 * first.
 *
 * All of it runs with preemption off and may be interrupted, at any instruction, by a writer that
 * does all of it. Nothing here is traceable: a tracer would trace its own writing.
 */
#include "trace/ring_buffer/write.h"

/*
 * The tail's page is full: move the tail to the next sub-buffer. Its slot must give up its page,
 * which costs the oldest events in overwrite mode and fails in drop mode. False when there is no
 * room. A writer that interrupts this may have done it all already; then nothing is left to do.
 */
noinline notrace /* part of every tracer's write */
	bool
	rb_move_tail(struct ring_buffer_per_cpu *cb, struct local_pair tail)
{
	u32 seq = rb_seq(tail.lo) + 1;
	u64 *slot = &cb->slots[seq % cb->nr_slots];
	u64 word = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	struct local_pair next;

	if (rb_seq(word) != seq) {
		struct buffer_page *page = &cb->pages[rb_index(word)];
		u64 entries = READ_ONCE(page->entries);
		u32 final = READ_ONCE(page->final);

		if (!(word & RB_SLOT_SPARE)) {
			/* The page where an interrupted writer still writes cannot be taken. */
			if ((s32)(rb_seq(word) - rb_seq(READ_ONCE(cb->commit))) >= 0) {
				local_add(&cb->commit_overrun, 1);
				return false;
			}
			if (!(READ_ONCE(cb->buffer->flags) & RB_FL_OVERWRITE)) {
				local_add(&cb->dropped_events, 1);
				return false;
			}
		}
		if (!__atomic_compare_exchange_n(slot, &word, rb_place(seq, rb_index(word), 0),
						 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true; /* the reader or a nested writer took it: look again */
		if (!(word & RB_SLOT_SPARE)) {
			local_add(&cb->overrun, entries);
			local_add(&cb->lost_bytes, final);
		}
		/* Not zero: a nested writer may count here already. */
		local_sub(&page->entries, entries);
		word = rb_place(seq, rb_index(word), 0);
	}
	next.lo = rb_place(seq, rb_index(word), 0);
	next.hi = tail.hi;
	if (local_pair_cmpxchg(&cb->tail, tail, next))
		__atomic_store_n(&cb->pages[rb_index(tail.lo)].final, rb_offset(tail.lo),
				 __ATOMIC_RELAXED);
	return true;
}

noinline notrace /* part of every tracer's write */
	void
	rb_publish_pages(struct ring_buffer_per_cpu *cb, u64 place)
{
	u64 commit = cb->commit;

	/* Number the pages passed, so that readers can tell what was lost between two of them. */
	while (rb_seq(commit) != rb_seq(place)) {
		struct buffer_page *page = &cb->pages[rb_index(commit)];
		u32 seq = rb_seq(commit) + 1;

		commit = seq == rb_seq(place) ? place : cb->slots[seq % cb->nr_slots];
		__atomic_store_n(&cb->pages[rb_index(commit)].first, page->first + page->entries,
				 __ATOMIC_RELAXED);
	}
	__atomic_store_n(&cb->commit, place, __ATOMIC_RELEASE);
	rb_writer_barrier();
	rb_wake_full(cb, rb_seq(place));
}

/*
 * Leave without an event. If recording is disabled the ring may be another's at this moment, so it
 * must not be touched; a mark means that a nested writer found recording on again, which makes it
 * ours.
 */
noinline notrace /* part of every tracer's write */
	void
	rb_refuse_write(struct ring_buffer_per_cpu *cb, u32 disabled)
{
	if (disabled == RB_CHANGING)
		local_add(&cb->dropped_events, 1);
	if ((rb_nest(cb) & ~RB_NEST_MARK) != 1) {
		local_dec32(&cb->nest);
		return;
	}
	while (!local_cmpxchg32(&cb->nest, 1, 0)) {
		__atomic_store_n(&cb->nest, 1, __ATOMIC_RELAXED);
		rb_publish(cb);
	}
	rb_wake_waiting(cb);
}

notrace /* part of every tracer's write */
	struct ring_buffer_event *
	ring_buffer_lock_reserve(struct trace_buffer *buffer, size_t length)
{
	return rb_lock_reserve(buffer, buffer->cpus[rb_cpu()], length);
}

notrace /* part of every tracer's write */
	void
	ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
	rb_unlock_commit(buffer->cpus[rb_cpu()]);
}
