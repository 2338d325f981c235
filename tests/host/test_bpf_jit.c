/*
 * Compiled programs do what the ISA says, and the same as interpreted ones. The code that the JIT
 * makes runs on this machine.
 *
 * sources: arch/x86_64/bpf/jit.c arch/x86_64/bpf/jit_insn.c arch/x86_64/bpf/jit_helpers.c trace/bpf/core/interpreter.c
 * flags: -O1
 */
#define _GNU_SOURCE
#include "test.h"

#include <sys/mman.h>

#include "arch/bpf/jit.h"
#include "bpf_engine.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/maps/array.h"

/* In the program's own memory, so that helpers are within reach of a near call. */
static u8 code[4 << 20] __aligned(4096);
static u32 code_used;
static u32 passes; /* of the last program */

void report_warning(const char *file, int line, const char *func)
{
	fail_msg("WARN_ON in %s:%d %s", file, line, func);
}

/* Compiles a program. Its code stays until forget_code(). */
static void compile(struct bpf_prog *prog)
{
	struct bpf_jit jit = { .prog = prog };

	jit.offsets = calloc(prog->len + 1, sizeof(u32));
	jit.starts = calloc(prog->nr_subprogs + 1, sizeof(u32));
	jit.flags = calloc(prog->len, 1);
	assert_true(bpf_jit_measure(&jit));
	passes = jit.passes;
	assert_true(code_used + jit.size <= sizeof(code));
	assert_int_equal(jit.nr_extable, 0);
	bpf_jit_write(&jit, code + code_used, (unsigned long)(code + code_used));
	prog->bpf_func = (bpf_func_t *)(code + code_used);
	for (u32 i = 0; i < prog->nr_subprogs; i++)
		prog->subprogs[i].jit = code + code_used + jit.starts[i];
	code_used += jit.size;
	free(jit.offsets);
	free(jit.starts);
	free(jit.flags);
}

static void forget_code(void)
{
	code_used = 0;
}

static u32 run_program(struct bpf_insn *insns, u32 len, const struct bpf_subprog *subprogs,
		       u32 nr_subprogs, void *ctx)
{
	struct bpf_subprog copy[8];
	struct bpf_prog prog = {
		.insns = insns, .len = len, .subprogs = copy, .nr_subprogs = nr_subprogs
	};

	memcpy(copy, subprogs, nr_subprogs * sizeof(*subprogs));
	forget_code();
	compile(&prog);
	return bpf_prog_run(&prog, ctx);
}

/* ---- random programs: both engines must leave the same registers and memory ---- */

#define CTX_WORDS    32
#define RANDOM_INSNS 200

/* R6 is the context; the others are numbers. The context and the stack are R6 and FP. */
static u8 random_reg(void)
{
	u8 reg = (u8)(random() % 9);

	return reg == R6 ? R9 : reg;
}

static struct bpf_insn random_alu(void)
{
	u8 op = isa_alu_ops[(unsigned)random() % ARRAY_SIZE(isa_alu_ops)];
	u8 code = op | (random() % 2 ? BPF_ALU64 : BPF_ALU) | (random() % 2 ? BPF_X : BPF_K);
	struct bpf_insn insn = INSN(code, random_reg(), random_reg(), 0, (s32)random_u64());

	if (random() % 12 == 0)
		return INSN(BPF_ALU | BPF_END | (random() % 2 ? BPF_TO_LE : BPF_TO_BE),
			    random_reg(), 0, 0, 16 << random() % 3);
	if (op == BPF_NEG)
		insn.code &= (u8)~BPF_X;
	if (BPF_SRC(insn.code) == BPF_K)
		insn.src_reg = 0;
	if (BPF_SRC(insn.code) == BPF_K && (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH))
		insn.imm &= BPF_CLASS(code) == BPF_ALU64 ? 63 : 31;
	return insn;
}

static struct bpf_insn random_memory(void)
{
	static const u8 classes[] = { BPF_LDX, BPF_ST, BPF_STX };
	u8 base = random() % 2 ? R6 : FP, size = (u8)(random() % 4 << 3);
	s16 off = (s16)(8 * (random() % CTX_WORDS) - (base == FP ? 8 * CTX_WORDS : 0));
	struct bpf_insn insn;

