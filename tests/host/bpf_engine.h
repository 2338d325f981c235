/*
 * What every engine of eBPF must do, for test_bpf_interpreter.c and test_bpf_jit.c. The file that
 * includes it defines run_program().
 */
#pragma once

#include "bpf_insn.h"
#include "bpf_isa.h"
#include "kernel/compiler.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/core/skb.h"

/* Runs a program with these functions. subprogs: at least one, the program itself. */
static u32 run_program(struct bpf_insn *insns, u32 len, const struct bpf_subprog *subprogs,
		       u32 nr_subprogs, void *ctx);

static const struct bpf_subprog main_only[] = { { .start = 0, .stack_depth = MAX_BPF_STACK } };

#define RUN(insns, ctx) run_program(insns, ARRAY_SIZE(insns), main_only, 1, ctx)

static const u64 edges[] = {
	0,
	1,
	2,
	3,
	7,
	8,
	15,
	16,
	31,
	32,
	33,
	63,
	64,
	65,
	127,
	128,
	255,
	256,
	0x7fff,
	0x8000,
	0xffff,
	0x10000,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xfffffffe,
	0xffffffff,
	0x100000000,
	0x100000001,
	0x123456789abcdef0,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x8000000000000001,
	0xfffffffe00000000,
	0xffffffff00000000,
	0xffffffff00000001,
	0xffffffff7fffffff,
	0xffffffff80000000,
	0xfffffffffffffffe,
	0xffffffffffffffff,
};

static u64 random_u64(void)
{
	u64 value = (u64)random() << 42 ^ (u64)random() << 21 ^ (u64)random();

	return random() % 2 ? edges[(unsigned)random() % ARRAY_SIZE(edges)] + random() % 2 : value;
}

/* ---- arithmetic and jumps ---- */

/*
 * Runs one instruction with these values of R0 to R9, and gives the values after it. base is a
 * register that the instruction does not use; it is the only one that is lost. Behind a jump comes
 * an instruction that sets R`marked`.
 */
static void run_one(struct bpf_insn insn, u64 regs[10], u8 base)
{
	struct bpf_insn insns[64];
	unsigned n = 0;

	insns[n++] = ALU64_X(MOV, base, R1);
	for (u8 r = 0; r < 10; r++) {
		struct bpf_insn load[] = { LD_IMM64(r, regs[r]) };

		if (r == base)
			continue;
		memcpy(&insns[n], load, sizeof(load));
		n += 2;
	}
	insns[n++] = insn;
	if (BPF_CLASS(insn.code) == BPF_JMP || BPF_CLASS(insn.code) == BPF_JMP32)
		insns[n++] = ST(DW, base, 80, 1); /* not jumped */
	for (u8 r = 0; r < 10; r++)
		if (r != base)
			insns[n++] = STX(DW, base, (s16)(8 * r), r);
	insns[n++] = ALU64_K(MOV, R0, 7);
	insns[n++] = EXIT();
	assert_int_equal(run_program(insns, n, main_only, 1, regs), 7);
}

/* Which registers are used, and which one is left for the context. */
static u8 free_register(u8 a, u8 b)
{
	u8 base;

	do
		base = (u8)(random() % 10);
	while (base == a || base == b);
	return base;
}

static void check_one(u8 code, u8 dst, u8 src, u64 a, u64 b)
{
	struct bpf_insn insn = INSN(code, dst, BPF_SRC(code) == BPF_X ? src : 0, 0, 0);
	u8 class = BPF_CLASS(code), op = BPF_OP(code), base = free_register(dst, src);
	unsigned bits = class == BPF_ALU64 || class == BPF_JMP ? 64 : 32;
	bool jump = class == BPF_JMP || class == BPF_JMP32;
	u64 before[11], regs[11], second = b;

	for (unsigned i = 0; i < 10; i++)
		before[i] = random_u64();
	before[dst] = a;
	if (BPF_SRC(code) == BPF_X) {
		before[src] = b; /* the same register: a is b */
		a = before[dst];
	} else if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) {
		if (jump) {
			insn.imm = (s32)b;
		} else {
			insn.imm = (s32)(b % bits);
		}
		second = (u64)(s64)insn.imm;
	} else if (op != BPF_NEG || jump) {
		insn.imm = (s32)b;
		second = (u64)(s64)insn.imm;
	}
	insn.off = jump;
	memcpy(regs, before, sizeof(regs));
	regs[10] = 0;
	run_one(insn, regs, base);
	if (jump)
		assert_int_equal(regs[10], !isa_jump(op, a, second, bits));
	else
		before[dst] = isa_alu(op, a, second, bits);
	for (unsigned i = 0; i < 10; i++)
		if (i != base && regs[i] != before[i])
			fail_msg("code %#x dst %u src %u %#llx %#llx: R%u is %#llx, not %#llx",
				 code, dst, src, (long long)a, (long long)second, i,
				 (long long)regs[i], (long long)before[i]);
}

