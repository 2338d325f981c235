/*
 * Conditional jumps: which ways a run may take, and what is known on each.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

static bool compares_with_zero(const struct bpf_insn *insn)
{
	u8 op = BPF_OP(insn->code);

	return BPF_CLASS(insn->code) == BPF_JMP && BPF_SRC(insn->code) == BPF_K && !insn->imm &&
	       (op == BPF_JEQ || op == BPF_JNE);
}

static bool is_known(const struct bpf_scalar *s, bool is_32)
{
	return tnum_is_const(is_32 ? tnum_cast(s->var_off, 4) : s->var_off);
}

/*
 * 1: the jump is taken; 0: it is not; -1: both may be. Only a comparison with a known number is
 * predicted: what Linux 6.1 refuses on a way that no run goes, is refused here. If the known number
 * is on the left, Linux walks on with bounds that contradict each other, and refuses less: runqlat
 * of libbpf-tools depends on it. Only of 0 > x and 0 <= x it learns nothing.
 */
static int predict(const struct bpf_insn *insn, const struct bpf_reg_state *dst,
		   const struct bpf_reg_state *src)
{
	bool is_32 = BPF_CLASS(insn->code) == BPF_JMP32;

	if (dst->type == SCALAR_VALUE && src->type == SCALAR_VALUE) {
		u8 op = BPF_OP(insn->code);

		if (!is_known(&src->s, is_32) &&
		    (!is_known(&dst->s, is_32) ||
		     (!dst->s.whole.umax && (op == BPF_JGT || op == BPF_JLE))))
			return -1;
		return scalar_is_branch_taken(&dst->s, &src->s, op, is_32);
	}
	/* These pointers are not NULL. */
	if (compares_with_zero(insn) &&
	    (dst->type == PTR_TO_MAP_VALUE || dst->type == PTR_TO_MAP_KEY))
		return BPF_OP(insn->code) == BPF_JNE;
	return -1;
}

/* ---- what the comparison of two numbers tells ---- */

/*
 * What is known of a register, and of all others with the same number. That they are the same
 * matters, too, if one of them does: so the own origin of each stays with it.
 */
static int learn_in_state(struct bpf_verifier_env *env, struct bpf_verifier_state *state, u32 regno,
			  const struct bpf_scalar *known, const struct bpf_reg_state *origin)
{
	struct bpf_reg_state *learnt = &state->frame[state->curframe]->regs[regno];
	int err = 0;

	learnt->s = *known;
	learnt->origin = origin->origin;
	bpf_for_each_reg (reg, state) {
		if (reg->type != SCALAR_VALUE || reg->id != learnt->id || !reg->id)
			continue;
		reg->s = *known;
		err = err ?: merge_origin(env, reg, origin);
	}
	return err;
}

/* The way on which the comparison was `taken`. */
static int learn(struct bpf_verifier_env *env, struct bpf_verifier_state *state,
		 const struct bpf_insn *insn, const struct bpf_reg_state *dst,
		 const struct bpf_reg_state *src, bool taken)
{
	struct bpf_reg_state a = *dst, b = *src;
	int err;

	scalar_branch(&a.s, &b.s, BPF_OP(insn->code), BPF_CLASS(insn->code) == BPF_JMP32, taken);
	/* No run goes this way. It is walked with what is known without the comparison. */
	if (scalar_is_empty(&a.s) || scalar_is_empty(&b.s))
		return 0;
	/* Each has learned from the other one. */
	err = merge_origin(env, &a, &b);
	b.origin = a.origin;
	err = err ?: learn_in_state(env, state, insn->dst_reg, &a.s, &a);
	if (!err && BPF_SRC(insn->code) == BPF_X && insn->src_reg != insn->dst_reg)
		err = learn_in_state(env, state, insn->src_reg, &b.s, &b);
	return err;
}

/* ---- what the comparison of a pointer with NULL tells ---- */

void learn_null(struct bpf_reg_state *reg, bool is_null)
{
	struct bpf_map *map = reg->map_ptr;

	if (is_null) {
		mark_reg_known(reg, 0);
		return;
	}
	reg->type &= ~(u32)PTR_MAYBE_NULL;
	/* The element of a map of maps is a map. */
	if (reg->type == PTR_TO_MAP_VALUE && map->inner_map_meta) {
		reg->type = CONST_PTR_TO_MAP;
		reg->map_ptr = map->inner_map_meta;
	}
	reg->id = 0;
}

static void mark_ptr_or_null_regs(struct bpf_verifier_state *state, u32 id, u32 ref_obj_id,
				  bool is_null)
{
	if (is_null && ref_obj_id && ref_obj_id == id) /* there is nothing to be given up */
		drop_reference(state, id);
	bpf_for_each_reg (reg, state)
		if (reg->type & PTR_MAYBE_NULL && reg->id == id)
			learn_null(reg, is_null);
}

int check_cond_jmp_op(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_reg_state *regs = cur_regs(env), dst, src;
	struct bpf_verifier_state *other;
	u32 target = bpf_jump_target(insn, env->insn_idx);
	int way, err = check_operands(env, insn);

	if (err)
		return err;
	dst = regs[insn->dst_reg];
	if (BPF_SRC(insn->code) == BPF_X)
		src = regs[insn->src_reg];
	else
		mark_reg_known(&src, (u64)(s64)insn->imm);
	way = predict(insn, &dst, &src);
	if (way >= 0) {
		mark_precise(&dst);
		mark_precise(&src);
		env->insn_idx = way ? target : env->insn_idx + 1;
		return 0;
	}
	other = bpf_push_state(env, target);
	if (!other)
		return env->push_error;
	if (dst.type == SCALAR_VALUE && src.type == SCALAR_VALUE) {
		err = learn(env, env->cur, insn, &dst, &src, false);
		err = err ?: learn(env, other, insn, &dst, &src, true);
	} else if (compares_with_zero(insn) && dst.type & PTR_MAYBE_NULL) {
		bool taken_is_null = BPF_OP(insn->code) == BPF_JEQ;

		mark_ptr_or_null_regs(env->cur, dst.id, dst.ref_obj_id, !taken_is_null);
		mark_ptr_or_null_regs(other, dst.id, dst.ref_obj_id, taken_is_null);
	}
	env->insn_idx++;
	return err;
}