	if (random() % 3 == 0)
		return INSN(BPF_STX | BPF_ATOMIC | (random() % 2 ? BPF_W : BPF_DW), base,
			    random_reg(), off,
			    isa_atomic_ops[(unsigned)random() % ARRAY_SIZE(isa_atomic_ops)]);
	insn = INSN(BPF_MEM | size | classes[random() % 3], base, random_reg(), off,
		    (s32)random_u64());
	if (BPF_CLASS(insn.code) == BPF_LDX)
		insn = INSN(insn.code, insn.src_reg, base, off, 0);
	else if (BPF_CLASS(insn.code) == BPF_ST)
		insn.src_reg = 0;
	return insn;
}

static struct bpf_insn random_jump(unsigned at, unsigned end)
{
	u8 op = isa_jump_ops[(unsigned)random() % ARRAY_SIZE(isa_jump_ops)];
	unsigned off = (unsigned)random() % min(end - at, random() % 4 ? 4U : 60U);

	u8 code = op | (random() % 2 ? BPF_JMP : BPF_JMP32) | (random() % 2 ? BPF_X : BPF_K);

	if (random() % 8 == 0)
		return JA((s16)off);
	return INSN(code, random_reg(), BPF_SRC(code) == BPF_X ? random_reg() : 0, (s16)off,
		    (s32)random_u64());
}

/* Fills n instructions; all jumps go ahead, and stay before the end. */
static void random_body(struct bpf_insn *insns, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned kind = (unsigned)random() % 8;

		insns[i] = kind < 4   ? random_alu()
			   : kind < 6 ? random_memory()
				      : random_jump(i + 1, n + 1);
	}
}

static unsigned load_registers(struct bpf_insn *insns)
{
	unsigned n = 0;

	for (u8 r = 0; r < 10; r++) {
		struct bpf_insn load[] = { LD_IMM64(r, random_u64()) };

		if (r == R6)
			continue;
		memcpy(&insns[n], load, sizeof(load));
		n += 2;
	}
	return n;
}

static unsigned store_registers(struct bpf_insn *insns)
{
	unsigned n = 0;

	for (u8 r = 0; r < 10; r++)
		if (r != R6)
			insns[n++] = STX(DW, R6, (s16)(8 * (CTX_WORDS + r)), r);
	return n;
}

static void random_programs_run_as_in_the_interpreter(void **state)
{
	(void)state;
	for (unsigned round = 0, end = tries(20000); round < end; round++) {
		struct bpf_subprog subprogs[] = { { .start = 0, .stack_depth = 256 },
						  { .stack_depth = 256 } };
		struct bpf_insn insns[RANDOM_INSNS * 3];
		u64 ctx[2][CTX_WORDS + 10];
		unsigned n = 0, call;
		u32 results[2];

		insns[n++] = ALU64_X(MOV, R6, R1);
		for (unsigned i = 0; i < CTX_WORDS; i++) {
			insns[n++] = ST(DW, FP, (s16)(-8 - 8 * (s16)i), (s32)random_u64());
			ctx[0][i] = ctx[1][i] = random_u64();
		}
		n += load_registers(insns + n);
		random_body(insns + n, RANDOM_INSNS);
		n += RANDOM_INSNS;
		insns[n++] = ALU64_X(MOV, R1, R6);
		call = n++;
		n += store_registers(insns + n);
		insns[n++] = EXIT();
		subprogs[1].start = n;
		insns[call] = CALL_FUNC((s32)(n - call - 1));
		insns[call].off = 256;
		insns[n++] = ALU64_X(MOV, R6, R1);
		for (unsigned i = 0; i < CTX_WORDS; i++)
			insns[n++] = ST(DW, FP, (s16)(-8 - 8 * (s16)i), (s32)i);
		n += load_registers(insns + n);
		random_body(insns + n, 20);
		n += 20;
		insns[n++] = EXIT();
		assert_true(n <= ARRAY_SIZE(insns));
		/* A call loses R1 to R5: in the interpreter they stay. */
		for (u8 r = R1; r <= R5; r++)
			insns[call + 1 + r].src_reg = R6;
		memset(&ctx[0][CTX_WORDS], 0, 80);
		memset(&ctx[1][CTX_WORDS], 0, 80);
		results[0] = bpf_interpret(ctx[0], insns);
		results[1] = run_program(insns, n, subprogs, 2, ctx[1]);
		assert_int_equal(results[0], results[1]);
		for (unsigned i = CTX_WORDS + R1; i <= CTX_WORDS + R5; i++)
			ctx[0][i] = ctx[1][i] = 0; /* addresses of the contexts */
		assert_memory_equal(ctx[0], ctx[1], sizeof(ctx[0]));
	}
}

