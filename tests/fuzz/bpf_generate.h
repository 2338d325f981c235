/* Programs from bytes, of which the verifier takes many. For fuzz_bpf_verifier. */
#pragma once

#include <stddef.h>

#include "trace/bpf/core/insn.h"

#define GENERATED_INSNS 480

struct generated {
	struct bpf_insn insns[GENERATED_INSNS];
	u32 len;
	u8 type;         /* of programs */
	bool state_freq; /* to be checked with BPF_F_TEST_STATE_FREQ */
	bool few_rounds; /* set by the caller: no callback is called more than 7 times in a row */
};

void bpf_generate(struct generated *program, const u8 *data, size_t size);
