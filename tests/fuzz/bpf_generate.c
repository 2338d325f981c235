/*
 * Makes a program from bytes: each byte chooses a statement or a part of one. The generator
 * remembers what each register contains, so that most accesses make sense; the numbers in them are
 * the bytes' own. One statement in many is any instruction at all.
 */
#include "tests/fuzz/bpf_generate_numbers.h"
#include "tests/host/bpf_maps.h"
#include "trace/bpf/core/abi.h"
#include "trace/bpf/helpers/numbers.h"

static void block(struct generator *g);

/* Jumps over a block if the comparison is true; perhaps another block follows for the other way. */
static void branch(struct generator *g)
{
	static const u8 ops[] = { BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				  BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE };
	u8 choice = byte(g), op = ops[choice % ARRAY_SIZE(ops)], dst = with(g, NUMBER);
	u8 class = choice & 64 ? BPF_JMP32 : BPF_JMP, src = 0;
	enum content before[MAX_BPF_REG];
	u32 jump, i;

	if (choice & 128)
		src = with(g, NUMBER);
	jump = g->out->len;
	emit(g, INSN(class | op | (choice & 128 ? BPF_X : BPF_K), dst, src, 0,
		     choice & 128 ? 0 : number(g)));
	memcpy(before, g->regs, sizeof(before));
	block(g);
	g->out->insns[jump].off = (s16)(g->out->len - jump - 1);
	for (i = 0; i < MAX_BPF_REG; i++)
		if (g->regs[i] != before[i])
			g->regs[i] = NOTHING;
}

/* Loads or stores through a register that holds a pointer, with a number between low and high. */
static void touch(struct generator *g, u8 pointer, s32 low, s32 high)
{
	u8 choice = byte(g), size = (choice & 3) << 3;
	s16 off = (s16)(low + byte(g) % (max(high - low, 0) + 1));
	u8 dst;

	if (choice & 128) /* aligned */
		off &= (s16) ~(bpf_size_to_bytes(size) - 1);
	switch (choice >> 4 & 3) {
	case 0:
		emit(g, INSN(BPF_ST | BPF_MEM | size, pointer, 0, off, number(g)));
		break;
	case 1:
		emit(g, INSN(BPF_STX | BPF_MEM | size, pointer, with(g, NUMBER), off, 0));
		break;
	case 2:
		if (choice & 4) {
			emit(g, INSN(BPF_STX | BPF_ATOMIC | (choice & 8 ? BPF_DW : BPF_W), pointer,
				     with(g, NUMBER), off & ~7,
				     choice & 64 ? BPF_ADD | BPF_FETCH : BPF_XCHG));
			break;
		}
		fallthrough;
	default:
		dst = scratch(g);
		emit(g, INSN(BPF_LDX | BPF_MEM | size, dst, pointer, off, 0));
		g->regs[dst] = NUMBER;
	}
}

/* A number within bounds, by a mask or by a comparison that skips what follows. The jump, or 0. */
static u32 bound(struct generator *g, u8 regno, s32 most)
{
	u8 choice = byte(g);

	switch (choice % 4) {
	case 0:
		emit(g, INSN(BPF_ALU64 | BPF_AND | BPF_K, regno, 0, 0, most));
		return 0;
	case 1:
		emit(g, INSN(BPF_ALU | BPF_AND | BPF_K, regno, 0, 0, most));
		return 0;
	case 2:
		emit(g, INSN(BPF_JMP | BPF_JGT | BPF_K, regno, 0, 0, most));
		return g->out->len - 1;
	default:
		emit(g, INSN(BPF_ALU | BPF_MOV | BPF_X, regno, regno, 0, 0));
		emit(g, INSN(BPF_JMP32 | BPF_JGE | BPF_K, regno, 0, 0, most));
		return g->out->len - 1;
	}
}

static void end_bound(struct generator *g, u32 jump)
{
	if (jump)
		g->out->insns[jump].off = (s16)(g->out->len - jump - 1);
}

