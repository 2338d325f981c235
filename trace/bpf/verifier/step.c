/*
 * One step of the walk: an instruction that is no jump. Checks that it may be done with what the
 * registers contain, and notes what they contain afterwards.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

/* ---- arithmetic ---- */

static int check_mov(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg];
	struct bpf_reg_state *src = &cur_regs(env)[insn->src_reg];
	bool is_64 = BPF_CLASS(insn->code) == BPF_ALU64;

	if (BPF_SRC(insn->code) == BPF_K) {
		/*
		 * LAB 18, unmarked, 5 of 6: the upper half. Starts as:
		 *	mark_reg_known(dst, (u64)(s64)insn->imm);
		 */
		mark_reg_known(dst, is_64 ? (u64)(s64)insn->imm : (u32)insn->imm);
		/* END LAB 18 */
		return 0;
	}
	if (is_64) {
		/* What a jump tells of one of them holds for both. */
		if (src->type == SCALAR_VALUE && !src->id && !tnum_is_const(src->s.var_off))
			src->id = ++env->id_gen;
		*dst = *src;
		return 0;
	}
	if (src->type == SCALAR_VALUE) {
		*dst = *src;
		dst->id = 0;
	} else { /* half of a pointer is any number */
		mark_reg_unknown(dst);
	}
	scalar_truncate(&dst->s, 4);
	return 0;
}

/* Both are numbers. */
static int scalar_op(struct bpf_verifier_env *env, const struct bpf_insn *insn,
		     struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
	dst->id = 0;
	scalar_alu(&dst->s, &src->s, BPF_OP(insn->code), BPF_CLASS(insn->code) == BPF_ALU64);
	if (scalar_is_unknown(&dst->s)) {
		dst->origin = NULL;
		return 0;
	}
	return merge_origin(env, dst, src);
}

static int check_binary_op(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg], src;
	u8 op = BPF_OP(insn->code);

	if (BPF_SRC(insn->code) == BPF_K)
		mark_reg_known(&src, (u64)(s64)insn->imm);
	else
		src = cur_regs(env)[insn->src_reg];
	if (dst->type == SCALAR_VALUE && src.type == SCALAR_VALUE)
		return scalar_op(env, insn, dst, &src);
	if (dst->type == SCALAR_VALUE) {
		mark_precise(dst);
		return adjust_ptr_min_max_vals(env, insn, &src, dst);
	}
	if (src.type == SCALAR_VALUE) {
		/* LAB 18, unmarked, 4 of 6: an offset matters */
		mark_precise(&src);
		/* END LAB 18 */
		return adjust_ptr_min_max_vals(env, insn, dst, &src);
	}
	if (op != BPF_SUB)
		return refuse(env, -EACCES, "R%d pointer %s pointer prohibited\n", insn->dst_reg,
			      bpf_alu_operator(op));
	mark_reg_unknown(dst); /* the distance of two pointers is any number */
	return 0;
}

static int check_alu(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg];
	u8 bytes = BPF_CLASS(insn->code) == BPF_ALU ? 4 : 8;

	switch (BPF_OP(insn->code)) {
	case BPF_MOV:
		return check_mov(env, insn);
	case BPF_END:
		bytes = (u8)(insn->imm / 8);
		break;
	case BPF_NEG:
		break;
	default:
		return check_binary_op(env, insn);
	}
	mark_reg_unknown(dst);
	if (bytes < 8)
		scalar_truncate(&dst->s, bytes);
	return 0;
}

/* ---- memory ---- */

static int check_memory(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	bool load = BPF_CLASS(insn->code) == BPF_LDX, constant = BPF_CLASS(insn->code) == BPF_ST;
	struct bpf_access access = {
		.regno = load ? insn->src_reg : insn->dst_reg,
		.off = insn->off,
		.size = (int)bpf_size_to_bytes(insn->code),
	};
	const struct bpf_reg_state *ptr = &cur_regs(env)[access.regno];
	struct bpf_reg_state value;

	if (bpf_insn_is_atomic(insn))
		return check_atomic(env, insn, access);
	if (constant && reg_base(ptr) == PTR_TO_CTX)
		return refuse(env, -EACCES, "BPF_ST stores into R%d %s is not allowed\n",
			      insn->dst_reg, bpf_reg_type_str(ptr->type));
	if (constant)
		mark_reg_known(&value, (u64)(s64)insn->imm);
	access.write = !load;
	if (load)
		access.dst = &cur_regs(env)[insn->dst_reg];
	else
		access.value = constant ? &value : &cur_regs(env)[insn->src_reg];
	return check_mem_access(env, access);
}

/* ---- constants of 64 bits ---- */

static int load_callback(struct bpf_verifier_env *env, const struct bpf_insn *insn,
			 struct bpf_reg_state *dst)
{
	int subprog = bpf_find_subprog(env, env->insn_idx + 1 + (u32)insn->imm);

	if (subprog < 0)
		return -EFAULT;
	if (!env->prog->nr_func_info)
		return refuse(env, -EINVAL, "missing btf func_info\n");
	if (env->subprogs[subprog].is_global)
		return refuse(env, -EINVAL, "callback function not static\n");
	if (!subprog)
		return refuse(env, -EINVAL, "callback function cannot be the main program\n");
	env->subprogs[subprog].is_callback = true;
	mark_reg_pointer(dst, PTR_TO_FUNC);
	dst->subprogno = (u32)subprog;
	return 0;
}

static int check_ld_imm(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	const struct bpf_insn_aux_data *aux = &env->aux[env->insn_idx];
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg];

	if (insn->src_reg == BPF_PSEUDO_FUNC)
		return load_callback(env, insn, dst);
	if (!insn->src_reg) {
		mark_reg_known(dst, bpf_imm64(insn));
		return 0;
	}
	mark_reg_pointer(dst, aux->reg_type);
	dst->off = (s32)aux->map_off;
	dst->map_ptr = aux->map; /* or mem_size, btf_id */
	return 0;
}

/* ---- packets of classic BPF ---- */

/*
 * R0 = bytes of the packet, whose context is in R6. It is a call of a helper in disguise; and it
 * ends the function, with R0 = 0, if the packet is too short.
 */
static int check_ld_abs(struct bpf_verifier_env *env)
{
	struct bpf_reg_state *regs = cur_regs(env);
	int err;

	if (env->prog->type != BPF_PROG_TYPE_SOCKET_FILTER)
		return refuse(env, -EINVAL,
			      "BPF_LD_[ABS|IND] instructions not allowed for this program type\n");
	err = check_reference_leak(env, false);
	if (err)
		return refuse(env, err,
			      "BPF_LD_[ABS|IND] cannot be mixed with socket references\n");
	if (regs[BPF_REG_6].type != PTR_TO_CTX)
		return refuse(env, -EINVAL, "at the time of BPF_LD_ABS|IND R6 != pointer to skb\n");
	err = check_ptr_off_reg(env, BPF_REG_6, false);
	if (err)
		return err;
	clear_caller_saved_regs(cur_regs(env));
	mark_reg_unknown(&regs[BPF_REG_0]);
	return end_function_here(env, true);
}

int check_step(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code);
	int err = check_operands(env, insn);

	if (err)
		return err;
	if (class == BPF_ALU || class == BPF_ALU64)
		return check_alu(env, insn);
	if (bpf_insn_is_ld_imm64(insn))
		return check_ld_imm(env, insn);
	return class == BPF_LD ? check_ld_abs(env) : check_memory(env, insn);
}
