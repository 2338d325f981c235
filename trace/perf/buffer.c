/*
 * The ring of a perf buffer: reserving and publishing records. buffer.h explains it.
 *
 *	begin	nest + 1; moves head over the room by a local compare-and-exchange
 *	...	the writer fills its room, and may be interrupted by other writers
 *	end	nest 1: publishes head as data_head; nest - 1
 *
 * So data_head never points behind a record that is not complete: a writer that has interrupted
 * another one finds nest above 1, and leaves the publication to it.
 */
#include "trace/perf/buffer.h"

/* As perf_ring_has_room(), for any kind of ring. */
static __always_inline bool has_room(const struct perf_ring *ring, u64 head, u64 size)
{
	u64 tail;

	if (ring->overwrite)
		return size <= ring->size;
	tail = READ_ONCE(ring->user->data_tail);
	return perf_ring_has_room(ring, ring->backward ? tail - head : head - tail, size);
}

/* Moves head over size bytes. *at: where they begin. False: they are not free. */
static __always_inline bool reserve(struct perf_ring *ring, u64 size, u64 *at)
{
	u64 old, new;

	do {
		old = READ_ONCE(ring->head);
		if (!has_room(ring, old, size))
			return false;
		new = ring->backward ? old - size : old + size;
	} while (!local_cmpxchg(&ring->head, old, new));
	*at = ring->backward ? new : old;
	return true;
}

bool perf_ring_begin_any(struct perf_ring *ring, struct perf_room *room, u32 size, u32 lost_size)
{
	u64 at, lost = 0;

	if (ring->has_lost) {
		/* First, so that a writer that interrupts does not tell it, too. */
		WRITE_ONCE(ring->has_lost, false);
		lost = xchg(&ring->lost, 0);
	}
	if (!lost)
		lost_size = 0;
	if (READ_ONCE(ring->paused) || !reserve(ring, (u64)size + lost_size, &at)) {
		local_add(&ring->lost, lost + 1);
		WRITE_ONCE(ring->has_lost, true);
		return false;
	}
	room->lost = lost_size ? ring->data + (at & (ring->size - 1)) : NULL;
	room->lost_count = lost;
	room->record = ring->data + (at & (ring->size - 1)) + lost_size;
	return true;
}

/* Notes whether readers have enough to read. Only the outermost writer does this. */
static __always_inline void check_watermark(struct perf_ring *ring, u64 head)
{
	u64 written = ring->backward ? 0 - head : head;

	if (written - ring->woken < ring->watermark)
		return;
	ring->woken = written;
	WRITE_ONCE(ring->wake, true);
}

/*
 * Publishes all records. A writer that interrupts this function before nest is 0 publishes nothing
 * itself, so head is read again afterwards. One that comes later publishes its own record.
 */
static bool publish(struct perf_ring *ring)
{
	bool wake = false;
	u64 head;

	for (;;) {
		head = READ_ONCE(ring->head);
		check_watermark(ring, head);
		if (READ_ONCE(ring->wake)) {
			WRITE_ONCE(ring->wake, false);
			wake = true;
		}
		/* Release: the program that sees head sees the records before it. */
		smp_store_release(&ring->user->data_head, head);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		if (likely(READ_ONCE(ring->head) == head))
			return wake;
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
}

bool perf_ring_end_any(struct perf_ring *ring, u32 wakeup_events)
{
	if (wakeup_events) {
		local_add(&ring->events, 1);
		/* A writer that comes between the test and the store has found the same. */
		if (READ_ONCE(ring->events) >= wakeup_events) {
			WRITE_ONCE(ring->events, 0);
			WRITE_ONCE(ring->wake, true);
		}
	}
	barrier();
	if (likely(ring->nest == 1))
		return publish(ring);
	WRITE_ONCE(ring->nest, ring->nest - 1);
	return false;
}
