/*
 * Exchanges one CPU's parts of two buffers, so that one of them keeps its events while writers
 * continue in the other one. Read trace/ring_buffer/internal.h first.
 *
 * The exchange happens on that CPU with interrupts off. So at most one writer in each of the other
 * contexts of this CPU is interrupted by it. Such a writer has the pointer of its part already, or
 * asks for it at its end: ring_buffer_unlock_commit() takes the partner if nobody writes in the
 * part that is now in the buffer. This is unambiguous: if both parts have writers, the inner ones
 * have begun in the part that is in the buffer, because no exchange happens then.
 */
#include "trace/ring_buffer/write.h"

static void move(struct ring_buffer_per_cpu *cb, struct ring_buffer_per_cpu *partner,
		 struct trace_buffer *to)
{
	WRITE_ONCE(cb->partner, partner);
	WRITE_ONCE(cb->buffer, to);
	rb_waker_join(&cb->waker, &partner->waker);
	WRITE_ONCE(to->cpus[cb->cpu], cb);
	__atomic_fetch_add(&to->swaps, 1, __ATOMIC_RELEASE);
}

bool ring_buffer_swap_this_cpu(struct trace_buffer *a, struct trace_buffer *b)
{
	struct ring_buffer_per_cpu *out = a->cpus[rb_cpu()], *in = b->cpus[rb_cpu()];

	if ((rb_nest(in) && rb_nest(out)) || READ_ONCE(in->record_disabled) ||
	    READ_ONCE(out->record_disabled) || rb_order(in) != rb_order(out))
		return false;
	move(out, in, b);
	move(in, out, a);
	ring_buffer_wake_waiters(a); /* readers must make their requests in the other part now */
	ring_buffer_wake_waiters(b);
	return true;
}