/* Through a value of a map: at a constant, or at a number that is bounded. */
static void touch_value(struct generator *g)
{
	u8 pointer = with(g, VALUE), index, copy = 2, choice = byte(g);
	s32 most;
	u32 jump;

	if (pointer == MAX_BPF_REG)
		return;
	if (choice & 1) {
		touch(g, pointer, 0, (s32)g->value_size - 1);
		return;
	}
	index = with(g, NUMBER);
	most = choice & 2 ? byte(g) % 64 : (s32)g->value_size - 8;
	if (choice & 4 && index != 3) {
		emit(g, MOV64_REG(3, index));
		g->regs[3] = NUMBER;
		index = 3;
	}
	jump = choice & 32 ? 0 : bound(g, index, most);
	if (index == copy)
		copy = 4;
	emit(g, MOV64_REG(copy, pointer));
	emit(g, INSN(BPF_ALU64 | (choice & 8 ? BPF_SUB : BPF_ADD) | BPF_X, copy, index, 0, 0));
	if (choice & 8)
		emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_K, copy, 0, 0, most));
	g->regs[copy] = NOTHING;
	touch(g, copy, choice & 16 ? -4 : 0, 8);
	end_bound(g, jump);
	g->regs[copy] = NOTHING;
}

static void touch_stack(struct generator *g)
{
	u8 choice = byte(g), slot = choice & 7, regno, content;
	s16 off = (s16)(-8 * (slot + 1));

	switch (choice >> 4 & 7) {
	case 0:
	case 1: /* any bytes of the first 64 */
		touch(g, 10, -64, -1);
		break;
	case 2: /* spills any register */
		regno = byte(g) % 10;
		if (!g->regs[regno])
			break;
		emit(g, INSN(BPF_STX | BPF_MEM | BPF_DW, 10, regno, off, 0));
		g->spilled[slot] = g->regs[regno] == RECORD ? NOTHING : (u8)g->regs[regno];
		break;
	case 3: /* fills */
		content = g->spilled[slot];
		regno = scratch(g);
		if (content == NOTHING)
			break;
		emit(g, INSN(BPF_LDX | BPF_MEM | BPF_DW, regno, 10, off, 0));
		g->regs[regno] = content;
		break;
	case 4:
		emit(g, INSN(BPF_LDX | BPF_MEM | BPF_W, scratch(g), 10,
			     (s16)(off + (choice & 8 ? 4 : 0)), 0));
		break;
	case 5: /* 16 bytes at a place that is not known */
		emit(g, INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, off, 0));
		emit(g, INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, (s16)(off - 8), number(g)));
		regno = with(g, NUMBER);
		emit(g, INSN(BPF_ALU64 | BPF_AND | BPF_K, regno, 0, 0, byte(g) & 15));
		emit(g, MOV64_REG(4, 10));
		emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_X, 4, regno, 0, 0));
		g->regs[4] = NOTHING;
		touch(g, 4, off - 8, off);
		break;
	default:
		emit(g, INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, off, number(g)));
		g->spilled[slot] = NUMBER;
	}
}

static void load_map(struct generator *g, u8 regno, s32 fd)
{
	emit(g, INSN(BPF_LD | BPF_IMM | BPF_DW, regno, BPF_PSEUDO_MAP_FD, 0, fd));
	emit(g, INSN(0, 0, 0, 0, 0));
}

#define VALUE_SIZE(fd, type, key, value, ...) [fd] = value,
static const u8 value_sizes[] = { WORLD_MAPS(VALUE_SIZE) };

/* Looks up an element, goes on if there is none, or does things with its value. */
static void lookup(struct generator *g)
{
	static const u8 maps[] = { WORLD_ARRAY, WORLD_HASH, WORLD_PERCPU_ARRAY, WORLD_RDONLY };
	u8 choice = byte(g), fd = maps[choice % 4], keep = 7 + (choice >> 4) % 3;
	u32 jump, size = g->value_size;

	emit(g, INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, choice >> 6));
	g->spilled[0] = NUMBER;
	if (choice & 8) { /* the key of a number */
		emit(g, INSN(BPF_STX | BPF_MEM | BPF_W, 10, with(g, NUMBER), -8, 0));
		g->spilled[0] = NOTHING;
	}
	load_map(g, 1, fd);
	emit(g, MOV64_REG(2, 10));
	emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8));
	emit(g, CALL(BPF_FUNC_map_lookup_elem));
	lose_after_call(g);
	g->regs[0] = NOTHING;
	if (g->regs[keep] == RECORD)
		keep = 0;
	else
		emit(g, MOV64_REG(keep, 0));
	jump = g->out->len;
	emit(g, INSN(BPF_JMP | (choice & 64 ? BPF_JEQ : BPF_JEQ) | BPF_K, choice & 32 ? keep : 0, 0,
		     0, 0));
	g->regs[keep] = VALUE;
	g->value_size = value_sizes[fd];
	touch_value(g);
	block(g);
	g->out->insns[jump].off = (s16)(g->out->len - jump - 1);
	memset(g->regs, 0, 6 * sizeof(g->regs[0]));
	if (g->regs[keep] != RECORD)
		g->regs[keep] = NOTHING;
	g->value_size = size;
	make_number(g);
}

