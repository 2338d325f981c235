/*
 * Requests of readers to be woken when the buffer has an event, or is filled to a percentage. Read
 * trace/ring_buffer/internal.h first; trace/ring_buffer/sleep.c puts readers to sleep.
 *
 * A writer may run in any context, so it cannot wake a task itself. It raises an interrupt on its
 * own CPU (kernel/irq/irq_work.h), and the interrupt handler wakes the readers. A writer does that
 * only on request: `waiting` requests it for the next event, `full_waiting` for the first event of
 * sub-buffer wake_seq. The writer clears the request when it raises the interrupt, so many events
 * cause one wake-up.
 *
 * No wake-up is lost between a reader's last check and its sleep. The reader enters the wait queue
 * first, then makes its request, then interrupts each CPU concerned, then checks again. A writer on
 * such a CPU has either published its event before the interrupt, and the reader sees the event; or
 * it sees the request after the interrupt. So a writer pays for one load, and needs no fence.
 */
#include "trace/ring_buffer/internal.h"

/* Returns the count of sub-buffers that the reader has not had, with the one being filled. [M] */
static s64 rb_unread_pages(const struct ring_buffer_per_cpu *cb)
{
	u64 commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);

	return rb_position_diff(cb, rb_position(cb, commit), rb_reader_next(cb)) + 1;
}

/* Returns how many of these fill the buffer to the percentage. */
static s64 rb_pages_wanted(const struct ring_buffer_per_cpu *cb, unsigned percent)
{
	return (s64)DIV_ROUND_UP((u64)percent * cb->nr_slots, 100);
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
	s64 missing;
	bool ready;
	u32 seq;

	flags = rb_reader_lock(cb);
	ready = rb_is_ready_locked(cb, percent);
	missing = rb_pages_wanted(cb, percent) - rb_unread_pages(cb);
	if (!ready && missing > 0) {
		seq = rb_seq_add(cb, rb_seq(__atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)),
				 (u64)missing);
		/* Keep the earliest request: the other readers wake as well, and request again. */
		if (!__atomic_load_n(&cb->full_waiting, __ATOMIC_RELAXED) ||
		    rb_seq_diff(cb, seq, cb->wake_seq) < 0)
			__atomic_store_n(&cb->wake_seq, seq, __ATOMIC_RELAXED);
		__atomic_store_n(&cb->full_waiting, 1, __ATOMIC_SEQ_CST);
	} else if (!ready) {
		__atomic_store_n(&cb->waiting, 1, __ATOMIC_SEQ_CST);
	}
	rb_reader_unlock(cb, flags);
	return ready;
}

notrace /* part of every tracer's write */
void rb_wake(struct ring_buffer_per_cpu *cb)
{
	__atomic_store_n(&cb->waiting, 0, __ATOMIC_RELAXED);
	rb_waker_raise(&cb->waker);
}

notrace /* part of every tracer's write */
void rb_wake_full(struct ring_buffer_per_cpu *cb, u32 seq)
{
	if (!__atomic_load_n(&cb->full_waiting, __ATOMIC_RELAXED) ||
	    rb_seq_diff(cb, seq, __atomic_load_n(&cb->wake_seq, __ATOMIC_RELAXED)) < 0)
		return;
	__atomic_store_n(&cb->full_waiting, 0, __ATOMIC_RELAXED);
	rb_waker_raise(&cb->waker);
}

/*
 * Raises only wakers that have a request. Functions in the interrupt handler may be traced, and a
 * tracer's action on them (a snapshot at each lock, for example) may call this function again. So
 * an unconditional raise could go on for ever.
 */
void ring_buffer_wake_waiters(struct trace_buffer *buffer)
{
	/* Order the caller's change before the reads of the requests. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];

		if (cb && (__atomic_exchange_n(&cb->waiting, 0, __ATOMIC_RELAXED) |
			   __atomic_exchange_n(&cb->full_waiting, 0, __ATOMIC_RELAXED)))
			rb_waker_raise(&cb->waker);
	}
}
