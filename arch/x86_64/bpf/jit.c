/*
 * Compiles a verified program: functions, jumps and calls. jit_insn.c has the other instructions,
 * jit_helpers.c calls of helpers.
 *
 * Each instruction becomes one to a few machine instructions; nothing is moved or joined. The size
 * of a jump depends on the code between it and its target. So bpf_jit_measure() goes over the
 * program again and again, at first with long jumps only, until the code no longer shrinks. A chain
 * of jumps, of which each becomes short only when the next one has, could need as many passes as it
 * has jumps. So after SHRINKING_PASSES a jump that is still long stays long.
 *
 * The code of a program is that of its functions, one after another. Each is a function of the C
 * ABI, so that helpers can call callbacks. A program that makes tail calls begins with an entry of
 * its own, which puts a counter on the stack. Its functions get the counter's address in rax, and
 * keep it in their frames. A tail call drops the frame and jumps to the other program, so the
 * counter counts all tail calls of a run, also of those in functions.
 *
 * Indirect branches are not hidden from the CPU's predictor (no retpolines), and there are no
 * fences against speculation: nop5 runs in an emulator, which does not speculate, and only
 * privileged users load programs.
 */
#include "arch/bpf/jit_internal.h"

#include "kernel/bug.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/skb.h"

/* ---- functions ---- */

/* Bytes of the code at the start of a program that makes tail calls: emit_counter(). */
#define COUNTER_SIZE 20

/* Makes the counter of tail calls, then calls the program behind it. */
static void emit_counter(struct emitter *e)
{
	emit_push(e, RBP);
	emit_mov(e, X86_W, RBP, RSP);
	emit_bytes(e, 0x006a, 2); /* push 0 */
	emit_mov(e, X86_W, RAX, RSP);
	emit_alu_imm(e, X86_W, X86_SUB, RSP, 8);
	emit_call(e, e->address + e->at + 5 + 2);
	emit_byte(e, 0xc9); /* leave */
	emit_byte(e, 0xc3); /* ret */
}

/* Where a tail call enters a compiled program: behind emit_counter(). */
static const void *tail_entry(const struct bpf_prog *prog)
{
	return (const u8 *)prog->bpf_func + (prog->uses_tail_call ? COUNTER_SIZE : 0);
}

/* LD | ABS and LD | IND read the packet of R6. The second half of LD | IMM | DW is none. */
static bool is_packet_load(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_LD && BPF_MODE(insn->code) != BPF_IMM;
}

static bool uses_reg(const struct bpf_insn *insn, u32 reg)
{
	if (insn->dst_reg == reg || insn->src_reg == reg)
		return true;
	return reg == BPF_REG_6 && is_packet_load(insn);
}

static bool is_call(const struct bpf_insn *insn)
{
	u8 op = BPF_OP(insn->code);

	return is_packet_load(insn) ||
	       (BPF_CLASS(insn->code) == BPF_JMP && (op == BPF_CALL || op == BPF_TAIL_CALL));
}

/* Decides about the frame of the function. */
static void plan_function(struct jit_pass *p, u32 subprog)
{
	const struct bpf_subprog *sub = &p->prog->subprogs[subprog];
	u32 end = subprog + 1 < p->prog->nr_subprogs ? sub[1].start : p->prog->len;
	u32 pushed = 0;

	p->is_main = !subprog;
	p->saved = 0;
	p->frame_size = ALIGN(sub->stack_depth, 8U);
	p->has_frame = p->frame_size || p->prog->uses_tail_call;
	for (u32 i = sub->start; i < end; i++) {
		const struct bpf_insn *insn = &p->prog->insns[i];

		for (u32 reg = BPF_REG_6; reg <= BPF_REG_9; reg++)
			p->saved |= uses_reg(insn, reg) ? 1U << reg : 0;
		p->has_frame |= uses_reg(insn, BPF_REG_FP) || is_call(insn);
	}
	for (u32 reg = BPF_REG_6; reg <= BPF_REG_9; reg++)
		pushed += p->saved & 1U << reg ? 8 : 0;
	p->has_frame |= pushed != 0;
	if (p->prog->uses_tail_call)
		p->frame_size += 8;
	p->counter_slot = -(s32)p->frame_size;
	p->frame_size = ALIGN(p->frame_size + pushed, 16U) - pushed; /* rsp stays aligned */
}

