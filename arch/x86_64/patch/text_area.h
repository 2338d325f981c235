/*
 * Memory for code that is generated at run time: the text area in docs/memory-map.md. Task context.
 */
#pragma once

#include "kernel/types.h"

/*
 * Allocates size bytes of executable memory, within reach of a near call from the image, filled
 * with int3. text_patch_fill() writes to it. Returns 0 without memory.
 */
unsigned long text_area_alloc(size_t size);
/*
 * Frees memory that no CPU executes or can reach. Fills it with int3 at once, so that a wrong jump
 * to it traps.
 */
void text_area_free(unsigned long addr, size_t size);

struct text_area_stats {
	unsigned pages; /* mapped */
	unsigned bytes; /* in use, in whole granules */
};
void text_area_stats_read(struct text_area_stats *stats);
