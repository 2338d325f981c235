/*
 * The ring of kernel messages: many writers in any context, many readers, no lock.
 *
 * The ring is an array of slots of 128 bytes; a record takes as many neighbouring slots as its text
 * needs. Slots are numbered for ever, and the number of a record's first slot is its sequence
 * number (so numbers have gaps). Each slot's state word says whose it is:
 *
 *      0                       never used
 *      (seq + 1) * 2           being written by the writer that owns number seq
 *      (seq + 1) * 2 + 1       committed: holds number seq
 *
 * A writer owns numbers n..n+k-1 when it has moved next from n to n + k, and it may do that only
 * while the slots' former contents are all committed: so two writers never meet in a slot, even
 * when one of them was interrupted by an NMI or its virtual CPU stands still. A message that finds
 * a slot still being written a whole ring ago is dropped and counted; nobody ever waits.
 *
 * A reader copies a record and then looks whether its slots still hold it.
 */
#pragma once

#include "kernel/compiler.h"

#define PRB_SLOTS     2048U /* a power of two */
#define PRB_SLOT_TEXT 104U
#define PRB_TEXT_MAX  (10 * PRB_SLOT_TEXT) /* bytes of one record; the caller cuts longer text */

struct prb_slot {
	u64 state;    /* [A] */
	u64 ts_nsec;  /* the rest: written by the slot's owner before it commits */
	u16 text_len; /* of the whole record */
	u8 part;      /* index of this slot within its record */
	u8 level;
	u32 cpu;
	char text[PRB_SLOT_TEXT];
};

struct printk_ringbuffer {
	u64 next;    /* [A] the number that the next record gets */
	u64 dropped; /* [A] messages that found no slot */
	struct prb_slot slots[PRB_SLOTS];
};

struct printk_record {
	u64 seq;
	u64 next_seq; /* where the record after this one begins */
	u64 ts_nsec;
	unsigned level;
	unsigned cpu;
	size_t len;
	char text[PRB_TEXT_MAX]; /* no newline, no NUL */
};

/* Add a record of len <= PRB_TEXT_MAX bytes. False: dropped. Any context. */
bool prb_write(struct printk_ringbuffer *rb, unsigned level, u64 ts_nsec, unsigned cpu,
	       const char *text, size_t len);

enum prb_result {
	PRB_OK,
	PRB_EMPTY,   /* seq is not written yet, or is being written */
	PRB_PARTIAL, /* seq is inside a record whose beginning is lost: try seq + 1 */
	PRB_LOST,    /* seq has been overwritten: go on from prb_first_seq() */
};

/* Read the record that begins at seq. Any context. */
enum prb_result prb_read(const struct printk_ringbuffer *rb, u64 seq, struct printk_record *r);
/* The same, but going forward over what is lost; *lost (may be NULL) counts the slots skipped. */
bool prb_read_next(const struct printk_ringbuffer *rb, u64 *seq, struct printk_record *r,
		   u64 *lost);
/* prb_read() of seq would not say PRB_EMPTY. */
bool prb_readable(const struct printk_ringbuffer *rb, u64 seq);
u64 prb_first_seq(const struct printk_ringbuffer *rb);
u64 prb_next_seq(const struct printk_ringbuffer *rb);