/* A value of a map of one element, which is never NULL. */
static void direct_value(struct generator *g)
{
	u8 dst = 7 + byte(g) % 3;

	if (g->regs[dst] == RECORD)
		return;
	g->value_size = 32;
	emit(g, INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_VALUE, 0, WORLD_RDONLY));
	emit(g, INSN(0, 0, 0, 0, byte(g) & 15));
	g->regs[dst] = VALUE;
}

static void loop(struct generator *g)
{
	u8 choice = byte(g), counter = 7 + choice % 3;
	bool in_stack = choice & 8;
	u32 top;

	if (g->regs[counter] == RECORD)
		return;
	emit(g, MOV64_IMM(counter, 0));
	g->regs[counter] = NUMBER;
	if (in_stack)
		emit(g, INSN(BPF_STX | BPF_MEM | BPF_DW, 10, counter, -80, 0));
	top = g->out->len;
	block(g);
	if (in_stack)
		emit(g, INSN(BPF_LDX | BPF_MEM | BPF_DW, counter, 10, -80, 0));
	emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_K, counter, 0, 0, 1 + (choice >> 4 & 1)));
	if (in_stack)
		emit(g, INSN(BPF_STX | BPF_MEM | BPF_DW, 10, counter, -80, 0));
	g->regs[counter] = NUMBER;
	emit(g, INSN(BPF_JMP | (choice & 64 ? BPF_JLT : BPF_JSLE) | BPF_K, counter, 0,
		     (s16)((s32)top - (s32)g->out->len - 1), 1 + (choice >> 5)));
}

static void record(struct generator *g)
{
	u8 choice = byte(g), size = choice & 63;
	u32 jump;

	if (g->regs[9] == RECORD)
		return;
	load_map(g, 1, WORLD_RINGBUF);
	emit(g, MOV64_IMM(2, size));
	emit(g, MOV64_IMM(3, 0));
	emit(g, CALL(BPF_FUNC_ringbuf_reserve));
	lose_after_call(g);
	jump = g->out->len;
	emit(g, INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 0, 0));
	emit(g, MOV64_REG(9, 0));
	g->regs[9] = RECORD;
	if (choice & 64 && size)
		touch(g, 9, 0, size);
	block(g);
	emit(g, MOV64_REG(1, 9));
	emit(g, MOV64_IMM(2, 0));
	emit(g, CALL(choice & 128 ? BPF_FUNC_ringbuf_submit : BPF_FUNC_ringbuf_discard));
	g->out->insns[jump].off = (s16)(g->out->len - jump - 1);
	memset(g->regs, 0, 6 * sizeof(g->regs[0]));
	g->regs[9] = NOTHING;
	make_number(g);
}

/* A helper that fills or reads memory of a size. */
static void memory_helper(struct generator *g)
{
	u8 choice = byte(g), regno;
	s32 most = byte(g) % 72;
	u32 jump = 0;

	regno = with(g, NUMBER);
	emit(g, MOV64_REG(2, regno));
	jump = bound(g, 2, most);
	emit(g, MOV64_REG(1, 10));
	emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, choice & 8 ? -64 : -(s32)byte(g) % 80));
	if (choice & 1) {
		emit(g, INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0));
		emit(g, CALL(choice & 2 ? BPF_FUNC_probe_read_kernel_str
					: BPF_FUNC_probe_read_kernel));
	} else {
		emit(g, MOV64_REG(3, 2));
		emit(g, MOV64_REG(2, 1));
		load_map(g, 1, WORLD_RINGBUF);
		emit(g, MOV64_IMM(4, 0));
		emit(g, CALL(BPF_FUNC_ringbuf_output));
	}
	end_bound(g, jump);
	memset(g->regs, 0, 6 * sizeof(g->regs[0]));
	memset(g->spilled, 0, sizeof(g->spilled));
	make_number(g);
}

static void patch_later(struct generator *g, bool callback)
{
	u32 function = byte(g) % MAX_FUNCTIONS;

	if (function >= g->nr_functions) {
		function = g->nr_functions++;
		g->callback[function] = callback;
	}
	g->patches[g->nr_patches].at = g->out->len;
	g->patches[g->nr_patches++].function = function;
}