static void check_all_pairs(const u8 *ops, unsigned n_ops, const u8 classes[2])
{
	for (unsigned i = 0; i < n_ops; i++)
		for (unsigned variant = 0; variant < 4; variant++) {
			u8 code = ops[i] | classes[variant & 1] | (variant & 2 ? BPF_X : BPF_K);

			if (ops[i] == BPF_NEG && classes[0] == BPF_ALU && BPF_SRC(code) == BPF_X)
				continue;
			for (unsigned j = 0; j < ARRAY_SIZE(edges) * ARRAY_SIZE(edges); j++)
				check_one(code, (u8)(random() % 10), (u8)(random() % 10),
					  edges[j / ARRAY_SIZE(edges)],
					  edges[j % ARRAY_SIZE(edges)]);
			for (unsigned j = 0; j < 100; j++) /* every pair of registers */
				check_one(code, (u8)(j / 10), (u8)(j % 10), random_u64(),
					  random_u64());
		}
}

static void arithmetic_of_edge_values(void **state)
{
	(void)state;
	check_all_pairs(isa_alu_ops, ARRAY_SIZE(isa_alu_ops), (const u8[]){ BPF_ALU, BPF_ALU64 });
}

static void jumps_of_edge_values(void **state)
{
	(void)state;
	check_all_pairs(isa_jump_ops, ARRAY_SIZE(isa_jump_ops), (const u8[]){ BPF_JMP, BPF_JMP32 });
}

static void byte_order(void **state)
{
	static const struct {
		u8 direction;
		s32 bits;
		u64 result;
	} cases[] = {
		{ BPF_TO_LE, 16, 0x7788 },
		{ BPF_TO_LE, 32, 0x55667788 },
		{ BPF_TO_LE, 64, 0x1122334455667788 },
		{ BPF_TO_BE, 16, 0x8877 },
		{ BPF_TO_BE, 32, 0x88776655 },
		{ BPF_TO_BE, 64, 0x8877665544332211 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		for (u8 dst = 0; dst < 10; dst++) {
			u64 regs[11] = { 0 };

			regs[dst] = 0x1122334455667788;
			run_one(INSN(BPF_ALU | BPF_END | cases[i].direction, dst, 0, 0,
				     cases[i].bits),
				regs, free_register(dst, dst));
			assert_int_equal(regs[dst], cases[i].result);
		}
}

/* ---- memory ---- */

static void loads_and_stores_of_each_size(void **state)
{
	static const u8 sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		u8 size = sizes[random() % 4], value = (u8)(random() % 10);
		u8 base = free_register(value, value), target = (u8)(random() % 10);
		u32 bytes = bpf_size_to_bytes(size);
		s16 off = (s16)(random() % 400);
		u64 word = random_u64();
		bool constant = random() % 2;
		u8 ctx[512], expected[512];
		struct bpf_insn insns[] = {
			ALU64_X(MOV, base, R1),
			LD_IMM64(value, word),
			constant ? INSN(BPF_ST | BPF_MEM | size, base, 0, off, (s32)word)
				 : INSN(BPF_STX | BPF_MEM | size, base, value, off, 0),
			INSN(BPF_LDX | BPF_MEM | size, target, base, off, 0),
			/* the context again: target may have been base */
			STX(DW, FP, -8, target),
			LDX(DW, R1, FP, -8),
			ALU64_X(MOV, R0, R1),
			EXIT(),
		};

		for (unsigned j = 0; j < sizeof(ctx); j++)
			ctx[j] = expected[j] = (u8)random();
		if (constant)
			word = (u64)(s64)(s32)word;
		memcpy(expected + off, &word, bytes);
		word = bytes == 8 ? word : word & ((1ULL << 8 * bytes) - 1);
		assert_int_equal(RUN(insns, ctx), (u32)word);
		assert_memory_equal(ctx, expected, sizeof(ctx));
	}
}

static void loads_are_extended_with_zeros(void **state)
{
	static const u8 sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };
	u64 ctx[2];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bpf_insn insns[] = {
			ALU64_K(MOV, R3, -1),
			INSN(BPF_LDX | BPF_MEM | sizes[i], R3, R1, 0, 0),
			STX(DW, R1, 8, R3),
			ALU64_K(MOV, R0, 0),
			EXIT(),
		};
		u32 bits = 8 * bpf_size_to_bytes(sizes[i]);

		ctx[0] = ~0ULL;
		assert_int_equal(RUN(insns, ctx), 0);
		assert_int_equal(ctx[1], bits == 64 ? ~0ULL : (1ULL << bits) - 1);
	}
}

