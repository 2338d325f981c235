/*
 * The stack of a program: which of its bytes hold what.
 *
 * A register that is stored whole and aligned is *spilled*: its slot remembers all that is known of
 * it, and a load of the same size brings that back. This is how a pointer survives on the stack.
 * All else are bytes: unknown, or zero. A write that hits part of a spilled register turns the rest
 * of it into bytes as well, because a pointer of which one byte has changed is a number.
 *
 * Bytes that were never written may be read: only users with CAP_PERFMON load programs, and these
 * may see the kernel's memory. Such a byte is unknown, as any other.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

static struct bpf_func_state *frame_of(struct bpf_verifier_env *env,
				       const struct bpf_reg_state *reg)
{
	return env->cur->frame[reg->frameno];
}

/* The slot of the byte at off < 0. */
static struct bpf_stack_state *slot_at(struct bpf_func_state *func, int off)
{
	return &func->stack[(-off - 1) / BPF_REG_SIZE];
}

static u8 *byte_at(struct bpf_func_state *func, int off)
{
	return &slot_at(func, off)->slot_type[(-off - 1) % BPF_REG_SIZE];
}

static int check_stack_bounds(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	const char *how = a->by_helper ? " indirect access to"
			  : a->write   ? " write to"
				       : " read from";
	struct tnum var_off = a->reg->s.var_off;
	s64 min = a->reg->s.whole.smin, max = a->reg->s.whole.smax;

	if (!tnum_is_const(var_off) && (max >= BPF_MAX_VAR_OFF || min <= -BPF_MAX_VAR_OFF))
		return refuse(env, -EACCES, "invalid unbounded variable-offset%s stack R%d\n", how,
			      a->regno);
	min += a->off;
	max += a->off;
	if (a->size >= 0 && min >= -MAX_BPF_STACK && min < 0 && max + a->size <= 0)
		return bpf_grow_stack(env, frame_of(env, a->reg), (u32)ALIGN(-min, BPF_REG_SIZE));
	if (tnum_is_const(var_off))
		return refuse(env, -EACCES, "invalid%s stack R%d off=%ld size=%d\n", how, a->regno,
			      min, a->size);
	return refuse(env, -EACCES,
		      "invalid variable-offset%s stack R%d var_off=" TNUM_FMT " size=%d\n", how,
		      a->regno, TNUM_ARGS(var_off), a->size);
}

/* What was spilled here is only bytes from now on. */
static void forget_spilled(struct bpf_stack_state *slot)
{
	for (int i = 0; i < BPF_REG_SIZE; i++) {
		if (slot->slot_type[i] == STACK_SPILL)
			slot->slot_type[i] = STACK_MISC;
	}
	mark_reg_not_init(&slot->spilled);
}

static void spill(struct bpf_stack_state *slot, const struct bpf_reg_state *value, int size)
{
	forget_spilled(slot);
	slot->spilled = *value;
	for (int i = 0; i < BPF_REG_SIZE; i++) {
		if (i >= BPF_REG_SIZE - size)
			slot->slot_type[i] = STACK_SPILL;
		else if (slot->slot_type[i] != STACK_INVALID)
			slot->slot_type[i] = STACK_MISC;
	}
	/* Its other copies have more bits: they no longer are equal. */
	if (size < BPF_REG_SIZE && value->s.whole.umax >> (size * 8))
		slot->spilled.id = 0;
}

static void set_bytes(struct bpf_func_state *func, int off, int size, u8 type)
{
	for (int i = off; i < off + size; i++) {
		forget_spilled(slot_at(func, i));
		*byte_at(func, i) = type;
	}
}

/* A number at a constant offset. value NULL: it is not known. */
static void write_number(struct bpf_func_state *func, int off, int size,
			 const struct bpf_reg_state *value)
{
	if (value && bpf_reg_is_null(value)) {
		mark_precise(value); /* bytes know no origin */
		set_bytes(func, off, size, STACK_ZERO);
	} else if (!value || off % BPF_REG_SIZE || scalar_is_unknown(&value->s)) {
		set_bytes(func, off, size, STACK_MISC);
	} else {
		spill(slot_at(func, off), value, size);
	}
}