static void emit_prologue(struct jit_pass *p)
{
	struct emitter *e = &p->e;

	if (!p->has_frame)
		return;
	emit_push(e, RBP);
	emit_mov(e, X86_W, RBP, RSP);
	if (p->frame_size)
		emit_alu_imm(e, X86_W, X86_SUB, RSP, (s32)p->frame_size);
	if (p->prog->uses_tail_call)
		emit_rm(e, X86_W, 0x89, RAX, RBP, p->counter_slot);
	for (u32 reg = BPF_REG_6; reg <= BPF_REG_9; reg++)
		if (p->saved & 1U << reg)
			emit_push(e, jit_reg[reg]);
}

/* Restores what the caller of the function wants back. The return address is on top. */
static void emit_leave(struct jit_pass *p)
{
	if (!p->has_frame)
		return;
	for (u32 reg = BPF_REG_9; reg >= BPF_REG_6; reg--)
		if (p->saved & 1U << reg)
			emit_pop(&p->e, jit_reg[reg]);
	emit_byte(&p->e, 0xc9); /* leave */
}

static void emit_exit(struct jit_pass *p)
{
	emit_leave(p);
	emit_byte(&p->e, 0xc3); /* ret */
}

/* ---- jumps ---- */

#define SHRINKING_PASSES 20 /* Linux's */

/* The distance from the end of a jump, rest bytes from here, to the code of instruction `to`. */
static s32 jump_distance(const struct jit_pass *p, u32 from, u32 to, u32 rest)
{
	const u32 *offsets = p->jit->offsets;

	/*
	 * What is ahead has the offsets of the pass before. So has the end of this instruction: the
	 * difference is right, or too large while the code still shrinks.
	 */
	if (to > from)
		return (s32)(offsets[to] - offsets[from + 1]);
	return (s32)(offsets[to] - (p->e.at + rest));
}

/* A jump that is short stays short, because code only shrinks. */
static void emit_jump(struct jit_pass *p, u32 i, u32 condition, s32 target)
{
	s32 distance = jump_distance(p, i, (u32)target, 2);
	struct emitter *e = &p->e;

	if (p->jit->passes < SHRINKING_PASSES && fits_s8(distance))
		p->jit->flags[i] |= JIT_SHORT;
	if (p->jit->flags[i] & JIT_SHORT) {
		emit_byte(e, condition == CC_ALWAYS ? 0xeb : 0x70 | condition);
		emit_byte(e, (u8)distance);
		return;
	}
	if (condition == CC_ALWAYS) {
		emit_byte(e, 0xe9);
	} else {
		emit_byte(e, 0x0f);
		emit_byte(e, 0x80 | condition);
	}
	emit_bytes(e, (u32)jump_distance(p, i, (u32)target, 4), 4);
}

static u32 condition_of(u8 code)
{
	static const u8 conditions[16] = {
		[BPF_JEQ >> 4] = CC_E,   [BPF_JGT >> 4] = CC_A,   [BPF_JGE >> 4] = CC_AE,
		[BPF_JSET >> 4] = CC_NE, [BPF_JNE >> 4] = CC_NE,  [BPF_JSGT >> 4] = CC_G,
		[BPF_JSGE >> 4] = CC_GE, [BPF_JLT >> 4] = CC_B,   [BPF_JLE >> 4] = CC_BE,
		[BPF_JSLT >> 4] = CC_L,  [BPF_JSLE >> 4] = CC_LE,
	};

	return conditions[BPF_OP(code) >> 4];
}

static void emit_compare(struct jit_pass *p, const struct bpf_insn *insn)
{
	u32 how = BPF_CLASS(insn->code) == BPF_JMP ? X86_W : 0;
	u32 dst = jit_reg[insn->dst_reg], src = jit_reg[insn->src_reg];
	bool set = BPF_OP(insn->code) == BPF_JSET;

	if (BPF_SRC(insn->code) == BPF_X) {
		emit_rr(&p->e, how, set ? 0x85 : 0x39, src, dst); /* test, cmp */
	} else if (set) {
		emit_rr(&p->e, how, 0xf7, 0, dst); /* test dst, imm */
		emit_bytes(&p->e, (u32)insn->imm, 4);
	} else if (!insn->imm) {
		emit_rr(&p->e, how, 0x85, dst, dst); /* test: the same flags as cmp dst, 0 */
	} else {
		emit_alu_imm(&p->e, how, X86_CMP, dst, insn->imm);
	}
}

