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
		if (src->type == SCALAR_VALUE && !src->id && !scalar_is_const(&src->s))
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
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg], constant, src;
	u8 op = BPF_OP(insn->code);

	if (BPF_SRC(insn->code) == BPF_K) {
		mark_reg_known(&constant, (u64)(s64)insn->imm);
		src = constant;
	} else {
		src = cur_regs(env)[insn->src_reg];
	}
	if (dst->type == SCALAR_VALUE && src.type == SCALAR_VALUE)
		return scalar_op(env, insn, dst, &src);
	if (dst->type != SCALAR_VALUE && src.type != SCALAR_VALUE) {
		/* The distance of two pointers is any number. */
		if (op == BPF_SUB) {
			mark_reg_unknown(dst);
			return 0;
		}
		return refuse(env, -EACCES, "R%d pointer %s pointer prohibited\n", insn->dst_reg,
			      bpf_alu_operator(op));
	}
	if (dst->type == SCALAR_VALUE) {
		constant = *dst;
		mark_precise(&constant);
		return adjust_ptr_min_max_vals(env, insn, &src, &constant);
	}
	constant = *dst;
	/* LAB 18, unmarked, 4 of 6: an offset matters */
	mark_precise(&src);
	/* END LAB 18 */
	return adjust_ptr_min_max_vals(env, insn, &constant, &src);
}

static int check_alu(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg];

	switch (BPF_OP(insn->code)) {
	case BPF_MOV:
		return check_mov(env, insn);
	case BPF_NEG:
		mark_reg_unknown(dst);
		if (BPF_CLASS(insn->code) == BPF_ALU)
			scalar_truncate(&dst->s, 4);
		return 0;
	case BPF_END:
		mark_reg_unknown(dst);
		if (insn->imm < 64)
			scalar_truncate(&dst->s, (u8)(insn->imm / 8));
		return 0;
	default:
		return check_binary_op(env, insn);
	}
}

/* ---- memory ---- */

/* Whether the instruction is rewritten in a way that depends on the kind of the pointer. */
static bool is_special_pointer(u32 type)
{
	u32 base = type & BPF_REG_TYPE_BASE;

	return base == PTR_TO_CTX || base == PTR_TO_BTF_ID || base == CONST_PTR_TO_MAP;
}

/* All ways to an instruction must agree on the kind of its pointer. */
static int note_pointer_type(struct bpf_verifier_env *env, u32 type)
{
	u32 *noted = &env->aux[env->insn_idx].mem_type;

	type &= ~(u32)PTR_UNTRUSTED; /* loads by both are the same */
	if (*noted == NOT_INIT) {
		*noted = type;
	} else if (*noted != type && (is_special_pointer(*noted) || is_special_pointer(type)))
		return refuse(env, -EINVAL, "same insn cannot be used with different pointers\n");
	return 0;
}

static int check_ldx(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_access access = bpf_access_of(insn, insn->src_reg);
	u32 type = cur_regs(env)[insn->src_reg].type;

	access.dst = &cur_regs(env)[insn->dst_reg];
	return check_mem_access(env, access) ?: note_pointer_type(env, type);
}

static int check_store(struct bpf_verifier_env *env, const struct bpf_insn *insn,
		       const struct bpf_reg_state *value)
{
	struct bpf_access access = bpf_access_of(insn, insn->dst_reg);

	access.write = true;
	access.value = value;
	return check_mem_access(env, access);
}

static int check_stx(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	if (BPF_MODE(insn->code) == BPF_ATOMIC)
		return check_atomic(env, insn);
	return check_store(env, insn, &cur_regs(env)[insn->src_reg])
		       ?: note_pointer_type(env, cur_regs(env)[insn->dst_reg].type);
}

static int check_st(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	const struct bpf_reg_state *ptr = &cur_regs(env)[insn->dst_reg];
	struct bpf_reg_state constant;

	if (reg_base(ptr) == PTR_TO_CTX)
		return refuse(env, -EACCES, "BPF_ST stores into R%d %s is not allowed\n",
			      insn->dst_reg, bpf_reg_type_str(ptr->type));
	mark_reg_known(&constant, (u64)(s64)insn->imm);
	return check_store(env, insn, &constant);
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
	mark_reg_known(dst, insn->src_reg ? 0 : bpf_imm64(insn));
	switch (insn->src_reg) {
	case BPF_PSEUDO_BTF_ID:
		dst->type = aux->btf_reg_type;
		if (reg_base(dst) == PTR_TO_BTF_ID)
			dst->btf_id = aux->btf_id;
		else
			dst->mem_size = aux->btf_mem_size;
		break;
	case BPF_PSEUDO_MAP_FD:
	case BPF_PSEUDO_MAP_IDX:
		dst->type = CONST_PTR_TO_MAP;
		dst->map_ptr = aux->map;
		break;
	case BPF_PSEUDO_MAP_VALUE:
	case BPF_PSEUDO_MAP_IDX_VALUE:
		dst->type = PTR_TO_MAP_VALUE;
		dst->map_ptr = aux->map;
		dst->off = (s32)aux->map_off;
		break;
	}
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
	err = check_reference_leak(env);
	if (err) {
		verbose(env, "BPF_LD_[ABS|IND] cannot be mixed with socket references\n");
		return err;
	}
	if (regs[BPF_REG_6].type != PTR_TO_CTX)
		return refuse(env, -EINVAL, "at the time of BPF_LD_ABS|IND R6 != pointer to skb\n");
	if (regs[BPF_REG_6].off || !scalar_is_zero(&regs[BPF_REG_6].s))
		return refuse(env, -EACCES,
			      "dereference of modified ctx ptr R6 off=%d disallowed\n",
			      regs[BPF_REG_6].off);
	clear_caller_saved_regs(env);
	mark_reg_unknown(&regs[BPF_REG_0]);
	return 0;
}

int check_step(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	int err = check_operands(env, insn);

	if (err)
		return err;
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return check_alu(env, insn);
	case BPF_LDX:
		return check_ldx(env, insn);
	case BPF_STX:
		return check_stx(env, insn);
	case BPF_ST:
		return check_st(env, insn);
	default: /* BPF_LD */
		if (BPF_MODE(insn->code) == BPF_IMM)
			return check_ld_imm(env, insn);
		return check_ld_abs(env);
	}
}
