/*
 * Decompression of gzip: RFC 1952, and the format deflate in it, RFC 1951.
 *
 * The decoder depends only on the bytes of the input, and trusts none of them. It allocates
 * nothing. Any context. Host tests and a fuzzer compare it with zlib.
 */
#pragma once

#include "kernel/types.h"

#define HUFFMAN_FAST_BITS 10
#define HUFFMAN_MAX_BITS  15
#define HUFFMAN_SYMBOLS   288

/* A code: which bits stand for which symbol. Internal. */
struct huffman {
	u16 fast[1 << HUFFMAN_FAST_BITS]; /* by the next bits: symbol << 4 | length; 0: see below */
	u16 count[HUFFMAN_MAX_BITS + 1];  /* number of symbols by length, for longer codes */
	u16 symbol[HUFFMAN_SYMBOLS];      /* sorted by length, then by value */
};

/*
 * One decompression. It is large: not on a stack. The caller sets the first part, and the rest to
 * 0.
 */
struct gunzip {
	const u8 *in;
	size_t in_size;
	size_t in_pos; /* where to begin; afterwards: where the member of the file has ended */
	u8 *out;
	size_t out_size;
	/* Called when out is full: sets a larger out with the same contents, and out_size. 0,
	 * -ENOMEM */
	int (*grow)(struct gunzip *z);

	size_t out_pos;      /* bytes that are decompressed */
	const char *problem; /* the reason for -EINVAL */

	/* Internal. */
	u64 hold;      /* bits that are read, and not used: the next one is bit 0 */
	unsigned bits; /* their number */
	u32 crc[256];
	struct huffman literals, distances;
};

/* Whether the bytes begin as a gzip file. */
static inline bool is_gzip(const u8 *in, size_t size)
{
	return size >= 2 && in[0] == 0x1f && in[1] == 0x8b;
}

/*
 * Decompresses one member of a gzip file, and checks its sum. 0; -EINVAL: not such a member, or a
 * damaged one; or the error of grow.
 */
int gunzip(struct gunzip *z);