/* ---- calls ---- */

static u32 subprog_at(const struct bpf_prog *prog, u32 start)
{
	u32 subprog = 0;

	while (prog->subprogs[subprog].start != start)
		subprog++;
	return subprog;
}

static void emit_call_insn(struct jit_pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->prog->insns[i];
	struct emitter *e = &p->e;
	u32 callee;

	if (insn->src_reg != BPF_PSEUDO_CALL) {
		jit_helper_call(p, (unsigned long)__bpf_call_base + (unsigned long)(long)insn->imm);
		return;
	}
	callee = subprog_at(p->prog, i + 1 + (u32)insn->imm);
	if (p->prog->uses_tail_call)
		emit_rm(e, X86_W, 0x8b, RAX, RBP, p->counter_slot);
	emit_call(e, e->address + p->jit->starts[callee]);
}

/* Called by programs. Where execution continues, or NULL: behind the tail call. */
static const void *tail_call_target(const struct bpf_map *map, u32 index)
{
	const struct bpf_prog *prog = bpf_prog_array_get(map, index);

	return prog ? tail_entry(prog) : NULL;
}

/*
 * The same for a function, whose callers keep their frames: 33 tail calls could need more stack
 * than there is.
 */
static const void *function_tail_call_target(const struct bpf_map *map, u32 index)
{
	const void *target = tail_call_target(map, index);

	return bpf_stack_is_low() ? NULL : target;
}

static void emit_tail_call(struct jit_pass *p)
{
	struct emitter *e = &p->e;
	u32 too_many, none;

	emit_rm(e, X86_W, 0x8b, RAX, RBP, p->counter_slot);
	emit_rm(e, 0, 0x83, X86_CMP, RAX, 0);
	emit_byte(e, MAX_TAIL_CALL_CNT);
	too_many = emit_skip(e, CC_AE);
	emit_push(e, jit_reg[BPF_REG_1]); /* the context */
	emit_push(e, RAX);
	emit_mov(e, X86_W, RDI, jit_reg[BPF_REG_2]);
	emit_mov(e, 0, RSI, jit_reg[BPF_REG_3]);
	emit_call(e, (unsigned long)(p->is_main ? tail_call_target : function_tail_call_target));
	emit_mov(e, X86_W, R11, RAX);
	emit_pop(e, RAX);
	emit_pop(e, jit_reg[BPF_REG_1]);
	emit_rr(e, X86_W, 0x85, R11, R11);
	none = emit_skip(e, CC_E);
	emit_rm(e, 0, 0xff, 0, RAX, 0); /* inc dword [rax] */
	emit_leave(p);
	emit_rr(e, 0, 0xff, 4, R11); /* jmp r11 */
	emit_skip_end(e, too_many);
	emit_skip_end(e, none);
}

/* Called by programs. */
static s64 load_packet(const struct bpf_skb *skb, s32 offset, u32 size)
{
	return bpf_skb_load(skb, offset, size);
}

/* LD | ABS and LD | IND. Outside of the packet the program ends, with 0. */
static void emit_packet_load(struct jit_pass *p, const struct bpf_insn *insn)
{
	struct emitter *e = &p->e;
	u32 inside;

	if (BPF_MODE(insn->code) == BPF_IND) {
		emit_mov(e, 0, RSI, jit_reg[insn->src_reg]);
		emit_alu_imm(e, 0, X86_ADD, RSI, insn->imm);
	} else {
		emit_mov_imm(e, RSI, (u32)insn->imm);
	}
	emit_mov(e, X86_W, RDI, jit_reg[BPF_REG_6]);
	emit_mov_imm(e, RDX, bpf_size_to_bytes(insn->code));
	emit_call(e, (unsigned long)load_packet);
	emit_rr(e, X86_W, 0x85, RAX, RAX);
	inside = emit_skip(e, CC_NS);
	emit_mov_imm(e, RAX, 0);
	emit_exit(p);
	emit_skip_end(e, inside);
}

/* ---- passes ---- */