/* ---- tail calls, callbacks ---- */

#define TAIL_CALL() INSN(BPF_JMP | BPF_TAIL_CALL, 0, 0, 0, 0)

static u32 tail_calls_with_stack = ~0U; /* of functions, before the stack is low */

bool bpf_stack_is_low(void)
{
	if (!tail_calls_with_stack)
		return true;
	tail_calls_with_stack--;
	return false;
}

/* A run never makes more than 33 tail calls, whichever functions make them, and less without stack. */
static void tail_calls_of_a_run_are_counted_together(void **state)
{
	struct bpf_insn insns[] = {
		LDX(W, R0, R1, 0),
		ALU64_K(ADD, R0, 1),
		STX(W, R1, 0, R0),
		STX(DW, FP, -8, R1),
		CALL_FUNC(3), /* f(ctx) twice */
		LDX(DW, R1, FP, -8),
		CALL_FUNC(1),
		EXIT(),
		LD_IMM64(R2, (u64)tail_targets),
		ALU64_K(MOV, R3, 0),
		TAIL_CALL(),
		ALU64_K(MOV, R0, 5),
		EXIT(),
	};
	struct bpf_subprog subprogs[] = { { .start = 0, .stack_depth = 8 }, { .start = 8 } };
	struct bpf_prog prog = { .insns = insns,
				 .len = ARRAY_SIZE(insns),
				 .subprogs = subprogs,
				 .nr_subprogs = 2,
				 .uses_tail_call = true };
	u32 ctx = 0;

	(void)state;
	forget_code();
	compile(&prog);
	tail_targets[0] = &prog;
	assert_int_equal(bpf_prog_run(&prog, &ctx), 5);
	assert_int_equal(ctx, 1 + MAX_TAIL_CALL_CNT);
	tail_calls_with_stack = 3;
	ctx = 0;
	assert_int_equal(bpf_prog_run(&prog, &ctx), 5);
	assert_int_equal(ctx, 1 + 3);
	tail_calls_with_stack = ~0U;
}

static void a_tail_call_replaces_the_program(void **state)
{
	struct bpf_insn first[] = {
		ALU64_X(MOV, R6, R1), ALU64_X(MOV, R7, R1), LD_IMM64(R2, (u64)tail_targets),
		LDX(W, R3, R1, 4),    TAIL_CALL(),          ALU64_X(MOV, R0, R6),
		ALU64_X(SUB, R0, R7), ALU64_K(ADD, R0, 3),  EXIT(),
	};
	struct bpf_insn second[] = { LDX(W, R0, R1, 0), EXIT() };
	struct bpf_subprog subprogs[2] = { { 0 }, { 0 } };
	struct bpf_prog progs[2] = {
		{ .insns = first,
		  .len = ARRAY_SIZE(first),
		  .subprogs = &subprogs[0],
		  .nr_subprogs = 1,
		  .uses_tail_call = true },
		{ .insns = second,
		  .len = ARRAY_SIZE(second),
		  .subprogs = &subprogs[1],
		  .nr_subprogs = 1 },
	};
	u32 ctx[] = { 4711, 1 };

	(void)state;
	forget_code();
	compile(&progs[0]);
	compile(&progs[1]);
	tail_targets[0] = NULL;
	tail_targets[1] = &progs[1];
	tail_calls_with_stack = 0; /* the program itself needs none for it */
	assert_int_equal(bpf_prog_run(&progs[0], ctx), 4711);
	tail_calls_with_stack = ~0U;
	ctx[1] = 0; /* no program there */
	assert_int_equal(bpf_prog_run(&progs[0], ctx), 3);
	ctx[1] = 2;
	assert_int_equal(bpf_prog_run(&progs[0], ctx), 3);
}