static void atomics(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		s32 op = isa_atomic_ops[(unsigned)random() % ARRAY_SIZE(isa_atomic_ops)];
		bool wide = random() % 2;
		u64 mask = wide ? ~0ULL : 0xffffffff, memory[4], regs[11], want[11], old, new;
		u8 dst = (u8)(random() % 10), src = (u8)(random() % 10), base;
		struct bpf_insn insn = ATOMIC(W, op, dst, 8, src);

		insn.code = BPF_STX | BPF_ATOMIC | (wide ? BPF_DW : BPF_W);
		/* The verifier forbids none of these, but the address would be the operand. */
		if (dst == src || (op == BPF_CMPXCHG && (dst == R0 || src == R0)))
			continue;
		base = free_register(dst, src);
		for (unsigned r = 0; r < 10; r++)
			regs[r] = random_u64();
		if (op == BPF_CMPXCHG && base == R0)
			continue;
		memory[0] = memory[2] = memory[3] = 0;
		memory[1] = old = random_u64();
		if (random() % 2)
			regs[R0] = dst == R0 ? regs[R0] : old;
		regs[dst] = (u64)memory;
		memcpy(want, regs, sizeof(want));
		new = isa_atomic(op, old, regs[src], regs[R0], wide ? 64 : 32);
		if (op == BPF_CMPXCHG)
			want[R0] = old & mask;
		else if (op & BPF_FETCH)
			want[src] = old & mask;
		run_one(insn, regs, base);
		assert_int_equal(memory[1], (old & ~mask) | new);
		for (unsigned r = 0; r < 10; r++)
			if (r != base)
				assert_int_equal(regs[r], want[r]);
	}
}

