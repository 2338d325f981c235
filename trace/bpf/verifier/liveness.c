/*
 * Which registers matter: those that some way from an instruction on reads before it writes them.
 * The others need not be alike in states that are compared. This is a property of the program
 * alone, computed backwards: a register is live before an instruction if the instruction reads it,
 * or if it is live before one of the next instructions and this one does not write it.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

#define BIT_OF(regno) (u16)(1U << (regno))
#define CALLER_SAVED  (BIT_OF(0) | BIT_OF(1) | BIT_OF(2) | BIT_OF(3) | BIT_OF(4) | BIT_OF(5))
#define ALL_REGS      (u16)((1U << MAX_BPF_REG) - 1)
#define ARGUMENTS     (CALLER_SAVED & ~BIT_OF(0))

/* The registers of the arguments that a helper or function takes. All, if that is not known. */
static u16 argument_regs(struct bpf_verifier_env *env, u32 insn_idx)
{
	const struct bpf_insn *insn = &env->insns[insn_idx];
	const struct bpf_func_proto *proto = NULL;
	u16 regs = 0;

	if (bpf_insn_is_helper_call(insn))
		proto = env->ops->get_func_proto((u32)insn->imm, env->prog);
	if (!proto)
		return ARGUMENTS;
	for (u32 i = 0; i < MAX_BPF_FUNC_REG_ARGS; i++)
		if (proto->arg_type[i] != ARG_DONTCARE)
			regs |= BIT_OF(BPF_REG_1 + i);
	return regs;
}

static void jmp_regs(struct bpf_verifier_env *env, u32 insn_idx, u16 *use, u16 *def)
{
	const struct bpf_insn *insn = &env->insns[insn_idx];

	switch (BPF_OP(insn->code)) {
	case BPF_JA:
		break;
	case BPF_EXIT:
		*use = BIT_OF(0);
		break;
	case BPF_CALL:
		*use = argument_regs(env, insn_idx);
		*def = CALLER_SAVED;
		break;
	default:
		*use = BIT_OF(insn->dst_reg);
		if (BPF_SRC(insn->code) == BPF_X)
			*use |= BIT_OF(insn->src_reg);
	}
}

void bpf_insn_regs(struct bpf_verifier_env *env, u32 insn_idx, u16 *use, u16 *def)
{
	const struct bpf_insn *insn = &env->insns[insn_idx];
	u16 dst = BIT_OF(insn->dst_reg), src = BIT_OF(insn->src_reg);

	*use = *def = 0;
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		*def = dst;
		if (BPF_OP(insn->code) != BPF_MOV)
			*use |= dst;
		if (BPF_OP(insn->code) != BPF_END && BPF_SRC(insn->code) == BPF_X)
			*use |= src;
		break;
	case BPF_LD:
		if (BPF_MODE(insn->code) == BPF_IMM) {
			*def = dst;
			break;
		}
		*use = BIT_OF(6) | (BPF_MODE(insn->code) == BPF_IND ? src : 0);
		*def = CALLER_SAVED;
		break;
	case BPF_LDX:
		*use = src;
		*def = dst;
		break;
	case BPF_ST:
		*use = dst;
		break;
	case BPF_STX:
		*use = dst | src;
		if (BPF_MODE(insn->code) != BPF_ATOMIC)
			break;
		if (insn->imm == BPF_CMPXCHG) {
			*use |= BIT_OF(0);
			*def = BIT_OF(0);
		} else if (insn->imm & BPF_FETCH) {
			*def = src;
		}
		break;
	default:
		jmp_regs(env, insn_idx, use, def);
	}
}

/* The registers that are live after an instruction: before one of the next. */
static u16 live_after(const struct bpf_verifier_env *env, u32 insn_idx)
{
	const struct bpf_insn *insn = &env->insns[insn_idx];
	u32 next = insn_idx + 1;
	u16 live = 0;

	if (bpf_insn_is_jump(insn))
		live = env->aux[bpf_jump_target(insn, insn_idx)].live_regs;
	if (BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32)
		if (BPF_OP(insn->code) == BPF_EXIT || BPF_OP(insn->code) == BPF_JA)
			return live;
	if (bpf_insn_is_ld_imm64(insn))
		next++;
	return live | env->aux[next].live_regs;
}

/*
 * Each round brings what is live one loop further up. A program with more loops inside each other
 * than that has been made to take time: all of its registers are taken to be live, which is safe.
 */
#define MAX_ROUNDS 100

void bpf_compute_liveness(struct bpf_verifier_env *env)
{
	bool changed = true;

	for (u32 round = 0; changed; round++) {
		changed = false;
		for (u32 i = env->prog->len; i-- > 0;) {
			u16 use, def, live;

			if (!env->insns[i].code) /* the second half of a constant */
				continue;
			bpf_insn_regs(env, i, &use, &def);
			live = use | (live_after(env, i) & ~def);
			if (round >= MAX_ROUNDS)
				live = ALL_REGS;
			if (live == env->aux[i].live_regs)
				continue;
			env->aux[i].live_regs = live;
			changed = true;
		}
	}
}
