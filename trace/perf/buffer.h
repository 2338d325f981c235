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

#include "trace/perf/perf_event.h"

struct perf_ring {
	struct perf_event_mmap_page *user; /* [C] the program's first page */
	u8 *data;                          /* [C] size bytes, and the same once more */
	u64 size;       /* [C] a power of two; 0: only the first page is mapped */
	bool overwrite; /* [C] the program reads only: old records are overwritten */
	bool backward;  /* [C] head counts down from 0: the newest record comes first */
	bool paused;    /* [A] all records are lost */
	bool wake;      /* [W] the next publication wakes readers */
	u32 nest;       /* [W] writers at work: 1, and 1 for each that has interrupted another */
	u64 head;       /* [W] reserved up to here; the program sees user->data_head */
	u64 lost;       /* [W] records lost since the last LOST record */
	u64 events;     /* [W] samples since the last wake-up by their number */
	u64 woken;      /* [W] bytes written at the last wake-up by their number */
	u64 watermark;  /* [C] bytes from one such wake-up to the next */
};

/* Room for a record between begin and end, on the stack of the writer. */
struct perf_room {
	void *record;   /* of the size that was asked for */
	void *lost;     /* room for a LOST record, which the writer fills; NULL: none is due */
	u64 lost_count; /* what it tells */
};

/*
 * Reserves room for a record of size bytes, and, if records were lost, for a LOST record of
 * lost_size bytes before it; both multiples of 8. False: the record is lost, and counted. In both
 * cases perf_ring_end() follows. Preemption off from here to there; any context.
 */
bool perf_ring_begin(struct perf_ring *ring, struct perf_room *room, u32 size, u32 lost_size);
/*
 * Ends the writer's record. The outermost writer publishes all records. wakeup_events: the record
 * is a sample, and that many wake readers; 0: no. True: the caller must wake them.
 */
bool perf_ring_end(struct perf_ring *ring, u32 wakeup_events);
