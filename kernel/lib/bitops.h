/*
 * Powers of two, and searches in arrays of bits. Nothing here is atomic: for that see
 * kernel/atomic.h. Any context.
 */
#pragma once

#include "kernel/atomic.h"

/* The number of the highest set bit, counted from 1; 0 for x = 0. */
static __always_inline unsigned fls64(u64 x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

/* The logarithm of x to base 2, rounded down. x > 0. */
static __always_inline unsigned ilog2(u64 x)
{
	return 63 - (unsigned)__builtin_clzll(x);
}

static __always_inline bool is_power_of_2(u64 x)
{
	return x && !(x & (x - 1));
}

static __always_inline u64 roundup_pow_of_two(u64 x)
{
	return x > 1 ? 1ULL << fls64(x - 1) : 1;
}

#define BITS_TO_LONGS(n)           DIV_ROUND_UP(n, 64)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

/* The number of the first set (clear) bit from start on, or nbits. */
static inline unsigned find_next_bit(const unsigned long *map, unsigned nbits, unsigned start)
{
	while (start < nbits) {
		unsigned long word = READ_ONCE(map[start / 64]) >> (start % 64);

		if (word)
			return min(start + (unsigned)__builtin_ctzl(word), nbits);
		start = ALIGN_DOWN(start, 64) + 64;
	}
	return nbits;
}

static inline unsigned find_next_zero_bit(const unsigned long *map, unsigned nbits, unsigned start)
{
	while (start < nbits) {
		unsigned long word = ~READ_ONCE(map[start / 64]) >> (start % 64);

		if (word)
			return min(start + (unsigned)__builtin_ctzl(word), nbits);
		start = ALIGN_DOWN(start, 64) + 64;
	}
	return nbits;
}
