/*
 * The ring buffer's waiting readers: asleep until there is something to read, or as much as they
 * want. Read trace/ring_buffer/internal.h first.
 *
 * A writer may be anywhere, so it wakes nobody itself: it has an interrupt raised on its CPU
 * (kernel/irq/irq_work.h), which does. That it looks at all, a reader asks for: `waiting` has the
 * next event wake, `full_waiting` the first one of sub-buffer wake_seq. The writer takes the wish
 * back when it acts, so that a storm of events wakes once.
 *
 * Nothing gets lost between a reader's last look and its sleep. It is in the queue before it
 * wishes, and looks again after every CPU concerned has been interrupted: a writer there has
 * either published its event before that, and the reader sees it, or sees the wish. So a writer
 * pays for one load, and for no fence.
 */
#include "trace/ring_buffer/internal.h"

/* Sub-buffers that the reader has not had, the one being filled included. [M] */
static s32 rb_unread_pages(const struct ring_buffer_per_cpu *cb)
{
	u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);

	return (s32)(rb_seq(commit) - rb_reader_next(cb)) + 1;
}

/* How many of these make the buffer so full. */
static s32 rb_pages_wanted(const struct ring_buffer_per_cpu *cb, unsigned percent)
{
	return (s32)DIV_ROUND_UP((u64)percent * cb->nr_slots, 100);
}

static bool rb_is_ready_locked(struct ring_buffer_per_cpu *cb, unsigned percent)
{
	return rb_reader_page(cb) && rb_unread_pages(cb) >= rb_pages_wanted(cb, percent);
}

bool rb_is_ready(struct ring_buffer_per_cpu *cb, unsigned percent)
{
	unsigned long flags;
	bool ready;

	flags = rb_reader_lock(cb);
	ready = rb_is_ready_locked(cb, percent);
	rb_reader_unlock(cb, flags);
	return ready;
}

bool rb_want_wake(struct ring_buffer_per_cpu *cb, unsigned percent)
{
	unsigned long flags;
	s32 missing;
	bool ready;
	u32 seq;

	flags = rb_reader_lock(cb);
	ready = rb_is_ready_locked(cb, percent);
	missing = rb_pages_wanted(cb, percent) - rb_unread_pages(cb);
	if (!ready && missing > 0) {
		seq = rb_seq(__atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)) + (u32)missing;
		/* Whoever wants less is first; the others then wish again. */
		if (!__atomic_load_n(&cb->full_waiting, __ATOMIC_RELAXED) ||
		    (s32)(seq - cb->wake_seq) < 0)
			__atomic_store_n(&cb->wake_seq, seq, __ATOMIC_RELAXED);
		__atomic_store_n(&cb->full_waiting, 1, __ATOMIC_SEQ_CST);
	} else if (!ready) {
		__atomic_store_n(&cb->waiting, 1, __ATOMIC_SEQ_CST);
	}
	rb_reader_unlock(cb, flags);
	return ready;
}

notrace /* part of every tracer's write */
	void
	rb_wake(struct ring_buffer_per_cpu *cb)
{
	__atomic_store_n(&cb->waiting, 0, __ATOMIC_RELAXED);
	rb_waker_raise(&cb->waker);
}

notrace /* part of every tracer's write */
	void
	rb_wake_full(struct ring_buffer_per_cpu *cb, u32 seq)
{
	if (!__atomic_load_n(&cb->full_waiting, __ATOMIC_RELAXED) ||
	    (s32)(seq - __atomic_load_n(&cb->wake_seq, __ATOMIC_RELAXED)) < 0)
		return;
	__atomic_store_n(&cb->full_waiting, 0, __ATOMIC_RELAXED);
	rb_waker_raise(&cb->waker);
}

/*
 * Only where somebody has wished for it: what runs in the interrupt may be traced, and may come
 * here again (a snapshot at every lock that is taken), for ever.
 */
void ring_buffer_wake_waiters(struct trace_buffer *buffer)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* what the caller changed before the wish */
	for (unsigned cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];

		if (cb && (__atomic_exchange_n(&cb->waiting, 0, __ATOMIC_RELAXED) |
			   __atomic_exchange_n(&cb->full_waiting, 0, __ATOMIC_RELAXED)))
			rb_waker_raise(&cb->waker);
	}
}
