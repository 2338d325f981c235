/*
 * Compression into the DEFLATE format (RFC 1951): one block with the fixed codes. zlib's raw
 * inflate reads it. Good for data that repeats at short distances, such as pages of a trace.
 */
#pragma once

#include "types.h"

#define DEFLATE_MAX_INPUT 32768U /* bytes: so every distance is within the window of the format */
#define DEFLATE_HASH_SIZE 4096U

struct deflate_workspace {
	u16 last[DEFLATE_HASH_SIZE]; /* by hash: position + 1 of the last bytes with this hash */
};

/*
 * Compresses size bytes (at most DEFLATE_MAX_INPUT) into at most room bytes. Returns the size of
 * the result; 0: it does not fit. The workspace needs no initialization. Only one call at a time
 * may use it.
 */
size_t deflate_fixed(struct deflate_workspace *work, const void *data, size_t size, void *out,
		     size_t room);