static void call(struct generator *g)
{
	u8 choice = byte(g);

	if (g->nr_patches + 1 >= MAX_PATCHES || (g->in_function && choice & 1))
		return;
	emit(g, INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, number(g)));
	g->spilled[1] = NOTHING;
	if (choice & 2) {
		emit(g, MOV64_REG(1, with(g, NUMBER)));
		emit(g, MOV64_REG(2, 10));
		emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -16));
		patch_later(g, false);
		emit(g, INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0));
		lose_after_call(g);
		return;
	}
	if (choice & 4) {
		load_map(g, 1, WORLD_HASH);
	} else if (choice & 8 && !g->out->few_rounds) {
		emit(g, MOV64_REG(1, with(g, NUMBER)));
		g->regs[1] = NUMBER;
	} else {
		emit(g, MOV64_IMM(1, byte(g) % 8));
	}
	patch_later(g, true);
	emit(g, INSN(BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, 0));
	emit(g, INSN(0, 0, 0, 0, 0));
	emit(g, MOV64_REG(3, 10));
	emit(g, INSN(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, -16));
	emit(g, MOV64_IMM(4, 0));
	emit(g, CALL(choice & 4 ? BPF_FUNC_for_each_map_elem : BPF_FUNC_loop));
	lose_after_call(g);
}

static void anything(struct generator *g)
{
	struct bpf_insn insn;
	u8 choice = byte(g);

	if (choice & 3) {
		insn = INSN(byte(g), byte(g) % 11, byte(g) % 11, (s8)byte(g), number(g));
		emit(g, insn);
	} else {
		emit(g, MOV64_IMM(0, number(g) & 1));
		emit(g, EXIT());
	}
}

static void statement(struct generator *g)
{
	static void (*const kinds[])(struct generator * g) = {
		alu,         alu,         alu,           make_number, branch,
		branch,      touch_stack, lookup,        touch_value, direct_value,
		loop,        record,      memory_helper, call,        touch_stack,
		touch_value, choose,      add_up,        choose,
	};
	u8 choice = byte(g);

	if (choice > 250)
		anything(g);
	else
		kinds[choice % ARRAY_SIZE(kinds)](g);
}

static void block(struct generator *g)
{
	u32 left = byte(g) % 5;

	if (g->nesting == MAX_NESTING)
		return;
	g->nesting++;
	while (left-- && g->at < g->end)
		statement(g);
	g->nesting--;
}

static void function(struct generator *g, u32 number_of)
{
	memset(g->regs, 0, sizeof(g->regs));
	memset(g->spilled, 0, sizeof(g->spilled));
	g->in_function = true;
	emit(g, MOV64_IMM(7, 0));
	g->regs[7] = NUMBER;
	if (!g->callback[number_of] || byte(g) & 1) {
		emit(g, MOV64_REG(8, 1));
		g->regs[8] = NUMBER;
	}
	emit(g, MOV64_REG(9, 2));
	g->value_size = 8;
	g->regs[9] = VALUE;
	block(g);
	if (byte(g) & 1)
		emit(g, MOV64_REG(0, with(g, NUMBER)));
	else
		emit(g, MOV64_IMM(0, 0));
	if (g->callback[number_of])
		emit(g, INSN(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, byte(g) & 16 ? 3 : 1));
	emit(g, EXIT());
}

void bpf_generate(struct generated *program, const u8 *data, size_t size)
{
	struct generator g = { .at = data, .end = data + size, .out = program };
	static const u8 types[] = { BPF_PROG_TYPE_KPROBE, BPF_PROG_TYPE_TRACEPOINT,
				    BPF_PROG_TYPE_PERF_EVENT, BPF_PROG_TYPE_RAW_TRACEPOINT,
				    BPF_PROG_TYPE_SOCKET_FILTER };
	u32 starts[MAX_FUNCTIONS] = { 0 }, i;

	program->len = 0;
	program->state_freq = byte(&g) & 1;
	program->type = types[byte(&g) % ARRAY_SIZE(types)];
	emit(&g, MOV64_REG(6, 1));
	g.regs[6] = CONTEXT;
	emit(&g, MOV64_IMM(0, 0));
	g.regs[0] = NUMBER;
	while (g.at < g.end && program->len < GENERATED_INSNS * 2 / 3) {
		u32 before = (u32)(g.end - g.at);

		statement(&g);
		if (g.nr_functions && before > 40 && g.end - g.at < (s64)size / 3)
			break; /* the rest is for the functions */
	}
	if (g.regs[0] != NUMBER)
		emit(&g, MOV64_IMM(0, 0));
	emit(&g, EXIT());
	for (i = 0; i < g.nr_functions; i++) {
		starts[i] = program->len;
		function(&g, i);
	}
	for (i = 0; i < g.nr_patches; i++)
		program->insns[g.patches[i].at].imm =
			(s32)starts[g.patches[i].function] - (s32)g.patches[i].at - 1;
}
