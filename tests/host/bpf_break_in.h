/*
 * Programs that do harm, and get in when one rule of the verifier is missing: one for each rule. For
 * test_bpf_verifier, and for lab 18.
 */
#pragma once

#include "tests/host/bpf_asm.h"
#include "tests/host/bpf_maps.h"
#include "trace/bpf/helpers/numbers.h"

/* R0: a value of 48 bytes; R6: its first 8 bytes, any number. 10 instructions. */
#define VALUE_IN_R0                                                                                \
	STORE_IMM(BPF_W, 10, -4, 0), LD_MAP(1, WORLD_ARRAY), MOV64_REG(2, 10),                     \
		ALU64_IMM(BPF_ADD, 2, -4), CALL(BPF_FUNC_map_lookup_elem),                         \
		JMP_IMM(BPF_JNE, 0, 0, 1), EXIT(), LOAD(BPF_DW, 6, 0, 0)
#define RETURN_0 MOV64_IMM(0, 0), EXIT()

static const struct break_in {
	const char *words; /* of the log, when the rule is there */
	struct bpf_insn insns[32];
} break_ins[] = {
	/*
	 * LAB 18: Your program, and words of the log that refuses it when the rule is back.
	 * Starts as:
	 *	{ "", { VALUE_IN_R0, RETURN_0 } },
	 */
	{ "R0 max value is outside of the allowed memory range",
	  { VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 63), ALU64_REG(BPF_ADD, 0, 6),
	    LOAD(BPF_B, 1, 0, 0), RETURN_0 } },
	{ "R0 invalid mem access 'scalar'",
	  { VALUE_IN_R0, STORE(BPF_DW, 10, 0, -16), MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -16),
	    MOV64_IMM(2, 8), MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel),
	    LOAD(BPF_DW, 0, 10, -16), LOAD(BPF_B, 1, 0, 0), RETURN_0 } },
	{ "R7 invalid mem access 'scalar'",
	  { LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 16), MOV64_IMM(3, 0),
	    CALL(BPF_FUNC_ringbuf_reserve), JMP_IMM(BPF_JNE, 0, 0, 1), EXIT(), MOV64_REG(7, 0),
	    MOV64_REG(1, 0), MOV64_IMM(2, 0), CALL(BPF_FUNC_ringbuf_submit),
	    STORE_IMM(BPF_DW, 7, 0, 1), RETURN_0 } },
	{ "off=100 size=1",
	  { VALUE_IN_R0, MOV64_IMM(7, 100), JMP_IMM(BPF_JEQ, 6, 0, 1), MOV64_IMM(7, 0),
	    JMP_IMM(BPF_JEQ, 6, 1, 2), JMP_IMM(BPF_JEQ, 6, 2, 1), MOV64_IMM(1, 0),
	    ALU64_REG(BPF_ADD, 0, 7), STORE_IMM(BPF_B, 0, 0, 0), RETURN_0 } },
	{ "R2 invalid mem access 'scalar'",
	  { MOV32_IMM(2, -1), JMP_IMM(BPF_JNE, 2, -1, 2), RETURN_0, STORE_IMM(BPF_DW, 2, 0, 0),
	    RETURN_0 } },
	{ "invalid indirect access to stack R1 off=-64 size=127",
	  { VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 127), MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -64),
	    MOV64_REG(2, 6), MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0 } },
	/* END LAB 18 */
};

/* The last instruction that is not 0. */
static inline u32 break_in_len(const struct break_in *program)
{
	u32 len = sizeof(program->insns) / sizeof(program->insns[0]);

	while (len && !program->insns[len - 1].code)
		len--;
	return len;
}
