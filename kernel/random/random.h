/*
 * Random numbers that nobody can predict: getrandom(2), /dev/urandom, AT_RANDOM, address layouts.
 */
#pragma once

#include "kernel/random/chacha20.h"
#include "kernel/types.h"

/*
 * Fills buf. The generator is ready when the first task runs; earlier calls get what the clock has
 * given so far. Any context but NMI.
 */
void get_random_bytes(void *buf, size_t len);
static inline u64 get_random_u64(void)
{
	u64 value;

	get_random_bytes(&value, sizeof(value));
	return value;
}

/* A stream of random bytes: the blocks of one key. At the end, the owner overwrites it. */
struct random_stream {
	u32 key[CHACHA20_KEY_WORDS];
	u32 block[CHACHA20_BLOCK_WORDS]; /* the last block of random_stream_next() */
	u32 counter;                     /* 0 at the begin */
};
void random_stream_begin(struct random_stream *stream);
void random_stream_next(struct random_stream *stream);

/* Mixes data into the generator: a later output depends on it, too. Any context but NMI. */
void add_random_bytes(const void *buf, size_t len);
