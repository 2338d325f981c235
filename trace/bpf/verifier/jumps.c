/*
 * Conditional jumps: which ways a run may take, and what is known on each.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

/* Of a pointer that may be compared with 0 and is not NULL. */
static bool is_never_null(const struct bpf_reg_state *reg)
{
	return reg->type == PTR_TO_MAP_VALUE || reg->type == PTR_TO_MAP_KEY;
}

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
		     (!dst->s.umax && (op == BPF_JGT || op == BPF_JLE))))
			return -1;
		return scalar_is_branch_taken(&dst->s, &src->s, op, is_32);
	}
	if (dst->type != SCALAR_VALUE && compares_with_zero(insn) && is_never_null(dst))
		return BPF_OP(insn->code) == BPF_JNE;
	return -1;
}

/* ---- what the comparison of two numbers tells ---- */

struct equal_scalars {
	struct bpf_verifier_env *env;
	struct bpf_reg_state known;
	int err;
};

/*
 * A register with the same number. That it is the same matters, too, if one of them does: so its
 * own origin stays with it.
 */
static void learn_equal(struct bpf_reg_state *reg, void *data)
{
	struct equal_scalars *equal = data;

	if (reg->type != SCALAR_VALUE || reg->id != equal->known.id || equal->err)
		return;
	reg->s = equal->known.s;
	equal->err = merge_origin(equal->env, reg, &equal->known);
}

static int learn_in_state(struct bpf_verifier_env *env, struct bpf_verifier_state *state, u32 regno,
			  const struct bpf_scalar *known, const struct bpf_reg_state *origin)
{
	struct bpf_reg_state *reg = &state->frame[state->curframe]->regs[regno];
	struct equal_scalars equal = { .env = env };

	reg->s = *known;
	reg->origin = origin->origin;
	if (!reg->id)
		return 0;
	equal.known = *reg;
	bpf_for_each_reg(state, learn_equal, &equal);
	return equal.err;
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

struct null_check {
	u32 id;
	bool is_null;
};

static void learn_null(struct bpf_reg_state *reg, void *data)
{
	const struct null_check *check = data;
	struct bpf_map *map = reg->map_ptr;

	if (!(reg->type & PTR_MAYBE_NULL) || reg->id != check->id)
		return;
	if (check->is_null) {
		mark_reg_known(reg, 0);
		return;
	}
	reg->type &= ~(u32)PTR_MAYBE_NULL;
	/* The element of a map of maps is a map. */
	if (reg->type == PTR_TO_MAP_VALUE && map->inner_map_meta) {
		reg->type = CONST_PTR_TO_MAP;
		reg->map_ptr = map->inner_map_meta;
		reg->map_uid = reg->id;
	}
	reg->id = 0;
}

void mark_ptr_or_null_regs(struct bpf_verifier_state *state, u32 id, u32 ref_obj_id, bool is_null)
{
	struct null_check check = { id, is_null };

	if (is_null && ref_obj_id && ref_obj_id == id) /* there is nothing to be given up */
		drop_reference(state, id);
	bpf_for_each_reg(state, learn_null, &check);
}

int check_cond_jmp_op(struct bpf_verifier_env *env, const struct bpf_insn *insn, u32 *insn_idx)
{
	struct bpf_reg_state *regs = cur_regs(env), dst, src;
	struct bpf_verifier_state *other;
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
		*insn_idx = way ? bpf_jump_target(insn, *insn_idx) : *insn_idx + 1;
		return 0;
	}
	other = bpf_push_state(env, bpf_jump_target(insn, *insn_idx), *insn_idx);
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
	++*insn_idx;
	return err;
}
