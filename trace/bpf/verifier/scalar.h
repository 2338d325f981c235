/*
 * Numbers as the verifier knows them: what a register of 64 bits may be. Two views at once: which
 * bits are known (tnum), and in which ranges it lies, as signed and unsigned number, of 64 and of
 * the lower 32 bits. A real value is in all of them. Pure functions; no allocation, no log.
 */
#pragma once

#include "kernel/types.h"

/* A bit of mask: unknown, and 0 in value. */
struct tnum {
	u64 value, mask;
};

struct bpf_scalar {
	struct tnum var_off;
	s64 smin, smax;
	u64 umin, umax;
	s32 s32_min, s32_max;
	u32 u32_min, u32_max;
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

/* scalar.c */
void scalar_set_unknown(struct bpf_scalar *s);
void scalar_set_const(struct bpf_scalar *s, u64 value);
/* Each view learns from the others. */
void scalar_sync(struct bpf_scalar *s);
/* The lower bytes (1, 2, 4), zero-extended. */
void scalar_truncate(struct bpf_scalar *s, u8 bytes);
bool scalar_is_const(const struct bpf_scalar *s);
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
