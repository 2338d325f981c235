/*
 * The interpreter of eBPF does what the ISA says, on edge values and with all registers.
 *
 * sources: trace/bpf/core/interpreter.c
 */
#include "test.h"

#include "bpf_engine.h"

static u32 run_program(struct bpf_insn *insns, u32 len, const struct bpf_subprog *subprogs,
		       u32 nr_subprogs, void *ctx)
{
	(void)len, (void)subprogs, (void)nr_subprogs;
	return bpf_interpret(ctx, insns);
}

static void a_tail_call_keeps_the_context_and_ends_after_33(void **state)
{
	struct bpf_insn insns[] = {
		LDX(W, R0, R1, 0),
		ALU64_K(ADD, R0, 1),
		STX(W, R1, 0, R0),
		LD_IMM64(R2, (u64)tail_targets),
		ALU64_K(MOV, R3, 1),
		INSN(BPF_JMP | BPF_TAIL_CALL, 0, 0, 0, 0),
		EXIT(),
	};
	struct bpf_prog prog = { .insns = insns };
	u32 ctx = 0;

	(void)state;
	tail_targets[1] = &prog;
	RUN(insns, &ctx);
	assert_int_equal(ctx, 1 + MAX_TAIL_CALL_CNT);
	insns[5].imm = 5; /* no such index */
	ctx = 0;
	RUN(insns, &ctx);
	assert_int_equal(ctx, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TESTS,
		cmocka_unit_test(a_tail_call_keeps_the_context_and_ends_after_33),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
