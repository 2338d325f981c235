/*
 * The ring of a perf buffer: records that a program reads while the kernel writes. buffer.c needs
 * nothing of the kernel, so it also runs on the host, where tests hammer it.
 *
 * The data is mapped twice, one copy directly behind the other, so each record is in one piece,
 * wherever it begins. One CPU writes at a time, because the events of a buffer belong to one CPU,
 * or to one task. An interrupt or NMI may write while it has interrupted a writer, and ends before
 * that writer goes on. So no lock is needed, and no atomic operation that locks the bus.
 *
 * The program may write anything into the first page, where data_tail is, but not into the data.
 * The ring reads only data_tail, once for a record, and trusts it in nothing: a wrong tail can only
 * lose or overwrite records.
 *
 * Legend: [C] constant once others can see it; [W] written by the writers; [A] atomic.
 */
#pragma once

#include "arch/cpu/local.h"
#include "trace/perf/perf_event.h"

struct perf_ring {
	struct perf_event_mmap_page *user; /* [C] the program's first page */
	u8 *data;                          /* [C] size bytes, and the same once more */
	u64 size; /* [C] a power of two; 0: only the first page is mapped */
	/* Any of these: records take the long way, perf_ring_begin_any(). */
	union {
		struct {
			bool overwrite; /* [C] the program reads only: old records are lost */
			bool backward;  /* [C] head counts down from 0: the newest comes first */
			bool paused;    /* [A] all records are lost. Without data, always */
			bool has_lost;  /* [W] lost may not be 0 */
		};
		u32 unusual;
	};
	bool wake;     /* [W] the next publication wakes readers */
	u32 nest;      /* [W] writers at work: 1, and 1 for each that has interrupted another */
	u64 head;      /* [W] reserved up to here; the program sees user->data_head */
	u64 lost;      /* [W] records lost since the last LOST record */
	u64 events;    /* [W] samples since the last wake-up by their number */
	u64 woken;     /* [W] bytes written at the last wake-up by their number */
	u64 watermark; /* [C] bytes from one such wake-up to the next */
};

/* Room for a record between begin and end, on the stack of the writer. */
struct perf_room {
	void *record;   /* of the size that was asked for */
	void *lost;     /* room for a LOST record, which the writer fills; NULL: none is due */
	u64 lost_count; /* what it tells */
};

/* The rest of perf_ring_begin() and perf_ring_end(), for all that is not usual. */
bool perf_ring_begin_any(struct perf_ring *ring, struct perf_room *room, u32 size, u32 lost_size);
bool perf_ring_end_any(struct perf_ring *ring, u32 wakeup_events);

/* Whether size bytes are free. The tail is the program's, so the difference may be any number. */
static __always_inline bool perf_ring_has_room(const struct perf_ring *ring, u64 used, u64 size)
{
	/* As in Linux, the ring is never quite full. */
	return used < ring->size && ring->size - used > size;
}

/* The place of a record in a ring of the usual kind; NULL: there is no room. */
static __always_inline void *perf_ring_reserve(struct perf_ring *ring, u64 size)
{
	u64 head;

	do {
		head = READ_ONCE(ring->head);
		if (!perf_ring_has_room(ring, head - READ_ONCE(ring->user->data_tail), size))
			return NULL;
	} while (!local_cmpxchg(&ring->head, head, head + size));
	return ring->data + (head & (ring->size - 1));
}

/*
 * Reserves room for a record of size bytes, and, if records were lost, for a LOST record of
 * lost_size bytes before it; both multiples of 8. False: the record is lost, and counted. In both
 * cases perf_ring_end() follows. Preemption off from here to there; any context.
 */
static __always_inline bool perf_ring_begin(struct perf_ring *ring, struct perf_room *room,
					    u32 size, u32 lost_size)
{
	local_inc32(&ring->nest);
	if (likely(!ring->unusual)) {
		room->record = perf_ring_reserve(ring, size);
		room->lost = NULL;
		if (likely(room->record))
			return true;
	}
	return perf_ring_begin_any(ring, room, size, lost_size);
}

/*
 * Ends the writer's record. The outermost writer publishes all records. wakeup_events: the record
 * is a sample, and that many wake readers; 0: no. True: the caller must wake them.
 *
 * The usual case is the outermost writer of a record that wakes no reader. A backward ring is never
 * so: its head is far above woken.
 */
static __always_inline bool perf_ring_end(struct perf_ring *ring, u32 wakeup_events)
{
	u64 head;

	barrier();
	head = READ_ONCE(ring->head);
	barrier(); /* what an interrupting writer has left to this one is seen below */
	if (unlikely(wakeup_events || ring->nest != 1 || ring->wake ||
		     head - ring->woken >= ring->watermark))
		return perf_ring_end_any(ring, wakeup_events);
	/* Release: the program that sees head sees the records before it. */
	smp_store_release(&ring->user->data_head, head);
	barrier();
	WRITE_ONCE(ring->nest, 0);
	barrier();
	if (likely(READ_ONCE(ring->head) == head))
		return false;
	/* A writer has interrupted this one before nest was 0. */
	WRITE_ONCE(ring->nest, 1);
	return perf_ring_end_any(ring, 0);
}
