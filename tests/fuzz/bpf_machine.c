/* The machine that runs verified programs: instructions. See bpf_machine.h. */
#include <stdlib.h>
#include <string.h>

#include "bpf_machine.h"
#include "tests/host/bpf_isa.h"
#include "tests/host/bpf_world.h"

static struct word read_reg(const struct machine *m, u32 regno)
{
	if (m->regs[regno].region == WORD_NOT_INIT)
		machine_fail(m, "R%u is not initialised", regno);
	return m->regs[regno];
}

static void run_alu(struct machine *m, const struct bpf_insn *insn)
{
	bool is_64 = BPF_CLASS(insn->code) == BPF_ALU64;
	u8 op = BPF_OP(insn->code);
	struct word *dst = &m->regs[insn->dst_reg], a = *dst, b, result;

	if (op != BPF_MOV)
		a = read_reg(m, insn->dst_reg);
	if (op == BPF_END) {
		*dst = machine_number(insn->imm == 16   ? (u16)a.bits
				      : insn->imm == 32 ? (u32)a.bits
							: a.bits);
		if (BPF_SRC(insn->code) == BPF_TO_BE)
			dst->bits = __builtin_bswap64(a.bits) >> (64 - insn->imm);
		return;
	}
	b = op == BPF_NEG                  ? machine_number(0)
	    : BPF_SRC(insn->code) == BPF_X ? read_reg(m, insn->src_reg)
					   : machine_number((u64)(s64)insn->imm);
	result = machine_number(isa_alu(op, a.bits, b.bits, is_64 ? 64 : 32));
	if (is_64 && op == BPF_MOV)
		result.region = b.region;
	else if (is_64 && op == BPF_ADD && (a.region < 0 || b.region < 0))
		result.region = a.region < 0 ? b.region : a.region;
	else if (is_64 && op == BPF_SUB && b.region < 0)
		result.region = a.region;
	*dst = result;
}

static void run_atomic(struct machine *m, const struct bpf_insn *insn)
{
	u32 size = bpf_size_to_bytes(insn->code);
	struct word pointer = read_reg(m, insn->dst_reg), src = read_reg(m, insn->src_reg);
	struct word old = machine_load(m, pointer, insn->off, size);
	u64 r0 = insn->imm == BPF_CMPXCHG ? read_reg(m, BPF_REG_0).bits : 0;

	machine_store(m, pointer, insn->off, size,
		      machine_number(isa_atomic(insn->imm, old.bits, src.bits, r0, 8 * size)));
	if (insn->imm & BPF_FETCH) /* a pointer that was there goes to the register as a pointer */
		m->regs[insn->imm == BPF_CMPXCHG ? BPF_REG_0 : insn->src_reg] = old;
}

