/*
 * What the generator of programs (bpf_generate.c) knows of the program so far, and the statements that
 * compute numbers. Included once.
 */
#pragma once

#include <string.h>

#include "kernel/compiler.h"
#include "tests/fuzz/bpf_generate.h"
#include "tests/host/bpf_asm.h"
#include "trace/bpf/helpers/numbers.h"

enum content { NOTHING, NUMBER, CONTEXT, VALUE, RECORD, STACK };
#define MAX_FUNCTIONS 3
#define MAX_PATCHES   16
#define MAX_NESTING   4

struct generator {
	const u8 *at, *end;
	struct generated *out;
	enum content regs[MAX_BPF_REG];
	u32 value_size; /* of what VALUE points to */
	u8 spilled[8];  /* content of the slots at R10 - 8 * (i + 1) */
	u32 nesting;
	u32 nr_functions;
	bool callback[MAX_FUNCTIONS];
	u32 nr_patches;
	struct {
		u32 at, function;
	} patches[MAX_PATCHES]; /* calls and addresses of functions that come later */
	bool in_function;
};

static u8 byte(struct generator *g)
{
	return g->at < g->end ? *g->at++ : 0;
}

static void emit(struct generator *g, struct bpf_insn insn)
{
	if (g->out->len < GENERATED_INSNS - 8)
		g->out->insns[g->out->len++] = insn;
}

/* A number at which something might be off by one. */
static s32 number(struct generator *g)
{
	static const s32 edges[] = { 0,  1,         2,   4,         8,      15, 16, 20, 24, 31,
				     32, 40,        44,  47,        48,     63, 64, -1, -8, 255,
				     -2, INT32_MAX, -16, INT32_MIN, 0xffff, 7,  3,  256 };
	u8 choice = byte(g);

	if (choice < 2 * ARRAY_SIZE(edges))
		return edges[choice / 2];
	if (choice < 200)
		return choice - 128;
	return (s32)((u32)byte(g) << 24 | (u32)byte(g) << 16 | (u32)byte(g) << 8 | byte(g));
}

/* A register with this content, or a number's register that is now made one. */
static u8 with(struct generator *g, enum content content)
{
	u8 first = byte(g) % 10, i;

	for (i = 0; i < 10; i++)
		if (g->regs[(first + i) % 10] == content)
			return (first + i) % 10;
	if (content != NUMBER)
		return MAX_BPF_REG;
	emit(g, MOV64_IMM(7, number(g)));
	g->regs[7] = NUMBER;
	return 7;
}

/* A register whose content may be lost. */
static u8 scratch(struct generator *g)
{
	static const u8 candidates[] = { 0, 2, 3, 4, 5, 7, 8, 9 };
	u8 regno = candidates[byte(g) % ARRAY_SIZE(candidates)];

	return g->regs[regno] == RECORD ? 0 : regno;
}

static void lose_after_call(struct generator *g)
{
	memset(g->regs, 0, 6 * sizeof(g->regs[0]));
	g->regs[0] = NUMBER;
}

static void alu(struct generator *g)
{
	static const u8 ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND,  BPF_LSH,
				  BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH, BPF_END };
	u8 choice = byte(g), op = ops[choice % ARRAY_SIZE(ops)], dst = with(g, NUMBER);
	u8 class = choice & 64 ? BPF_ALU : BPF_ALU64;
	s32 imm = number(g);

	if (op == BPF_END) {
		emit(g, INSN(BPF_ALU | BPF_END | (imm & 8), dst, 0, 0, 16 << (imm & 3) % 3));
	} else if (op == BPF_NEG) {
		emit(g, INSN(class | op, dst, 0, 0, 0));
	} else if (choice & 128) {
		u8 src = with(g, NUMBER);

		if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) /* often by too many places */
			emit(g, INSN(BPF_ALU64 | BPF_AND | BPF_K, src, 0, 0, imm & 63));
		emit(g, INSN(class | op | BPF_X, dst, src, 0, 0));
	} else {
		if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH)
			imm &= class == BPF_ALU ? 31 : 63;
		if ((op == BPF_DIV || op == BPF_MOD) && !imm)
			imm = 3;
		emit(g, INSN(class | op | BPF_K, dst, 0, 0, imm));
	}
}

static void make_number(struct generator *g)
{
	u8 choice = byte(g), dst = scratch(g), size = (choice >> 4 & 3) << 3;

	switch (choice % 6) {
	case 0:
		emit(g, MOV64_IMM(dst, number(g)));
		break;
	case 1:
		emit(g, INSN(BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, number(g)));
		emit(g, INSN(0, 0, 0, 0, number(g)));
		break;
	case 2:
		emit(g, INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, with(g, NUMBER), 0, 0));
		break;
	case 3:
		emit(g, INSN(BPF_ALU | BPF_MOV | BPF_X, dst, with(g, NUMBER), 0, 0));
		break;
	case 4:
		if (g->regs[6] == CONTEXT) {
			emit(g, INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, 6, 8 * (byte(g) % 8), 0));
			break;
		}
		fallthrough;
	default:
		emit(g, CALL(byte(g) & 1 ? BPF_FUNC_ktime_get_ns : BPF_FUNC_get_prandom_u32));
		lose_after_call(g);
		emit(g, MOV64_REG(dst, 0));
	}
	(void)size;
	g->regs[dst] = NUMBER;
}

/* One of two small constants, as a number decides that was not known: both ways must be walked. */
static void choose(struct generator *g)
{
	u8 decides = with(g, NUMBER), dst = scratch(g), choice = byte(g);

	emit(g, MOV64_IMM(dst, choice & 15));
	emit(g, INSN(BPF_JMP | BPF_JSGT | BPF_K, decides, 0, 1, choice & 16 ? 0 : number(g)));
	emit(g, MOV64_IMM(dst, byte(g) % 50));
	if (decides != dst)
		g->regs[dst] = NUMBER;
	else
		emit(g, MOV64_IMM(dst, 0));
}

/* The sum of two numbers, where it may matter. */
static void add_up(struct generator *g)
{
	u8 a = with(g, NUMBER), b = with(g, NUMBER);

	emit(g, INSN(BPF_ALU64 | (byte(g) & 1 ? BPF_ADD : BPF_OR) | BPF_X, a, b, 0, 0));
}