typedef u64 callback_t(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

static u64 call_it(u64 callback, u64 value)
{
	return ((callback_t *)callback)(value, 2, 3, 4, 5);
}

static void a_callback_is_called_by_its_code(void **state)
{
	struct bpf_insn insns[] = {
		ALU64_K(MOV, R6, 1000), LD_IMM64(R1, 0),
		ALU64_K(MOV, R2, 100),  call_of_helper(call_it),
		ALU64_X(ADD, R0, R6),   EXIT(),
		ALU64_X(MOV, R6, R1),   ALU64_X(ADD, R6, R2),
		ALU64_X(ADD, R6, R3),   ALU64_X(ADD, R6, R4),
		ALU64_X(ADD, R6, R5),   STX(DW, FP, -16, R6),
		LDX(DW, R0, FP, -16),   EXIT(),
	};
	struct bpf_subprog subprogs[] = { { .start = 0 },
					  { .start = 7, .stack_depth = 16, .is_callback = true } };
	u64 address = (u64)&insns[7];

	(void)state;
	insns[1].src_reg = BPF_PSEUDO_FUNC;
	insns[1].imm = (s32)address;
	insns[2].imm = (s32)(address >> 32);
	assert_int_equal(run_program(insns, ARRAY_SIZE(insns), subprogs, 2, NULL), 1114);
}

/* ---- calls of helpers that the JIT knows ---- */

unsigned cpu_number;

BPF_CALL_0(bpf_get_smp_processor_id)
{
	return 1000;
}

static void *lookup_of_type(struct bpf_map *map, const void *key)
{
	(void)map;
	return (void *)(8000UL + *(const u32 *)key);
}

/* Looks up key `index` in the map. meet: a jump leads to where R1 is known, from where it is not. */
static u32 lookup(const struct bpf_array *array, u32 index, bool meet)
{
	struct bpf_insn insns[] = {
		ST(W, FP, -4, (s32)index),      ALU64_X(MOV, R2, FP),
		ALU64_K(ADD, R2, -4),           JMP_K(JEQ, R2, 0, 2),
		LD_IMM64(R1, (u64)&array->map), ALU64_K(MOV, R3, 0),
		call_of_helper(lookup_of_type), EXIT(),
	};

	insns[3].off = meet ? 2 : 4;
	insns[4].src_reg = BPF_PSEUDO_MAP_FD;
	return RUN(insns, NULL);
}

static void a_lookup_in_a_known_array_is_no_call(void **state)
{
	static const struct bpf_map_ops ops = { .lookup = lookup_of_type };
	static u8 values[32];
	struct bpf_array array = {
		.map = { .ops = &ops, .map_type = BPF_MAP_TYPE_HASH, .max_entries = 4 },
		.values = values,
		.elem_size = 8
	};

	(void)state;
	assert_int_equal(lookup(&array, 3, false), 8003);
	array.map.map_type = BPF_MAP_TYPE_ARRAY;
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(lookup(&array, i, false), (u32)(u64)(values + 8 * i));
	assert_int_equal(lookup(&array, 4, false), 0);
	assert_int_equal(lookup(&array, ~0U, false), 0);
}

static void a_map_is_unknown_where_ways_meet(void **state)
{
	static const struct bpf_map_ops ops = { .lookup = lookup_of_type };
	struct bpf_array array = { .map = { .ops = &ops, .map_type = BPF_MAP_TYPE_ARRAY } };

	(void)state;
	assert_int_equal(lookup(&array, 3, true), 8003);
}

/* dst = src; dst += imm, for all registers that a program may write. */
static void an_address_is_one_instruction(void **state)
{
	static const s32 imms[] = { 0, 1, -16, 127, 128, -129, 0x7fffffff };

	(void)state;
	for (u32 i = 0; i < 10 * 10 * ARRAY_SIZE(imms); i++) {
		u8 dst = (u8)(i % 10), src = (u8)(i / 10 % 10);
		s32 imm = imms[i / 100];
		struct bpf_insn insns[] = {
			ALU64_K(MOV, dst, 7),     ALU64_K(MOV, src, 1000),  ALU64_X(MOV, dst, src),
			ALU64_K(ADD, dst, imm),   ALU64_X(MOV, R0, dst),    EXIT(),
		};

		assert_int_equal(RUN(insns, NULL), 1000U + (u32)imm);
	}
}

/* Two instructions have the code of one, but the second one alone is executed, too. */
static void a_jump_leads_between_the_two_of_an_address(void **state)
{
	struct bpf_insn insns[] = {
		ALU64_K(MOV, R1, 5),    ALU64_K(MOV, R2, 1000), JMP_K(JEQ, R1, 5, 1),
		ALU64_X(MOV, R1, R2),   ALU64_K(ADD, R1, 3),    ALU64_X(MOV, R0, R1),
		EXIT(),
	};

	(void)state;
	assert_int_equal(RUN(insns, NULL), 8);
	insns[2].imm = 6;
	assert_int_equal(RUN(insns, NULL), 1003);
}

#define CHAIN 10000
#define SKIPS 25

/* Each jump fits into a byte only if all that it skips do. So each pass would shorten one. */
static void jumps_that_wait_for_each_other_stay_long(void **state)
{
	static struct bpf_insn insns[2 + CHAIN + 30 + 1];

	(void)state;
	for (u32 taken = 0; taken < 2; taken++) {
		u32 n = 0;

		insns[n++] = (struct bpf_insn)ALU64_K(MOV, R0, 0);
		insns[n++] = (struct bpf_insn)ALU64_K(MOV, R1, !taken);
		while (n < 2 + CHAIN)
			insns[n++] = (struct bpf_insn)JMP_K(JEQ, R1, 0, SKIPS);
		while (n < 2 + CHAIN + 30)
			insns[n++] = (struct bpf_insn)ALU64_K(ADD, R0, 1);
		insns[n++] = (struct bpf_insn)EXIT();
		/* The jumps 0, 26, ... 9984 lead to the addition 10. */
		assert_int_equal(RUN(insns, NULL), taken ? 20 : 30);
		assert_in_range(passes, 20, 24);
	}
}

static bool at_the_third_pass(void)
{
	static u32 asked;

	return ++asked == 3;
}

static void a_measure_can_be_interrupted(void **state)
{
	struct bpf_insn insns[] = { ALU64_K(MOV, R0, 0), JMP_K(JEQ, R0, 0, 0), EXIT() };
	struct bpf_subprog copy = main_only[0];
	struct bpf_prog prog = { .insns = insns, .len = 3, .subprogs = &copy, .nr_subprogs = 1 };
	u32 offsets[4], starts[2];
	u8 flags[3] = { 0 };
	struct bpf_jit jit = { .prog = &prog, .offsets = offsets, .starts = starts, .flags = flags };

	(void)state;
	assert_true(bpf_jit_measure(&jit));
	assert_in_range(jit.passes, 2, 3);
	jit.interrupted = at_the_third_pass;
	memset(flags, 0, sizeof(flags));
	assert_true(bpf_jit_measure(&jit));
	memset(flags, 0, sizeof(flags));
	assert_false(bpf_jit_measure(&jit));
}

static int make_executable(void **state)
{
	(void)state;
	return mprotect(code, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TESTS,
		cmocka_unit_test(random_programs_run_as_in_the_interpreter),
		cmocka_unit_test(tail_calls_of_a_run_are_counted_together),
		cmocka_unit_test(a_tail_call_replaces_the_program),
		cmocka_unit_test(a_callback_is_called_by_its_code),
		cmocka_unit_test(an_address_is_one_instruction),
		cmocka_unit_test(a_jump_leads_between_the_two_of_an_address),
		cmocka_unit_test(a_lookup_in_a_known_array_is_no_call),
		cmocka_unit_test(a_map_is_unknown_where_ways_meet),
		cmocka_unit_test(jumps_that_wait_for_each_other_stay_long),
		cmocka_unit_test(a_measure_can_be_interrupted),
	};

	return cmocka_run_group_tests(tests, make_executable, NULL);
}