static void packets_are_read_in_network_order(void **state)
{
	static const u8 data[] = { 1, 2, 3, 4, 5, 6 };
	struct bpf_skb skb = { .data = data, .len = sizeof(data) };
	static const struct {
		u8 size;
		s32 offset;
		u32 value;
	} cases[] = {
		{ BPF_B, 5, 6 + 1 }, { BPF_H, 1, 0x0203 + 1 }, { BPF_W, 2, 0x03040506 + 1 },
		{ BPF_B, 6, 0 },     { BPF_H, 5, 0 },          { BPF_W, 3, 0 },
		{ BPF_B, -1, 0 },    { BPF_W, -0x1000, 0 },    { BPF_W, 0x7fffffff, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned ind = 0; ind < 2; ind++) {
			struct bpf_insn insns[] = {
				ALU64_X(MOV, R6, R1),
				ALU64_K(MOV, R2, 3),
				ind ? INSN(BPF_LD | BPF_IND | cases[i].size, 0, R2, 0,
					   (s32)((u32)cases[i].offset - 3))
				    : INSN(BPF_LD | BPF_ABS | cases[i].size, 0, 0, 0,
					   cases[i].offset),
				ALU64_K(ADD, R0, 1),
				EXIT(),
			};

			/* Outside of the packet the program ends with 0: nothing is added. */
			assert_int_equal(RUN(insns, &skb), cases[i].value);
		}
}

/* ---- calls ---- */

static void functions_keep_r6_to_r9_and_have_their_own_stack(void **state)
{
	static const struct bpf_subprog subprogs[] = { { .start = 0, .stack_depth = 16 },
						       { .start = 14, .stack_depth = 8 },
						       { .start = 21, .stack_depth = 8 } };
	struct bpf_insn insns[] = {
		ALU64_K(MOV, R6, 1),
		ALU64_K(MOV, R7, 2),
		ALU64_K(MOV, R8, 4),
		ALU64_K(MOV, R9, 8),
		ST(DW, FP, -16, 16),
		ALU64_K(MOV, R1, 32),
		CALL_FUNC(7),
		ALU64_X(ADD, R0, R6),
		ALU64_X(ADD, R0, R7),
		ALU64_X(ADD, R0, R8),
		ALU64_X(ADD, R0, R9),
		LDX(DW, R1, FP, -16),
		ALU64_X(ADD, R0, R1),
		EXIT(),
		/* 14: f(R1): R1 + g(&local) */
		STX(DW, FP, -8, R1),
		ALU64_X(MOV, R1, FP),
		CALL_FUNC(4),
		ALU64_X(MOV, R6, R0),
		LDX(DW, R0, FP, -8),
		ALU64_X(ADD, R0, R6),
		EXIT(),
		/* 21: g(R1): doubles *(R1 - 8), gives 64 */
		ALU64_K(MOV, R6, 77),
		ALU64_K(MOV, R7, 77),
		ALU64_K(MOV, R8, 77),
		ALU64_K(MOV, R9, 77),
		ST(DW, FP, -8, 99),
		LDX(DW, R2, R1, -8),
		ALU64_X(ADD, R2, R2),
		STX(DW, R1, -8, R2),
		ALU64_K(MOV, R0, 64),
		EXIT(),
	};

	(void)state;
	insns[6].off = 16;
	insns[16].off = 8;
	assert_int_equal(run_program(insns, ARRAY_SIZE(insns), subprogs, 3, NULL),
			 1 + 2 + 4 + 8 + 16 + 64 + 64);
}

static u64 sum_of_five(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e;
}

static struct bpf_insn call_of_helper(const void *helper)
{
	return INSN(BPF_JMP | BPF_CALL, 0, 0, 0, (s32)((u64)helper - (u64)__bpf_call_base));
}

static void helpers_get_five_arguments_and_keep_r6_to_r9(void **state)
{
	struct bpf_insn insns[] = {
		ALU64_K(MOV, R6, 100000),
		ALU64_K(MOV, R9, 200000),
		ALU64_K(MOV, R1, 1),
		ALU64_K(MOV, R2, 2),
		ALU64_K(MOV, R3, 3),
		ALU64_K(MOV, R4, 4),
		ALU64_K(MOV, R5, 5),
		call_of_helper(sum_of_five),
		ALU64_X(ADD, R0, R6),
		ALU64_X(ADD, R0, R9),
		EXIT(),
	};

	(void)state;
	assert_int_equal(RUN(insns, NULL), 354321);
}

static void long_jumps_reach_their_targets(void **state)
{
	static struct bpf_insn insns[4096];
	unsigned n = 0;

	(void)state;
	insns[n++] = ALU64_K(MOV, R0, 0);
	insns[n++] = ALU64_K(ADD, R0, 42); /* 1: twice */
	insns[n++] = JMP_K(JLE, R0, 84, 4000);
	for (unsigned i = 0; i < 4000; i++)
		insns[n++] = ALU64_K(ADD, R0, i);
	insns[n++] = JMP_K(JEQ, R0, 42, -4000 - 3);
	insns[n++] = EXIT();
	assert_int_equal(run_program(insns, n, main_only, 1, NULL), 84);
}

static void jumps_with_a_long_distance_reach_their_targets(void **state)
{
	enum { MIDDLE = 40000 };
	static struct bpf_insn insns[MIDDLE + 6];
	unsigned n = 0;

	(void)state;
	insns[n++] = ALU64_K(MOV, R0, 0);
	insns[n++] = JA32(MIDDLE);
	while (n < MIDDLE + 2)
		insns[n++] = ALU64_K(ADD, R0, 1);
	insns[n++] = ALU64_K(ADD, R0, 1); /* twice: after the first jump, and after the middle */
	insns[n++] = JMP_K(JGT, R0, 1, 1);
	insns[n++] = JA32(-MIDDLE - 3);
	insns[n++] = EXIT();
	assert_int_equal(run_program(insns, n, main_only, 1, NULL), MIDDLE + 2);
}

/* ---- tail calls ---- */

static const struct bpf_prog *tail_targets[2]; /* the programs of the only prog array */

const struct bpf_prog *bpf_prog_array_get(const struct bpf_map *map, u64 index)
{
	assert_ptr_equal(map, tail_targets);
	return index < ARRAY_SIZE(tail_targets) ? tail_targets[index] : NULL;
}

#define ENGINE_TESTS                                                                               \
	cmocka_unit_test(arithmetic_of_edge_values), cmocka_unit_test(jumps_of_edge_values),       \
		cmocka_unit_test(byte_order), cmocka_unit_test(loads_and_stores_of_each_size),     \
		cmocka_unit_test(loads_are_extended_with_zeros), cmocka_unit_test(atomics),        \
		cmocka_unit_test(packets_are_read_in_network_order),                               \
		cmocka_unit_test(functions_keep_r6_to_r9_and_have_their_own_stack),                \
		cmocka_unit_test(helpers_get_five_arguments_and_keep_r6_to_r9),                    \
		cmocka_unit_test(long_jumps_reach_their_targets),                                  \
		cmocka_unit_test(jumps_with_a_long_distance_reach_their_targets)
