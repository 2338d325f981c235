/*
 * What instructions of eBPF compute, as the ISA says it: for the tests of both engines, for the machine of the
 * fuzzer, and for the numbers of the verifier. bits: 64 or 32; of a result of 32 bits the upper ones are 0.
 */
#pragma once

#include "kernel/types.h"
#include "trace/bpf/core/insn.h"

static const u8 isa_alu_ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND, BPF_LSH,
				  BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH };
static const u8 isa_jump_ops[] = { BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				   BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE };
static const s32 isa_atomic_ops[] = { BPF_ADD,
				      BPF_AND,
				      BPF_OR,
				      BPF_XOR,
				      BPF_ADD | BPF_FETCH,
				      BPF_AND | BPF_FETCH,
				      BPF_OR | BPF_FETCH,
				      BPF_XOR | BPF_FETCH,
				      BPF_XCHG,
				      BPF_CMPXCHG };

/* x shifted by one bit, n times. */
static inline u64 isa_shift(u8 op, u64 x, unsigned n, unsigned bits)
{
	u64 top = 1ULL << (bits - 1), sign = op == BPF_ARSH ? x & top : 0;

	for (unsigned i = 0; i < n; i++)
		x = op == BPF_LSH ? x << 1 : x >> 1 | sign;
	return x;
}

static inline u64 isa_alu(u8 op, u64 a, u64 b, unsigned bits)
{
	u64 mask = bits == 64 ? ~0ULL : 0xffffffff;
	u64 x = a & mask, y = b & mask;

	switch (op) {
	case BPF_ADD:
		return (x + y) & mask;
	case BPF_SUB:
		return (x - y) & mask;
	case BPF_MUL:
		return (x * y) & mask;
	case BPF_DIV:
		return y ? x / y : 0;
	case BPF_MOD:
		return y ? x % y : x;
	case BPF_OR:
		return x | y;
	case BPF_AND:
		return x & y;
	case BPF_XOR:
		return x ^ y;
	case BPF_NEG:
		return (0 - x) & mask;
	case BPF_MOV:
		return y;
	default:
		return isa_shift(op, x, (unsigned)(y % bits), bits) & mask;
	}
}

/* Whether the jump is taken. */
static inline bool isa_jump(u8 op, u64 a, u64 b, unsigned bits)
{
	u64 mask = bits == 64 ? ~0ULL : 0xffffffff, flip = 1ULL << (bits - 1);
	u64 x = a & mask, y = b & mask;
	u64 sx = x ^ flip, sy = y ^ flip; /* in the order of signed numbers */

	switch (op) {
	case BPF_JEQ:
		return x == y;
	case BPF_JNE:
		return x != y;
	case BPF_JGT:
		return x > y;
	case BPF_JGE:
		return x >= y;
	case BPF_JLT:
		return x < y;
	case BPF_JLE:
		return x <= y;
	case BPF_JSGT:
		return sx > sy;
	case BPF_JSGE:
		return sx >= sy;
	case BPF_JSLT:
		return sx < sy;
	case BPF_JSLE:
		return sx <= sy;
	default:
		return (x & y) != 0;
	}
}

/* What an atomic instruction leaves in memory. */
static inline u64 isa_atomic(s32 op, u64 old, u64 operand, u64 r0, unsigned bits)
{
	if (op == BPF_CMPXCHG && !isa_jump(BPF_JEQ, old, r0, bits))
		operand = old;
	return isa_alu(op == BPF_CMPXCHG || op == BPF_XCHG ? BPF_MOV : BPF_OP(op), old, operand,
		       bits);
}
