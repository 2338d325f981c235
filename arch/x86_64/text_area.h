/* Room for code that is made at run time: the text area of docs/memory-map.md. Task context. */
#pragma once

#include "kernel/types.h"

/*
 * size bytes (at most a page) of executable memory within reach of a near call of the image, and
 * full of int3: text_patch_fill() writes to it. 0 without memory.
 */
unsigned long text_area_alloc(size_t size);
/*
 * Give back what no CPU executes and nobody can reach any more. It becomes int3 at once, so that
 * somebody who comes nevertheless is caught.
 */
void text_area_free(unsigned long addr, size_t size);

struct text_area_stats {
	unsigned pages; /* mapped */
	unsigned bytes; /* in use, in whole granules */
};
void text_area_stats_read(struct text_area_stats *stats);
