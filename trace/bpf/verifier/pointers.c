/*
 * Arithmetic on pointers. A pointer moves by a number, and stays a pointer to the same thing: the
 * constant part goes to off, the rest to s. Whether it still points into the thing is asked when
 * it is used. All other arithmetic is refused, or makes a number of which nothing is known.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

static bool is_far(s64 off)
{
	return off >= BPF_MAX_VAR_OFF || off <= -BPF_MAX_VAR_OFF;
}

/* Sums of offsets that are so small cannot overflow. */
static int check_offset(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, u32 type)
{
	s64 value = (s64)reg->s.var_off.value, smin = reg->s.whole.smin;
	const char *name = bpf_reg_type_str(type);

	if (tnum_is_const(reg->s.var_off) && is_far(value))
		return refuse(env, -EINVAL, "math between %s pointer and %ld is not allowed\n",
			      name, value);
	if (reg->type != SCALAR_VALUE && is_far(reg->off))
		return refuse(env, -EINVAL, "%s pointer offset %d is not allowed\n", name,
			      reg->off);
	if (smin == INT64_MIN)
		return refuse(env, -EINVAL,
			      "math between %s pointer and register with unbounded min value is "
			      "not allowed\n",
			      name);
	if (is_far(smin))
		return refuse(env, -EINVAL, "value %ld makes %s pointer be out of bounds\n", smin,
			      name);
	return 0;
}

/* Whether this kind of pointer may move by that number. */
static int check_operand(struct bpf_verifier_env *env, const struct bpf_insn *insn,
			 const struct bpf_reg_state *ptr, const struct bpf_reg_state *scalar)
{
	const char *name = bpf_reg_type_str(ptr->type);
	u32 dst = insn->dst_reg;

	if (BPF_CLASS(insn->code) != BPF_ALU64)
		return refuse(env, -EACCES, "R%d 32-bit pointer arithmetic prohibited\n", dst);
	if (ptr->type & PTR_MAYBE_NULL)
		return refuse(env, -EACCES,
			      "R%d pointer arithmetic on %s prohibited, null-check it first\n", dst,
			      name);
	if (reg_base(ptr) == CONST_PTR_TO_MAP &&
	    !(BPF_OP(insn->code) == BPF_ADD && bpf_reg_is_null(scalar)))
		return refuse(env, -EACCES, "R%d pointer arithmetic on %s prohibited\n", dst, name);
	return check_offset(env, scalar, ptr->type) ?: check_offset(env, ptr, ptr->type);
}

/* Not ptr_is_dst: the instruction is scalar op pointer. */
static int check_operator(struct bpf_verifier_env *env, const struct bpf_insn *insn,
			  const struct bpf_reg_state *ptr, bool ptr_is_dst)
{
	u8 op = BPF_OP(insn->code);
	u32 dst = insn->dst_reg;

	if (op == BPF_ADD)
		return 0;
	if (op == BPF_AND || op == BPF_OR || op == BPF_XOR)
		return refuse(env, -EACCES, "R%d bitwise operator %s on pointer prohibited\n", dst,
			      bpf_alu_operator(op));
	if (op != BPF_SUB)
		return refuse(env, -EACCES, "R%d pointer arithmetic with %s operator prohibited\n",
			      dst, bpf_alu_operator(op));
	if (!ptr_is_dst)
		return refuse(env, -EACCES, "R%d tried to subtract pointer from scalar\n", dst);
	if (reg_base(ptr) == PTR_TO_STACK)
		return refuse(env, -EACCES, "R%d subtraction from stack pointer prohibited\n", dst);
	return 0;
}

int adjust_ptr_min_max_vals(struct bpf_verifier_env *env, const struct bpf_insn *insn,
			    const struct bpf_reg_state *ptr, const struct bpf_reg_state *scalar)
{
	struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg];
	bool ptr_is_dst = dst->type != SCALAR_VALUE;
	struct bpf_scalar by = scalar->s;
	u8 op = BPF_OP(insn->code);
	s64 off;
	int err;

	/* No run comes here, or the result is a number: the difference of the lower halves. */
	if (scalar_is_empty(&by) || (BPF_CLASS(insn->code) == BPF_ALU && op == BPF_SUB)) {
		mark_reg_unknown(dst);
		return 0;
	}
	err = check_operand(env, insn, ptr, scalar) ?: check_operator(env, insn, ptr, ptr_is_dst);
	if (err)
		return err;
	*dst = *ptr;
	off = op == BPF_ADD ? dst->off + by.whole.smin : dst->off - by.whole.smin;
	if (tnum_is_const(by.var_off) && off == (s32)off)
		dst->off = (s32)off;
	else
		scalar_alu(&dst->s, &by, op, true);
	return check_offset(env, dst, dst->type);
}
