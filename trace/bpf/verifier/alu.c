/*
 * Arithmetic on numbers that are known in part. The result holds every result of the operation on
 * members. A range that may wrap around becomes unknown: the known bits may still tell more.
 *
 * Addition, subtraction, multiplication and the bitwise operations give the lower half of the
 * result from the lower halves of the operands. So they are done in both views. Shifts move bits
 * between the halves: they are done in one view, and the other learns from it.
 */
#include "trace/bpf/core/insn.h"
#include "trace/bpf/verifier/range.h"

static void range_forget_signed(struct range *r, u8 bits)
{
	r->smin = range_smin(bits);
	r->smax = range_smax(bits);
}
static void range_forget_unsigned(struct range *r, u8 bits)
{
	r->umin = 0;
	r->umax = range_umax(bits);
}
static bool fits_signed(s64 value, u8 bits)
{
	return sign_extended((u64)value, bits) == value;
}
static bool fits_unsigned(u64 value, u8 bits)
{
	return value <= range_umax(bits);
}

static void range_add(struct range *a, const struct range *b, u8 bits)
{
	if (__builtin_add_overflow(a->smin, b->smin, &a->smin) ||
	    __builtin_add_overflow(a->smax, b->smax, &a->smax) || !fits_signed(a->smin, bits) ||
	    !fits_signed(a->smax, bits))
		range_forget_signed(a, bits);
	if (__builtin_add_overflow(a->umin, b->umin, &a->umin) ||
	    __builtin_add_overflow(a->umax, b->umax, &a->umax) || !fits_unsigned(a->umax, bits))
		range_forget_unsigned(a, bits);
}

static void range_sub(struct range *a, const struct range *b, u8 bits)
{
	if (__builtin_sub_overflow(a->smin, b->smax, &a->smin) ||
	    __builtin_sub_overflow(a->smax, b->smin, &a->smax) || !fits_signed(a->smin, bits) ||
	    !fits_signed(a->smax, bits))
		range_forget_signed(a, bits);
	if (a->umin < b->umax) {
		range_forget_unsigned(a, bits);
	} else {
		a->umin -= b->umax;
		a->umax -= b->umin;
	}
}

/*
 * The least and the greatest of the four products of signed bounds are the bounds of the product.
 */
static void range_mul(struct range *a, const struct range *b, u8 bits)
{
	s64 left[] = { a->smin, a->smin, a->smax, a->smax };
	s64 right[] = { b->smin, b->smax, b->smin, b->smax };
	s64 product;
	unsigned i;

	for (i = 0; i < 4; i++) {
		if (__builtin_mul_overflow(left[i], right[i], &product) ||
		    !fits_signed(product, bits)) {
			range_forget_signed(a, bits);
			break;
		}
		a->smin = i ? min(a->smin, product) : product;
		a->smax = i ? max(a->smax, product) : product;
	}
	if (__builtin_mul_overflow(a->umax, b->umax, &a->umax) || !fits_unsigned(a->umax, bits))
		range_forget_unsigned(a, bits);
	else
		a->umin *= b->umin;
}

/* What the bits do not say: AND makes no number greater, OR makes none less. */
static void range_bitwise(struct range *a, const struct range *b, u8 op, u8 bits)
{
	u64 umin = op == BPF_OR ? max(a->umin, b->umin) : 0;
	u64 umax = op == BPF_AND ? min(a->umax, b->umax) : range_umax(bits);

	*a = range_unknown(bits);
	a->umin = umin;
	a->umax = umax;
}

/* Shifts by least to most, which are less than bits. On the left nothing may be lost. */
static void range_lsh(struct range *r, u8 least, u8 most, u8 bits)
{
	s64 limit = range_smax(bits) >> most;

	if (r->smin < -limit - 1 || r->smax > limit) {
		range_forget_signed(r, bits);
	} else {
		r->smin = (s64)((u64)r->smin << (r->smin < 0 ? most : least));
		r->smax = (s64)((u64)r->smax << (r->smax < 0 ? least : most));
	}
	if (r->umax > range_umax(bits) >> most) {
		range_forget_unsigned(r, bits);
	} else {
		r->umin <<= least;
		r->umax <<= most;
	}
}
static void range_rsh(struct range *r, u8 least, u8 most, u8 bits)
{
	r->umin >>= most;
	r->umax >>= least;
	range_forget_signed(r, bits);
}
static void range_arsh(struct range *r, u8 least, u8 most, u8 bits)
{
	r->smin >>= r->smin < 0 ? least : most;
	r->smax >>= r->smax < 0 ? most : least;
	range_forget_unsigned(r, bits);
}

/* By op >> 4. */
static struct tnum (*const tnum_ops[])(struct tnum a, struct tnum b) = {
	[BPF_ADD >> 4] = tnum_add, [BPF_SUB >> 4] = tnum_sub, [BPF_MUL >> 4] = tnum_mul,
	[BPF_AND >> 4] = tnum_and, [BPF_OR >> 4] = tnum_or,   [BPF_XOR >> 4] = tnum_xor,
};

static void range_alu(struct range *a, const struct range *b, u8 op, u8 bits)
{
	if (op == BPF_ADD)
		range_add(a, b, bits);
	else if (op == BPF_SUB)
		range_sub(a, b, bits);
	else if (op == BPF_MUL)
		range_mul(a, b, bits);
	else
		range_bitwise(a, b, op, bits);
}

/*
 * Of a shift of 32 bits, the upper half of var_off is 0. by: the range of the number of places.
 * Only the range of that many bits is set.
 */
static void scalar_shift(struct bpf_scalar *dst, const struct range *by, u8 op, u8 bits)
{
	struct range r = scalar_range(dst, bits), lower = scalar_range(dst, 32);
	u8 least = (u8)by->umin, most = (u8)by->umax;
	struct tnum bits_known = dst->var_off;

	scalar_set_unknown(dst);
	if (by->umax >= bits)
		return;
	if (least != most) /* of unknown bits, a shift to the left still makes some 0 */
		bits_known = tnum_unknown;
	if (op == BPF_LSH) {
		dst->var_off = tnum_lshift(bits_known, least);
		/* Only the lower half is left. */
		if (least >= 32)
			r = lower;
		range_lsh(&r, least, most, bits);
	} else if (op == BPF_RSH) {
		dst->var_off = tnum_rshift(bits_known, least);
		range_rsh(&r, least, most, bits);
	} else {
		dst->var_off = tnum_arshift(bits_known, least, bits);
		range_arsh(&r, least, most, bits);
	}
	scalar_set_range(dst, r, bits);
}

void scalar_alu(struct bpf_scalar *dst, const struct bpf_scalar *src, u8 op, bool is_64)
{
	struct range whole = scalar_range(dst, 64), half = scalar_range(dst, 32);
	struct range src_whole = scalar_range(src, 64), src_half = scalar_range(src, 32);
	struct tnum b = src->var_off;

	if (!is_64) {
		dst->var_off = tnum_cast(dst->var_off, 4);
		b = tnum_cast(b, 4);
	}
	switch (op) {
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
		dst->var_off = tnum_ops[op >> 4](dst->var_off, b);
		range_alu(&whole, &src_whole, op, 64);
		range_alu(&half, &src_half, op, 32);
		scalar_set_range(dst, whole, 64);
		scalar_set_range(dst, half, 32);
		break;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		scalar_shift(dst, is_64 ? &src_whole : &src_half, op, is_64 ? 64 : 32);
		break;
	default:
		scalar_set_unknown(dst);
	}
	if (!is_64)
		scalar_zero_extend(dst);
	scalar_sync(dst);
}
