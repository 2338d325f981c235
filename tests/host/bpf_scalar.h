/* What tests ask of the numbers of eBPF's verifier, beyond what the verifier does. */
#pragma once

#include "trace/bpf/verifier/scalar.h"

/* Whether a number may have that value. */
static inline bool scalar_contains(const struct bpf_scalar *s, u64 value)
{
	struct bpf_scalar number;

	scalar_set_const(&number, value);
	return scalar_within(s, &number);
}