/* LD | IMM | DW. A callback is the address of an instruction; its code is wanted. */
static void emit_imm64(struct jit_pass *p, const struct bpf_insn *insn)
{
	u64 value = (u32)insn->imm | (u64)(u32)insn[1].imm << 32;
	u32 dst = jit_reg[insn->dst_reg];
	u32 subprog;

	if (insn->src_reg != BPF_PSEUDO_FUNC) {
		emit_mov_imm(&p->e, dst, value);
		return;
	}
	subprog = subprog_at(p->prog, (u32)((const struct bpf_insn *)value - p->prog->insns));
	emit_opcode(&p->e, X86_W, 0x8d, dst, 0, 0); /* lea dst, [rip + distance] */
	emit_byte(&p->e, (dst & 7) << 3 | RBP);
	emit_bytes(&p->e, p->jit->starts[subprog] - (p->e.at + 4), 4);
}

static void emit_jmp_class(struct jit_pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->prog->insns[i];
	s32 target = (s32)i + 1 + bpf_jump_distance(insn);

	switch (BPF_OP(insn->code)) {
	case BPF_CALL:
		emit_call_insn(p, i);
		break;
	case BPF_TAIL_CALL:
		emit_tail_call(p);
		break;
	case BPF_EXIT:
		emit_exit(p);
		break;
	case BPF_JA:
		if (target == (s32)i)
			emit_byte(&p->e, 0xcc); /* int3: code that is never reached */
		else if (target != (s32)i + 1)
			emit_jump(p, i, CC_ALWAYS, target);
		break;
	default:
		emit_compare(p, insn);
		emit_jump(p, i, condition_of(insn->code), target);
	}
}

/* Writes the code of instruction i. True: the code is that of the next one, too. */
static bool emit_insn(struct jit_pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->prog->insns[i];

	if (jit_is_address(insn) && !(p->jit->flags[i + 1] & JIT_TARGET)) {
		jit_address(p, insn);
		return true;
	}

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		jit_alu(p, insn);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		emit_jmp_class(p, i);
		break;
	case BPF_LDX:
		jit_load(p, insn);
		break;
	case BPF_LD:
		if (bpf_insn_is_ld_imm64(insn))
			emit_imm64(p, insn);
		else
			emit_packet_load(p, insn);
		break;
	default: /* ST, STX */
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			jit_atomic(p, insn);
		else
			jit_store(p, insn);
	}
	return bpf_insn_is_ld_imm64(insn);
}

/* Goes over the program once: notes where the code of each instruction is, and writes it. */
static void run_pass(struct bpf_jit *jit, u8 *buffer, unsigned long address)
{
	const struct bpf_prog *prog = jit->prog;
	struct jit_pass p = { { buffer, address, 0 }, .jit = jit, .prog = prog };
	u32 subprog = 0;
	bool two;

	for (u32 i = 0; i < prog->len; i++) {
		if (subprog < prog->nr_subprogs && prog->subprogs[subprog].start == i) {
			jit->starts[subprog] = p.e.at;
			if (!subprog && prog->uses_tail_call)
				emit_counter(&p.e);
			plan_function(&p, subprog++);
			emit_prologue(&p);
			p.map = NULL;
		}
		jit->offsets[i] = p.e.at;
		if (jit->flags[i] & JIT_TARGET)
			p.map = NULL;
		two = emit_insn(&p, i);
		jit_follow_map(&p, i);
		if (two)
			jit->offsets[++i] = p.e.at;
	}
	jit->offsets[prog->len] = jit->starts[prog->nr_subprogs] = jit->size = p.e.at;
	jit->nr_extable = p.extable;
}

#define LONG_JUMP 0x100U /* does not fit into a byte */

bool bpf_jit_measure(struct bpf_jit *jit)
{
	u32 before;

	/* The first pass takes all distances ahead for long ones. */
	for (u32 i = 0; i <= jit->prog->len; i++)
		jit->offsets[i] = i * LONG_JUMP;
	jit_mark_targets(jit->prog, jit->flags);
	jit->extable = NULL;
	jit->size = 0;
	jit->passes = 0;
	do {
		if (jit->interrupted && jit->interrupted())
			return false;
		before = jit->size;
		run_pass(jit, NULL, 0);
		jit->passes++;
	} while (jit->size != before);
	return true;
}

void bpf_jit_write(struct bpf_jit *jit, u8 *buffer, unsigned long address)
{
	u32 size = jit->size;

	run_pass(jit, buffer, address);
	WARN_ON(jit->size != size);
}
