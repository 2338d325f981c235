/*
 * Calls of helpers that the JIT makes without a call: lookups in arrays that the program names just
 * before, as the code of bpftrace and clang does, and the number of the CPU.
 */
#include "arch/bpf/jit_internal.h"

#include "arch/cpu/percpu.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/maps/array.h"

/* ---- the map in R1 ---- */

void jit_mark_targets(const struct bpf_prog *prog, u8 *flags)
{
	for (u32 i = 0; i < prog->len; i++) {
		const struct bpf_insn *insn = &prog->insns[i];

		if (bpf_insn_is_ld_imm64(insn))
			i++;
		else if (bpf_insn_is_jump(insn) && BPF_OP(insn->code) != BPF_TAIL_CALL)
			flags[bpf_jump_target(insn, i)] |= JIT_TARGET;
	}
}

static bool changes_r1(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
	case BPF_LDX:
		return insn->dst_reg == BPF_REG_1;
	case BPF_ST:
		return false;
	case BPF_STX:
		return BPF_MODE(insn->code) == BPF_ATOMIC && insn->src_reg == BPF_REG_1;
	case BPF_LD:
		return insn->dst_reg == BPF_REG_1 || !bpf_insn_is_ld_imm64(insn);
	default:
		return BPF_OP(insn->code) == BPF_CALL || BPF_OP(insn->code) == BPF_TAIL_CALL;
	}
}

void jit_follow_map(struct jit_pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->prog->insns[i];

	if (changes_r1(insn))
		p->map = NULL;
	if (bpf_insn_is_ld_imm64(insn) && insn->dst_reg == BPF_REG_1 &&
	    insn->src_reg == BPF_PSEUDO_MAP_FD)
		p->map = (const struct bpf_map *)((u32)insn->imm | (u64)(u32)insn[1].imm << 32);
}

/* ---- lookups in arrays ---- */

static bool fits_s32(u64 value)
{
	return value <= 0x7fffffff;
}

/* R0: values + index * elem_size, or 0. Of a per-CPU array, + cpu * stride. */
static bool inline_array_lookup(struct emitter *e, const struct bpf_map *map, bool percpu)
{
	const struct bpf_array *array = to_array(map);
	u32 outside;

	if (!fits_s32(map->max_entries) || !fits_s32(array->elem_size) ||
	    (percpu && !fits_s32(array->stride)))
		return false;
	emit_rm(e, 0, 0x8b, R10, jit_reg[BPF_REG_2], 0);
	emit_mov_imm(e, RAX, 0);
	emit_alu_imm(e, 0, X86_CMP, R10, (s32)map->max_entries);
	outside = emit_skip(e, CC_AE);
	emit_rr(e, X86_W, 0x69, R10, R10); /* imul */
	emit_bytes(e, array->elem_size, 4);
	if (percpu) {
		emit_rabs(e, X86_GS, 0x8b, R11, (s32)(unsigned long)&cpu_number);
		emit_rr(e, X86_W, 0x69, R11, R11);
		emit_bytes(e, array->stride, 4);
		emit_rr(e, X86_W, 0x01, R11, R10);
	}
	emit_mov_imm(e, RAX, (u64)array->values);
	emit_rr(e, X86_W, 0x01, R10, RAX);
	emit_skip_end(e, outside);
	return true;
}

/* ---- calls ---- */

static bool inline_call(struct jit_pass *p, unsigned long helper)
{
	if (helper == (unsigned long)bpf_get_smp_processor_id) {
		emit_rabs(&p->e, X86_GS, 0x8b, RAX, (s32)(unsigned long)&cpu_number);
		return true;
	}
	if (!p->map || helper != (unsigned long)p->map->ops->lookup)
		return false;
	if (p->map->map_type == BPF_MAP_TYPE_ARRAY)
		return inline_array_lookup(&p->e, p->map, false);
	if (p->map->map_type == BPF_MAP_TYPE_PERCPU_ARRAY)
		return inline_array_lookup(&p->e, p->map, true);
	return false;
}

void jit_helper_call(struct jit_pass *p, unsigned long helper)
{
	if (!inline_call(p, helper))
		emit_call(&p->e, helper);
}
