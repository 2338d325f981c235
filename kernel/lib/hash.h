/* Hashes of integers, pointers and bytes. Any context. */
#pragma once

#include "kernel/compiler.h"

/* Multiplicative hashing with 2^64 / golden ratio (Knuth, volume 3, 6.4). Returns the top bits. */
static __always_inline u32 hash_64(u64 value, unsigned bits)
{
	return (u32)(value * 0x9e3779b97f4a7c15ULL >> (64 - bits));
}

static __always_inline u32 hash_ptr(const void *ptr, unsigned bits)
{
	return hash_64((u64)(uintptr_t)ptr, bits);
}

/*
 * FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). To continue a hash, pass the last
 * result.
 */
#define FNV1A_64_INIT 0xcbf29ce484222325ULL

static inline u64 fnv1a_64(const void *bytes, size_t n, u64 hash)
{
	for (const u8 *p = bytes; n; n--)
		hash = (hash ^ *p++) * 0x100000001b3ULL;
	return hash;
}
