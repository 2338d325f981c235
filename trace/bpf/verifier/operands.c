/*
 * The operands of instructions: which registers each of them reads and writes. What is read must
 * have been written before; R10 is never written.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

#define BIT_OF(regno) (u16)(1U << (regno))
#define CALLER_SAVED  (BIT_OF(0) | BIT_OF(1) | BIT_OF(2) | BIT_OF(3) | BIT_OF(4) | BIT_OF(5))
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

int check_reg_read(struct bpf_verifier_env *env, u32 regno)
{
	if (cur_regs(env)[regno].type == NOT_INIT)
		return refuse(env, -EACCES, "R%u !read_ok\n", regno);
	return 0;
}

int check_operands(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	/* The last two are read by CMPXCHG, and by loads from a packet. */
	u32 regs[] = { insn->src_reg, insn->dst_reg, BPF_REG_0, BPF_REG_6 };
	u16 use, def;
	int err = 0;

	bpf_insn_regs(env, env->insn_idx, &use, &def);
	for (u32 i = 0; i < ARRAY_SIZE(regs) && !err; i++)
		if (use & BIT_OF(regs[i]))
			err = check_reg_read(env, regs[i]);
	if (!err && def & BIT_OF(BPF_REG_FP))
		return refuse(env, -EACCES, "frame pointer is read only\n");
	return err;
}