static void load_imm64(struct machine *m, u32 pc)
{
	const struct bpf_insn *insn = &m->insns[pc];
	struct word *dst = &m->regs[insn->dst_reg];

	*dst = machine_number((u32)insn->imm | (u64)(u32)insn[1].imm << 32);
	switch (insn->src_reg) {
	case BPF_PSEUDO_MAP_FD:
		dst->region = m->maps[insn->imm - WORLD_ARRAY];
		break;
	case BPF_PSEUDO_MAP_VALUE:
		dst->region = m->values[insn->imm - WORLD_ARRAY][0];
		break;
	case BPF_PSEUDO_FUNC:
		dst->region = machine_region(m, REGION_FUNC, 0);
		m->regions[dst->region].number = pc + 1 + (u32)insn->imm;
		break;
	}
	if (dst->region >= 0)
		dst->bits = m->regions[dst->region].base;
	if (insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		dst->bits += (u32)insn[1].imm;
}

static u32 subprog_at(const struct machine *m, u32 start)
{
	u32 i;

	for (i = 0; i < m->prog->nr_subprogs; i++)
		if (m->prog->subprogs[i].start == start)
			return i;
	machine_fail(m, "no function of the program begins at %u", start);
}

static void push_frame(struct machine *m, s32 callsite, u32 start)
{
	u32 subprog = subprog_at(m, start);
	struct machine_frame *frame;
	u32 used = 0, i;

	if (++m->depth == MAX_CALL_FRAMES)
		machine_fail(m, "too many frames");
	frame = &m->frames[m->depth];
	frame->callsite = callsite;
	frame->subprog = subprog;
	memcpy(frame->saved, &m->regs[BPF_REG_6], sizeof(frame->saved));
	frame->stack = machine_region(m, REGION_STACK, m->prog->subprogs[subprog].stack_depth);
	m->regions[frame->stack].number = m->depth;
	for (i = 0; i <= m->depth; i++)
		used += m->regions[m->frames[i].stack].size;
	if (used > MAX_BPF_STACK)
		machine_fail(m, "%u bytes of stack", used);
	for (i = BPF_REG_6; i <= BPF_REG_9; i++)
		m->regs[i].region = WORD_NOT_INIT;
	m->regs[BPF_REG_0].region = WORD_NOT_INIT;
	m->regs[BPF_REG_10] =
		(struct word){ m->regions[frame->stack].base + m->regions[frame->stack].size,
			       frame->stack };
}

static void pop_frame(struct machine *m)
{
	struct machine_frame *frame = &m->frames[m->depth];
	const struct region *stack;
	u32 i;

	read_reg(m, BPF_REG_0);
	m->regions[frame->stack].live = false;
	memcpy(&m->regs[BPF_REG_6], frame->saved, sizeof(frame->saved));
	for (i = BPF_REG_1; i <= BPF_REG_5; i++)
		m->regs[i].region = WORD_NOT_INIT;
	m->depth--;
	stack = &m->regions[m->frames[m->depth].stack];
	m->regs[BPF_REG_10] = (struct word){ stack->base + stack->size, m->frames[m->depth].stack };
}

static u32 run_call(struct machine *m, u32 pc)
{
	const struct bpf_insn *insn = &m->insns[pc];

	if (insn->src_reg != BPF_PSEUDO_CALL) {
		machine_helper(m, pc);
		return pc + 1;
	}
	if (m->prog->insns[pc].off != (s32)m->regions[m->frames[m->depth].stack].size)
		machine_fail(m, "the call says %d, but the caller uses %u bytes",
			     m->prog->insns[pc].off, m->regions[m->frames[m->depth].stack].size);
	push_frame(m, (s32)pc, pc + 1 + (u32)insn->imm);
	return pc + 1 + (u32)insn->imm;
}

static u32 run_jump(struct machine *m, u32 pc)
{
	const struct bpf_insn *insn = &m->insns[pc];
	u64 b;

	if (BPF_OP(insn->code) == BPF_JA)
		return bpf_jump_target(insn, pc);
	b = BPF_SRC(insn->code) == BPF_X ? read_reg(m, insn->src_reg).bits : (u64)(s64)insn->imm;
	if (isa_jump(BPF_OP(insn->code), read_reg(m, insn->dst_reg).bits, b,
		     BPF_CLASS(insn->code) == BPF_JMP32 ? 32 : 64))
		return bpf_jump_target(insn, pc);
	return pc + 1;
}

/* A load of a packet. Without that many bytes the function returns 0. */
static bool run_packet(struct machine *m, u32 pc)
{
	bool ends = machine_random(m) & 1;
	u32 i;

	read_reg(m, BPF_REG_6);
	if (BPF_MODE(m->insns[pc].code) == BPF_IND)
		read_reg(m, m->insns[pc].src_reg);
	m->regs[BPF_REG_0] = machine_number(
		ends ? 0 : machine_random(m) >> (64 - 8 * bpf_size_to_bytes(m->insns[pc].code)));
	for (i = BPF_REG_1; i <= BPF_REG_5; i++)
		m->regs[i].region = WORD_NOT_INIT;
	return ends;
}

static u32 run_memory(struct machine *m, u32 pc)
{
	const struct bpf_insn *insn = &m->insns[pc];
	u32 size = bpf_size_to_bytes(insn->code);
	struct word value;

	switch (BPF_CLASS(insn->code)) {
	case BPF_LDX:
		m->regs[insn->dst_reg] =
			machine_load(m, read_reg(m, insn->src_reg), insn->off, size);
		break;
	case BPF_ST:
		value = machine_number((u64)(s64)insn->imm);
		machine_store(m, read_reg(m, insn->dst_reg), insn->off, size, value);
		break;
	default:
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			run_atomic(m, insn);
		else
			machine_store(m, read_reg(m, insn->dst_reg), insn->off, size,
				      read_reg(m, insn->src_reg));
	}
	return pc + 1;
}

/* Runs until the frame at this depth returns, or the run ends. */
static void run(struct machine *m, u32 pc, u32 until)
{
	bool exits;

	while (!m->given_up) {
		const struct bpf_insn *insn = &m->insns[pc];

		if (pc >= m->prog->len)
			machine_fail(m, "the program has no instruction %u", pc);
		if (m->prog->insns[pc].code == (BPF_JMP | BPF_JA) && m->prog->insns[pc].off == -1 &&
		    insn->code != (BPF_JMP | BPF_JA))
			machine_fail(m, "instruction %u counts as dead", pc);
		if (++m->steps > m->prog->verified_insns && !m->callbacks)
			machine_fail(m, "more steps than the verifier has walked: %u",
				     m->prog->verified_insns);
		if (m->steps > MACHINE_STEPS) {
			m->given_up = true;
			return;
		}
		m->observe(m, pc);
		exits = insn->code == (BPF_JMP | BPF_EXIT);
		switch (BPF_CLASS(insn->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			run_alu(m, insn);
			pc++;
			break;
		case BPF_LD:
			if (bpf_insn_is_ld_imm64(insn)) {
				load_imm64(m, pc);
				pc += 2;
			} else {
				exits = run_packet(m, pc);
				pc++;
			}
			break;
		case BPF_LDX:
		case BPF_ST:
		case BPF_STX:
			pc = run_memory(m, pc);
			break;
		default:
			if (insn->code == (BPF_JMP | BPF_CALL))
				pc = run_call(m, pc);
			else if (!exits)
				pc = run_jump(m, pc);
		}
		if (!exits)
			continue;
		read_reg(m, BPF_REG_0);
		if (m->depth == until)
			return;
		pc = (u32)m->frames[m->depth].callsite + 1;
		pop_frame(m);
	}
}

struct word machine_callback(struct machine *m, u32 callsite, struct word func,
			     const struct word *args)
{
	struct word result = machine_number(0);
	u32 start;

	if (func.region < 0 || m->regions[func.region].kind != REGION_FUNC)
		machine_fail(m, "the callback is no function");
	start = m->regions[func.region].number;
	m->callbacks++;
	push_frame(m, (s32)callsite, start);
	memcpy(&m->regs[BPF_REG_1], args, 5 * sizeof(*args));
	run(m, start, m->depth);
	if (m->given_up)
		return result;
	result = m->regs[BPF_REG_0];
	pop_frame(m);
	if (result.bits > 1)
		machine_fail(m, "a callback returned %#llx", (unsigned long long)result.bits);
	return result;
}

static void make_world(struct machine *m)
{
	int fd, i;

	for (fd = WORLD_ARRAY; fd < WORLD_MAPS_END; fd++) {
		const struct bpf_map *map = world_map(fd);

		m->maps[fd - WORLD_ARRAY] = machine_region(m, REGION_MAP, 0);
		m->regions[m->maps[fd - WORLD_ARRAY]].map = map;
		for (i = 0; i < 4; i++) {
			s32 value = machine_region(m, REGION_VALUE, map->value_size);

			m->regions[value].map = map;
			m->values[fd - WORLD_ARRAY][i] = value;
			if (fd == WORLD_RDONLY)
				memcpy(m->regions[value].bytes, world_rdonly_value,
				       sizeof(world_rdonly_value));
		}
	}
	m->ctx = machine_region(m, REGION_CTX, m->prog->ops->ctx_size);
}

void machine_run(struct machine *m, u64 seed)
{
	u32 i;

	m->random = seed | 1;
	m->nr_regions = 0;
	m->steps = m->references = m->callbacks = 0;
	m->given_up = false;
	make_world(m);
	for (i = 0; i < MAX_BPF_REG; i++)
		m->regs[i].region = WORD_NOT_INIT;
	m->depth = (u32)-1;
	m->frames[0].stack = 0;
	push_frame(m, -1, 0);
	m->regs[BPF_REG_1] = (struct word){ m->regions[m->ctx].base, m->ctx };
	run(m, 0, 0);
	if (!m->given_up && m->references)
		machine_fail(m, "%u references are left", m->references);
	machine_free(m);
}
