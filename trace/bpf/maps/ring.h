/*
 * The ring of a RINGBUF map: records that programs write and one program in user space reads. Pure:
 * host tests hammer it.
 *
 * Positions count bytes from the start on and never fall; the place in the data is the position
 * modulo the size. The data is mapped twice, one copy behind the other, so each record is in one
 * piece. A record is a header of 8 bytes and the data, filled up to a multiple of 8:
 *
 *	reserve	a writer, alone by a lock, marks the record as busy and moves the position
 *	...	any number of writers fill their records
 *	commit	takes the mark away, once and for all
 *
 * A short record is written at once, with the lock held.
 *
 * The reader takes records from its own position on, until one is busy, and then moves its
 * position. It may write any number there. So the ring remembers itself up to where all records are
 * complete (pending), and never reserves what is not. A wrong position of the reader loses records;
 * it can make no writer overwrite the record of another one.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/lib/string.h"

/* What the reader knows of the header: Linux's interface. */
#define BPF_RINGBUF_BUSY_BIT    (1U << 31)
#define BPF_RINGBUF_DISCARD_BIT (1U << 30)
#define BPF_RINGBUF_HDR_SZ      8

struct bpf_ring_record {
	u32 len;   /* [A] bytes of data, and the two bits */
	u32 owner; /* of the map: where it finds the ring of a record */
	u8 data[];
};

/* [C] constant; [W] the writer that holds the lock; [A] atomic. */
struct bpf_ring {
	u8 *data;          /* [C] size bytes, and the same once more */
	u64 size;          /* [C] a power of 2 */
	const u64 *reader; /* [C] the reader's position, in a page that it writes */
	u64 *producer;     /* [C] this points into a page that the reader sees; [W] */
	u64 pending;       /* [W] all records before it are complete */
	u32 owner;         /* [C] */
};

/* The whole record of so many bytes. */
static __always_inline u64 bpf_ring_record_size(u32 len)
{
	return ALIGN((u64)(len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT)) +
			     BPF_RINGBUF_HDR_SZ,
		     8);
}

static __always_inline struct bpf_ring_record *bpf_ring_at(const struct bpf_ring *ring,
							   u64 position)
{
	return (struct bpf_ring_record *)(ring->data + (position & (ring->size - 1)));
}

/* Moves pending over records that are complete by now. The lock held. */
static inline void bpf_ring_pass_complete(struct bpf_ring *ring, u64 producer)
{
	u64 at = ring->pending;

	while (at != producer) {
		u32 len = smp_load_acquire(&bpf_ring_at(ring, at)->len);

		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		at += bpf_ring_record_size(len);
	}
	ring->pending = at;
}

/* Whether a record from start to end is free. The lock held. */
static __always_inline bool bpf_ring_has_room(struct bpf_ring *ring, u64 start, u64 end)
{
	u64 size = ring->size;

	if (unlikely(ring->pending != start))
		bpf_ring_pass_complete(ring, start);
	/* The second one also refuses a record that is longer than the ring. */
	return end - smp_load_acquire(ring->reader) < size && end - ring->pending < size;
}

/*
 * A record of len bytes, which is busy; NULL: no room. The caller holds the lock of the ring. Any
 * context.
 */
static __always_inline struct bpf_ring_record *bpf_ring_reserve(struct bpf_ring *ring, u32 len)
{
	u64 start = *ring->producer, end = start + bpf_ring_record_size(len);
	struct bpf_ring_record *record = bpf_ring_at(ring, start);

	if (unlikely(!bpf_ring_has_room(ring, start, end)))
		return NULL;
	record->len = len | BPF_RINGBUF_BUSY_BIT;
	record->owner = ring->owner;
	/* Release: a reader that sees the position sees that the record is busy. */
	smp_store_release(ring->producer, end);
	return record;
}

/*
 * A whole record at once. False: no room. *reached: the reader waits for it. The caller holds the
 * lock of the ring. Any context.
 */
static __always_inline bool bpf_ring_write(struct bpf_ring *ring, const void *data, u32 len,
					   bool *reached)
{
	u64 start = *ring->producer, end = start + bpf_ring_record_size(len);
	struct bpf_ring_record *record = bpf_ring_at(ring, start);

	if (unlikely(!bpf_ring_has_room(ring, start, end)))
		return false;
	record->len = len;
	record->owner = ring->owner;
	memcpy(record->data, data, len);
	if (likely(ring->pending == start))
		ring->pending = end;
	/* A full barrier: the reader sees the data first; and its position is read after it. */
	(void)xchg(ring->producer, end);
	*reached = smp_load_acquire(ring->reader) == start;
	return true;
}

/* The record is complete. Returns whether the reader waits for it. Any context, no lock. */
static __always_inline bool bpf_ring_commit(const struct bpf_ring *ring,
					    struct bpf_ring_record *record, bool discard)
{
	u32 len = record->len ^ BPF_RINGBUF_BUSY_BIT;
	u64 position = (u64)((u8 *)record - ring->data);

	/* A full barrier: the reader sees the data first; and its position is read after it. */
	(void)xchg(&record->len, discard ? len | BPF_RINGBUF_DISCARD_BIT : len);
	return (smp_load_acquire(ring->reader) & (ring->size - 1)) == position;
}

/* Bytes from the reader's position to the producer's. */
static __always_inline u64 bpf_ring_available(const struct bpf_ring *ring)
{
	u64 reader = smp_load_acquire(ring->reader);

	return smp_load_acquire(ring->producer) - reader;
}
