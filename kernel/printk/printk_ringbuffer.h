/*
 * The ring of kernel messages: many writers in any context, many readers, no lock.
 *
 * The ring is an array of slots of 128 bytes. A record takes as many neighbouring slots as its text
 * needs. Slots get ever-increasing numbers; number seq lies in slot seq % PRB_SLOTS. The number of
 * a record's first slot is its sequence number: so sequence numbers have gaps. Each slot has a
 * state word:
 *
 *      0                       never used
 *      (seq + 1) * 2           being written by the writer that owns number seq
 *      (seq + 1) * 2 + 1       committed: holds number seq
 *
 * A writer that moves next from n to n + k owns the numbers n..n+k-1. It may do that only if the
 * previous contents of all these slots are committed. So two writers never use the same slot, even
 * if an NMI interrupts one of them, or its virtual CPU stops. If a slot is still being written
 * since the last time around the ring, the new message is dropped and counted. No writer ever
 * waits.
 *
 * A reader copies a record, and then checks that the slots still hold it.
 */
#pragma once

#include "kernel/compiler.h"

#define PRB_SLOTS     2048U /* a power of two */
#define PRB_SLOT_TEXT 104U
#define PRB_TEXT_MAX  (10 * PRB_SLOT_TEXT) /* bytes of one record */

struct prb_slot {
	u64 state;    /* [A] */
	u64 ts_nsec;  /* this and the fields below: written by the owner of the slot, before it
			 commits */
	u16 text_len; /* of the whole record */
	u16 part;     /* index of this slot within its record */
	u16 prio;     /* LOG_PRIO(): facility and level */
	u16 cpu;
	char text[PRB_SLOT_TEXT];
};

struct printk_ringbuffer {
	u64 next;    /* [A] the number for the next record */
	u64 dropped; /* [A] messages that found no slot */
	struct prb_slot slots[PRB_SLOTS];
};

struct printk_record {
	u64 seq;
	u64 next_seq; /* of the next record */
	u64 ts_nsec;
	unsigned prio;
	unsigned cpu;
	size_t len;
	char text[PRB_TEXT_MAX]; /* no newline, no NUL */
};

/* Adds a record of len <= PRB_TEXT_MAX bytes. False: dropped. Any context. */
bool prb_write(struct printk_ringbuffer *rb, unsigned prio, u64 ts_nsec, unsigned cpu,
	       const char *text, size_t len);

enum prb_result {
	PRB_OK,
	PRB_EMPTY,   /* seq is not written yet, or is being written now */
	PRB_PARTIAL, /* seq is inside a record, and its beginning is lost: try seq + 1 */
	PRB_LOST,    /* seq is overwritten: continue at prb_first_seq() */
};

/* Reads the record that begins at seq. Any context. */
enum prb_result prb_read(const struct printk_ringbuffer *rb, u64 seq, struct printk_record *r);
/*
 * Reads the first record from *seq on that is not lost, and moves *seq to it. Adds the number of
 * skipped slots to *lost, which may be NULL.
 */
bool prb_read_next(const struct printk_ringbuffer *rb, u64 *seq, struct printk_record *r,
		   u64 *lost);
/* The state of a slot that holds number seq. */
static inline u64 slot_committed(u64 seq)
{
	return (seq + 1) * 2 + 1;
}

/* True when prb_read() of seq does not return PRB_EMPTY. */
static inline bool prb_readable(const struct printk_ringbuffer *rb, u64 seq)
{
	return smp_load_acquire(&rb->slots[seq % PRB_SLOTS].state) >= slot_committed(seq);
}

u64 prb_first_seq(const struct printk_ringbuffer *rb);
u64 prb_next_seq(const struct printk_ringbuffer *rb);

/*
 * Reads the first record of the log from *seq on, and moves *seq to it; r->next_seq is behind it.
 * 1: a record; 0: none yet; -EPIPE: it is lost, and *seq is now the oldest record. Any context.
 */
int kmsg_read_next(u64 *seq, struct printk_record *r);
