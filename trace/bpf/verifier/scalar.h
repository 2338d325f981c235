/*
 * Numbers as the verifier knows them: what a register of 64 bits may be. Two views at once: which
 * bits are known (tnum), and in which ranges it lies, as signed and unsigned number, of 64 and of
 * the lower 32 bits. A real value is in all of them. Pure functions; no allocation, no log.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/types.h"

/* A bit of mask: unknown, and 0 in value. */
struct tnum {
	u64 value, mask;
};

/* Of 64 bits; or of 32 bits, with bounds that are extended to 64: each rule is written once. */
struct range {
	s64 smin, smax;
	u64 umin, umax;
};

struct bpf_scalar {
	struct tnum var_off;
	struct range whole, half; /* of all bits; of the lower 32 */
};

/* tnum.c. Each holds at least all results of the operation on members. */
struct tnum tnum_const(u64 value);
struct tnum tnum_range(u64 min, u64 max); /* the smallest that holds min … max */
struct tnum tnum_lshift(struct tnum a, u8 shift);
struct tnum tnum_rshift(struct tnum a, u8 shift);
struct tnum tnum_arshift(struct tnum a, u8 shift, u8 bits); /* bits 32 or 64 */
struct tnum tnum_add(struct tnum a, struct tnum b);
struct tnum tnum_sub(struct tnum a, struct tnum b);
struct tnum tnum_and(struct tnum a, struct tnum b);
struct tnum tnum_or(struct tnum a, struct tnum b);
struct tnum tnum_xor(struct tnum a, struct tnum b);
struct tnum tnum_mul(struct tnum a, struct tnum b);
struct tnum tnum_intersect(struct tnum a, struct tnum b);
struct tnum tnum_cast(struct tnum a, u8 bytes);
bool tnum_in(struct tnum a, struct tnum b); /* each member of b is in a */
bool tnum_is_aligned(struct tnum a, u64 size);
#define tnum_unknown ((struct tnum){ 0, ~0ULL })
static inline bool tnum_is_const(struct tnum a)
{
	return !a.mask;
}
/* No number is a member of both. */
static inline bool tnum_disjoint(struct tnum a, struct tnum b)
{
	return (a.value ^ b.value) & ~a.mask & ~b.mask;
}
/* half's lower half, and an unknown upper half. */
static inline struct tnum tnum_of_half(struct tnum half)
{
	half = tnum_cast(half, 4);
	half.mask |= ~(u64)UINT32_MAX;
	return half;
}

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
static inline struct range range_of_unsigned(u64 umin, u64 umax, u8 bits)
{
	return (struct range){ range_smin(bits), range_smax(bits), umin, umax };
}
static inline struct range range_unknown(u8 bits)
{
	return range_of_unsigned(0, range_umax(bits), bits);
}

/* scalar.c */
#define scalar_range(s, bits) (*((bits) == 32 ? &(s)->half : &(s)->whole))
void scalar_set_unknown(struct bpf_scalar *s);
void scalar_set_const(struct bpf_scalar *s, u64 value);
void scalar_set_empty(struct bpf_scalar *s);
/* The range of 64 bits of a number whose upper half is 0. */
void scalar_zero_extend(struct bpf_scalar *s);
/* Each view learns from the others. */
void scalar_sync(struct bpf_scalar *s);
/* The lower bytes (1, 2, 4), zero-extended. */
void scalar_truncate(struct bpf_scalar *s, u8 bytes);
static inline bool scalar_is_zero(const struct bpf_scalar *s)
{
	return !s->var_off.mask && !s->var_off.value;
}
/* Each value of `inner` is one of `outer`, by all views. */
bool scalar_within(const struct bpf_scalar *outer, const struct bpf_scalar *inner);
/* No value is in it: two views contradict each other. */
bool scalar_is_empty(const struct bpf_scalar *s);
bool scalar_is_unknown(const struct bpf_scalar *s);

/*
 * alu.c: dst = dst op src, of ALU64 or ALU. op: BPF_ADD … BPF_ARSH (not NEG, which is 0 - dst; not
 * END). Shifts by a number out of range, and division, give an unknown number (of 32 bits in ALU).
 */
void scalar_alu(struct bpf_scalar *dst, const struct bpf_scalar *src, u8 op, bool is_64);

/*
 * branch.c: a comparison. op: BPF_JEQ … BPF_JSLE. 1: always true; 0: never; -1: not known.
 */
int scalar_is_branch_taken(const struct bpf_scalar *dst, const struct bpf_scalar *src, u8 op,
			   bool is_32);
/*
 * What is known of both after the comparison was `taken`. Result may be empty: then no run goes
 * this way. Only shrinks.
 */
void scalar_branch(struct bpf_scalar *dst, struct bpf_scalar *src, u8 op, bool is_32, bool taken);
