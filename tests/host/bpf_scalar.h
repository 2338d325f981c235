/* What tests ask of the numbers of eBPF's verifier, beyond what the verifier does. */
#pragma once

#include "trace/bpf/core/insn.h"
#include "trace/bpf/verifier/scalar.h"

/* Whether a number may have that value. */
static inline bool scalar_contains(const struct bpf_scalar *s, u64 value)
{
	struct bpf_scalar number;

	scalar_set_const(&number, value);
	return scalar_within(s, &number);
}

/* Whether the jump `op` between two values is taken. */
static inline bool compare(u8 op, u64 a, u64 b, bool is_32)
{
	s64 sa = is_32 ? (s32)a : (s64)a, sb = is_32 ? (s32)b : (s64)b;

	if (is_32) {
		a = (u32)a;
		b = (u32)b;
	}
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JSET:
		return a & b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	default:
		return sa <= sb;
	}
}