static int write_fixed(struct bpf_verifier_env *env, struct bpf_func_state *func, int off, int size,
		       const struct bpf_reg_state *value)
{
	/* Nothing is left of what was here. */
	if (size == BPF_REG_SIZE && off % BPF_REG_SIZE == 0)
		slot_at(func, off)->reads = NULL;
	if (!value || value->type == SCALAR_VALUE) {
		write_number(func, off, size, value);
		return 0;
	}
	if (size != BPF_REG_SIZE)
		return refuse(env, -EACCES, "invalid size of register spill\n");
	if (reg_base(value) == PTR_TO_STACK && func != cur_func(env))
		return refuse(env, -EINVAL,
			      "cannot spill pointers to stack into stack frame of the caller\n");
	spill(slot_at(func, off), value, size);
	return 0;
}

/* At an offset that is not known: each byte of the range is written, or not. value NULL: any. */
static void write_variable(struct bpf_func_state *func, int min, int end,
			   const struct bpf_reg_state *value)
{
	for (int i = min; i < end; i++) {
		if (value && bpf_reg_is_null(value) && *byte_at(func, i) == STACK_ZERO)
			mark_precise(value);
		else
			set_bytes(func, i, 1, STACK_MISC);
	}
}

/* The bytes from min up to end are read. */
static void mark_read(struct bpf_func_state *func, int min, int end)
{
	for (int i = min; i < end; i++)
		mark_slot_read(slot_at(func, i));
}

/* Bytes from min up to end: 0 if all are, else unknown. */
static void read_bytes(struct bpf_func_state *func, int min, int end, struct bpf_reg_state *dst)
{
	for (int i = min; i < end; i++) {
		if (*byte_at(func, i) != STACK_ZERO) {
			mark_reg_unknown(dst);
			return;
		}
	}
	mark_reg_known(dst, 0);
}

static int read_fixed(struct bpf_verifier_env *env, struct bpf_func_state *func, int off, int size,
		      struct bpf_reg_state *dst)
{
	struct bpf_stack_state *slot = slot_at(func, off);
	int spilled_size = 0;

	if (!bpf_is_spilled_reg(slot)) {
		if (dst)
			read_bytes(func, off, off + size, dst);
		return 0;
	}
	while (spilled_size < BPF_REG_SIZE &&
	       slot->slot_type[BPF_REG_SIZE - 1 - spilled_size] == STACK_SPILL)
		spilled_size++;
	if (slot->spilled.type != SCALAR_VALUE && size != BPF_REG_SIZE)
		return refuse(env, -EACCES, "invalid size of register fill\n");
	if (!dst)
		return 0;
	/* Another size is another number; check_mem_access() knows its upper bits. */
	if (off % BPF_REG_SIZE == 0 && size == spilled_size)
		*dst = slot->spilled;
	else
		mark_reg_unknown(dst);
	return 0;
}

/* A helper reads the bytes from min up to end, or also writes them: then they are unknown. */
static int access_by_helper(struct bpf_func_state *func, int min, int end, bool write)
{
	mark_read(func, min, end);
	/* LAB 18, unmarked, 2 of 6: what a helper writes. Starts as: (void)write; */
	if (write)
		set_bytes(func, min, end - min, STACK_MISC);
	/* END LAB 18 */
	return 0;
}

int check_stack_access(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	struct bpf_func_state *func = frame_of(env, a->reg);
	bool fixed = tnum_is_const(a->reg->s.var_off);
	int min, end, err;

	if (!a->size && !a->zero_size_allowed)
		return refuse(env, -EACCES, "invalid zero-sized read\n");
	err = check_stack_bounds(env, a);
	if (err)
		return err;
	min = a->off + (int)a->reg->s.whole.smin;
	end = a->off + (int)a->reg->s.whole.smax + a->size;
	if (a->by_helper)
		return access_by_helper(func, min, end, a->write);
	if (a->write && fixed)
		return write_fixed(env, func, min, a->size, a->value);
	if (a->write) {
		write_variable(func, min, end, a->value);
		return 0;
	}
	mark_read(func, min, end);
	if (fixed)
		return read_fixed(env, func, min, a->size, a->dst);
	if (!a->dst)
		return refuse(
			env, -EACCES,
			"variable offset stack pointer cannot be passed into helper function; "
			"var_off=" TNUM_FMT " off=%d size=%d\n",
			TNUM_ARGS(a->reg->s.var_off), a->off, a->size);
	read_bytes(func, min, end, a->dst);
	return 0;
}
