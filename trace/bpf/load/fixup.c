/*
 * What the walk has found out goes into the program: addresses instead of numbers of helpers and
 * descriptors of maps, loads that may fault, stack of callers (trace/bpf/core/prog.h). The program
 * keeps its length, so nothing else has to move.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/verifier/verifier.h"

static u64 call_target(const struct bpf_func_proto *proto, u32 func_id, const struct bpf_map *map)
{
	const struct bpf_map_ops *ops = map ? map->ops : NULL;
	u64 operation = 0;

	switch (func_id) {
	case BPF_FUNC_map_lookup_elem:
		operation = (u64)ops->lookup;
		break;
	case BPF_FUNC_map_update_elem:
		operation = (u64)ops->update;
		break;
	case BPF_FUNC_map_delete_elem:
		operation = (u64)ops->delete;
		break;
	case BPF_FUNC_map_lookup_percpu_elem:
		operation = (u64)ops->lookup_percpu;
		break;
	default:
		break;
	}
	return operation ?: (u64)proto->func;
}

void bpf_note_call_target(struct bpf_verifier_env *env, u32 insn_idx, const struct bpf_map *map)
{
	struct bpf_insn_aux_data *aux = &env->aux[insn_idx];
	u64 target = call_target(aux->proto, (u32)env->insns[insn_idx].imm, map);

	aux->address = !aux->address || aux->address == target ? target : (u64)aux->proto->func;
}

static void fix_ld_imm64(struct bpf_verifier_env *env, u32 i)
{
	struct bpf_insn *insn = &env->insns[i];
	u64 address = env->aux[i].address;

	switch (insn->src_reg) {
	case 0:
		return;
	case BPF_PSEUDO_FUNC:
		address = (u64)(insn + insn->imm + 1);
		break;
	case BPF_PSEUDO_MAP_IDX:
		insn->src_reg = BPF_PSEUDO_MAP_FD;
		break;
	case BPF_PSEUDO_MAP_IDX_VALUE:
		insn->src_reg = BPF_PSEUDO_MAP_VALUE;
		break;
	default:
		break;
	}
	insn[0].imm = (s32)address;
	insn[1].imm = (s32)(address >> 32);
}

static int fix_helper_call(struct bpf_verifier_env *env, u32 i)
{
	struct bpf_insn *insn = &env->insns[i];
	const struct bpf_func_proto *proto = env->aux[i].proto;
	s64 distance = (s64)(env->aux[i].address - (u64)__bpf_call_base);

	if (proto->prepare)
		proto->prepare();
	if (insn->imm == BPF_FUNC_tail_call) {
		insn->code = BPF_JMP | BPF_TAIL_CALL;
		insn->imm = 0;
		return 0;
	}
	if (insn->imm == BPF_FUNC_get_stackid || insn->imm == BPF_FUNC_get_stack)
		env->prog->has_callchain_buf = true;
	if (distance != (s32)distance) /* the kernel's text is not as large */
		return -EFAULT;
	insn->imm = (s32)distance;
	return 0;
}

static bool is_load(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LDX | BPF_MEM | BPF_SIZE(insn->code));
}

/* Whether the load reads a structure of the kernel: its address may be any number. */
static bool may_fault(u32 mem_type)
{
	u32 base = mem_type & BPF_REG_TYPE_BASE;

	return base == PTR_TO_BTF_ID || base == CONST_PTR_TO_MAP;
}

static int fix_insn(struct bpf_verifier_env *env, u32 i, u16 stack_depth)
{
	struct bpf_insn *insn = &env->insns[i];

	if (!env->aux[i].seen) {
		*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = -1 };
		return 0;
	}
	if (bpf_insn_is_helper_call(insn))
		return fix_helper_call(env, i);
	if (bpf_insn_is_pseudo_call(insn))
		insn->off = (s16)stack_depth;
	else if (bpf_insn_is_ld_imm64(insn))
		fix_ld_imm64(env, i);
	else if (is_load(insn) && may_fault(env->aux[i].mem_type))
		insn->code = BPF_LDX | BPF_PROBE_MEM | BPF_SIZE(insn->code);
	else if (env->aux[i].loads_pointer)
		insn->code = BPF_LDX | BPF_MEM | BPF_DW;
	return 0;
}

static int fix_subprogs(struct bpf_verifier_env *env)
{
	struct bpf_prog *prog = env->prog;

	prog->subprogs = kcalloc(env->nr_subprogs, sizeof(*prog->subprogs), GFP_KERNEL);
	if (!prog->subprogs)
		return -ENOMEM;
	prog->nr_subprogs = env->nr_subprogs;
	for (u32 i = 0; i < env->nr_subprogs; i++) {
		const struct bpf_subprog_info *info = &env->subprogs[i];

		prog->subprogs[i] = (struct bpf_subprog){
			.start = info->start,
			.stack_depth = (u16)ALIGN(info->stack_depth, BPF_REG_SIZE),
			.is_callback = info->is_callback,
			.has_tail_call = info->has_tail_call,
			.is_global = info->is_global,
		};
		prog->uses_tail_call |= info->has_tail_call;
	}
	return 0;
}

int bpf_fixup(struct bpf_verifier_env *env)
{
	u32 subprog = 0;
	int err = fix_subprogs(env);

	for (u32 i = 0; !err && i < env->prog->len; i++) {
		bool wide = bpf_insn_is_ld_imm64(&env->insns[i]) && env->aux[i].seen;

		if (subprog + 1 < env->nr_subprogs && env->subprogs[subprog + 1].start == i)
			subprog++;
		err = fix_insn(env, i, env->prog->subprogs[subprog].stack_depth);
		if (wide) /* its second half is no instruction */
			i++;
	}
	return err;
}
