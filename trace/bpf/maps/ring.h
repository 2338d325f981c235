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
 * A short record is written at once, with the lock held, if all before it are complete: the quick
 * path. It leaves everything else to reserve and commit.
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

#define BPF_RING_SHORT 256 /* bytes that are copied with interrupts off, at most */

struct bpf_ring_record {
	u32 len;   /* [A] bytes of data, and the two bits */
	u32 owner; /* of the map: where it finds the ring of a record */
	u8 data[];
};

/* [C] constant; [W] the writer that holds the lock; [A] atomic. */
struct bpf_ring {
	u8 *data;          /* [C] size bytes, and the same once more */
	u64 mask;          /* [C] size - 1: the size is a power of 2 */
	const u64 *reader; /* [C] the reader's position, in a page that it writes */
	u64 *producer;     /* [C] this points into a page that the reader sees; [W] */
	u64 pending;       /* [W] all records before it are complete */
	u32 owner;         /* [C] */
	u64 limit;         /* [W] a record may end there, as the reader was when last looked at */
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
	return (struct bpf_ring_record *)(ring->data + (position & ring->mask));
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

/* Whether the reader has left the place of a record that ends there. The lock held. */
static __always_inline bool bpf_ring_is_read(struct bpf_ring *ring, u64 end)
{
	u64 reader = smp_load_acquire(ring->reader);

	if (end - reader > ring->mask)
		return false;
	ring->limit = reader + ring->mask;
	return true;
}

/* Whether a record from start to end is free. The lock held. */
static __always_inline bool bpf_ring_has_room(struct bpf_ring *ring, u64 start, u64 end)
{
	if (unlikely(ring->pending != start))
		bpf_ring_pass_complete(ring, start);
	/* The second one also refuses a record that is longer than the ring. */
	return bpf_ring_is_read(ring, end) && end - ring->pending <= ring->mask;
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

static __always_inline void bpf_ring_copy_word(u8 *to, const u8 *from, u64 at)
{
	typedef u64 word __aligned(1);

	*(word *)(to + at) = *(const word *)(from + at);
}

/* memcpy() in place, for few bytes. The last word may begin in the one before it. */
static __always_inline void bpf_ring_copy(u8 *to, const u8 *from, u64 len)
{
	/* The empty asm keeps the compiler from making calls of the loops. */
	if (unlikely(len < 8)) {
		for (u64 at = 0; at < len; at++) {
			to[at] = from[at];
			__asm__("" : "+r"(at));
		}
		return;
	}
	bpf_ring_copy_word(to, from, 0);
	for (u64 at = 8; unlikely(at + 8 < len); at += 8) {
		bpf_ring_copy_word(to, from, at);
		__asm__("" : "+r"(at));
	}
	bpf_ring_copy_word(to, from, len - 8);
}

/*
 * A whole record at once. False: it is not short, there is no room, or records before it are not
 * complete, which only bpf_ring_reserve() looks at. The caller holds the lock. Any context.
 *
 * Then bpf_ring_reached(ring, *start) tells whether the reader waits for the record.
 */
static __always_inline bool bpf_ring_write(struct bpf_ring *ring, const void *data, u64 len,
					   u64 *start)
{
	u64 at = *ring->producer, end = at + ALIGN(len + BPF_RINGBUF_HDR_SZ, 8);
	struct bpf_ring_record *record;

	if (unlikely(len > BPF_RING_SHORT || ring->pending != at))
		return false;
	if (unlikely((s64)(ring->limit - end) < 0) && !bpf_ring_is_read(ring, end))
		return false;
	ring->pending = end;
	record = bpf_ring_at(ring, at);
	record->len = (u32)len;
	record->owner = ring->owner;
	bpf_ring_copy(record->data, data, len);
	/* A full barrier: the reader sees the data first; and its position is read after it. */
	(void)xchg(ring->producer, READ_ONCE(ring->pending)); /* its end */
	*start = at;
	return true;
}

/* Whether the reader has come to the record that bpf_ring_write() has written, and no further. */
static __always_inline bool bpf_ring_reached(const struct bpf_ring *ring, u64 start)
{
	return smp_load_acquire(ring->reader) == start;
}

/* The record is complete. Returns whether the reader waits for it. Any context, no lock. */
static __always_inline bool bpf_ring_commit(const struct bpf_ring *ring,
					    struct bpf_ring_record *record, bool discard)
{
	u32 len = record->len ^ BPF_RINGBUF_BUSY_BIT;
	u64 position = (u64)((u8 *)record - ring->data);

	/* A full barrier: the reader sees the data first; and its position is read after it. */
	(void)xchg(&record->len, discard ? len | BPF_RINGBUF_DISCARD_BIT : len);
	return (smp_load_acquire(ring->reader) & ring->mask) == position;
}

/* Bytes from the reader's position to the producer's. */
static __always_inline u64 bpf_ring_available(const struct bpf_ring *ring)
{
	u64 reader = smp_load_acquire(ring->reader);

	return smp_load_acquire(ring->producer) - reader;
}
