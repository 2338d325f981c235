/*
 * A zone of memory that survives a reboot, and holds the end of a text: the first part of ramoops
 * (Linux: fs/pstore/ram_core.c, whose layout this is).
 *
 *	| sig start size | data |
 *
 * The data are a ring: start is where the next byte goes, size is how many bytes are valid. Only
 * the header can be checked.
 */
#pragma once

#include "kernel/types.h"

/* In the zone, as the last boot left it: believe nothing. */
struct persistent_ram_buffer {
	u32 sig, start, size;
	u8 data[];
};

/*
 * Legend: [C] constant after persistent_ram_init(); [W] the caller keeps writers of a zone apart;
 * [R] the caller keeps readers of the old contents apart.
 */
struct persistent_ram_zone {
	struct persistent_ram_buffer *buffer; /* [C]; [W] what it points to */
	size_t size;                          /* [C] of the ring */
	u32 sig;                              /* [C] */
	bool damaged; /* [C] there was a header, but not one that can be used */
	u8 *old;      /* [R] a copy of what init has found, or NULL; vfree() */
	size_t old_size;
};

/*
 * Lays the zone into `size` bytes at area, and copies what the last boot has left to zone->old. The
 * ring itself is not changed, and may still be damaged: persistent_ram_zap() comes before the first
 * write. 0, -EINVAL (too small) or -ENOMEM. Task context, boot.
 */
int persistent_ram_init(struct persistent_ram_zone *zone, void *area, size_t size, u32 sig);
/* Frees the copy. Task context. */
void persistent_ram_free_old(struct persistent_ram_zone *zone);
/* Empties the ring. Any context. */
void persistent_ram_zap(struct persistent_ram_zone *zone);
/* Appends to the ring; the oldest bytes make room. Any context. */
void persistent_ram_write(struct persistent_ram_zone *zone, const void *data, size_t length);
