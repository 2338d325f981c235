/*
 * Sequence locks: a spinlock for writers, and a counter that tells readers whether a writer came.
 *
 * A reader that takes no lock notes the counter, reads, and asks afterwards whether it must read
 * again:
 *
 *	do {
 *		seq = read_seqbegin(&lock);
 *		... read ...
 *	} while (read_seqretry(&lock, seq));
 *
 * The data that it reads may be half changed. So this lock suits only data that can be read safely
 * at any moment. A reader that must keep writers out takes the lock: read_seqlock_excl(). The
 * counter is odd while a writer is at work. Contexts as for spinlock_t: a writer has preemption
 * off, so a reader that waits for it does not wait long. No readers in interrupts.
 */
#pragma once

#include "kernel/locking/spinlock.h"

typedef struct seqlock {
	spinlock_t lock;
	unsigned sequence; /* [lock] to write */
} seqlock_t;

#define DEFINE_SEQLOCK(name) seqlock_t name = { .lock = __SPINLOCK_INIT(name.lock), .sequence = 0 }

/* Waits for the writer that is at work. */
static __always_inline unsigned read_seqbegin(const seqlock_t *sl)
{
	unsigned seq;

	while (unlikely((seq = smp_load_acquire(&sl->sequence)) & 1))
		cpu_relax();
	return seq;
}

/* True if a writer came after read_seqbegin(). */
static __always_inline bool read_seqretry(const seqlock_t *sl, unsigned seq)
{
	smp_rmb();
	return unlikely(READ_ONCE(sl->sequence) != seq);
}

static __always_inline void write_seqlock(seqlock_t *sl)
{
	spin_lock(&sl->lock);
	WRITE_ONCE(sl->sequence, sl->sequence + 1);
	smp_wmb();
}

static __always_inline void write_sequnlock(seqlock_t *sl)
{
	smp_store_release(&sl->sequence, sl->sequence + 1);
	spin_unlock(&sl->lock);
}

/* Keeps writers and other such readers out. */
static __always_inline void read_seqlock_excl(seqlock_t *sl)
{
	spin_lock(&sl->lock);
}

static __always_inline void read_sequnlock_excl(seqlock_t *sl)
{
	spin_unlock(&sl->lock);
}
