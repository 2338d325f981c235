/*
 * A range of numbers of 64 or of 32 bits: one of the two views of a struct bpf_scalar, so that each
 * rule is written once for both. A range of 32 bits keeps its bounds extended to 64 bits. Private
 * to scalar.c, alu.c and branch.c.
 */
#pragma once

#include "kernel/compiler.h"
#include "trace/bpf/verifier/scalar.h"

struct range {
	s64 smin, smax;
	u64 umin, umax;
};

/* The greatest number of that many bits, and its greatest and least as signed numbers. */
static inline u64 range_umax(u8 bits)
{
	return ~0ULL >> (64 - bits);
}
static inline s64 range_smax(u8 bits)
{
	return (s64)(range_umax(bits) >> 1);
}
static inline s64 range_smin(u8 bits)
{
	return -range_smax(bits) - 1;
}
/* The number that the lower bits mean as signed number. */
static inline s64 sign_extended(u64 value, u8 bits)
{
	return bits == 32 ? (s32)value : (s64)value;
}
static inline struct range range_unknown(u8 bits)
{
	return (struct range){ range_smin(bits), range_smax(bits), 0, range_umax(bits) };
}

/* half's lower half, and an unknown upper half. */
static inline struct tnum tnum_of_half(struct tnum half)
{
	half = tnum_cast(half, 4);
	half.mask |= ~(u64)UINT32_MAX;
	return half;
}
/* No number is a member of both. */
static inline bool tnum_disjoint(struct tnum a, struct tnum b)
{
	return (a.value ^ b.value) & ~a.mask & ~b.mask;
}

/* scalar.c */
struct range scalar_range(const struct bpf_scalar *s, u8 bits);
void scalar_set_range(struct bpf_scalar *s, struct range r, u8 bits);
/* The range of 64 bits of a number whose upper half is 0. */
void scalar_zero_extend(struct bpf_scalar *s);
/* Makes the scalar empty. */
void scalar_set_empty(struct bpf_scalar *s);
