/*
 * Compression into the DEFLATE format (RFC 1951), one block with the fixed codes: what zlib's raw
 * inflate reads. Made for data that repeats itself at short distances, such as pages of a trace.
 */
#pragma once

#include "kernel/types.h"

#define DEFLATE_MAX_INPUT 32768U /* bytes: so that every distance is within the format's window */
#define DEFLATE_HASH_SIZE 4096U

struct deflate_workspace {
	u16 last[DEFLATE_HASH_SIZE]; /* by hash: position + 1 of what had it last */
};

/*
 * Compress size bytes (at most DEFLATE_MAX_INPUT) into at most room bytes: how many, or 0 when they
 * do not fit. The workspace needs no set-up, and is the caller's alone meanwhile. Any context.
 */
size_t deflate_fixed(struct deflate_workspace *work, const void *data, size_t size, void *out,
		     size_t room);
