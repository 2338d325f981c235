/*
 * Arithmetic on numbers that are known in part. The result holds every result of the operation on
 * members. A range that may wrap around becomes unknown: the known bits may still tell more.
 *
 * Addition, subtraction, multiplication and the bitwise operations give the lower half of the
 * result from the lower halves of the operands. So they are done in both views. Shifts move bits
 * between the halves: they are done in one view, and the other learns from it.
 */
#include "trace/bpf/core/insn.h"
#include "trace/bpf/verifier/scalar.h"

typedef __int128 s128;
typedef unsigned __int128 u128;

/* The bounds of a result, and any number if it may wrap around. */
static void set_signed(struct range *r, s128 min, s128 max, u8 bits)
{
	bool fits = min >= range_smin(bits) && max <= range_smax(bits);

	r->smin = fits ? (s64)min : range_smin(bits);
	r->smax = fits ? (s64)max : range_smax(bits);
}
static void set_unsigned(struct range *r, u128 min, u128 max, u8 bits)
{
	bool fits = min <= range_umax(bits) && max <= range_umax(bits);

	r->umin = fits ? (u64)min : 0;
	r->umax = fits ? (u64)max : range_umax(bits);
}

static void range_add(struct range *a, const struct range *b, u8 bits)
{
	set_signed(a, (s128)a->smin + b->smin, (s128)a->smax + b->smax, bits);
	set_unsigned(a, (u128)a->umin + b->umin, (u128)a->umax + b->umax, bits);
}
static void range_sub(struct range *a, const struct range *b, u8 bits)
{
	set_signed(a, (s128)a->smin - b->smax, (s128)a->smax - b->smin, bits);
	set_unsigned(a, (u128)a->umin - b->umax, (u128)a->umax - b->umin, bits);
}
/*
 * The least and the greatest of the four products of signed bounds are the bounds of the product.
 */
static void range_mul(struct range *a, const struct range *b, u8 bits)
{
	s128 least = (s128)a->smin * b->smin, most = least;

	for (unsigned i = 1; i < 4; i++) {
		s128 product = (s128)(i & 1 ? a->smax : a->smin) * (i & 2 ? b->smax : b->smin);

		least = min(least, product);
		most = max(most, product);
	}
	set_signed(a, least, most, bits);
	set_unsigned(a, (u128)a->umin * b->umin, (u128)a->umax * b->umax, bits);
}
/* What the bits do not say: AND makes no number greater, OR makes none less. */
static void range_and(struct range *a, const struct range *b, u8 bits)
{
	*a = range_of_unsigned(0, min(a->umax, b->umax), bits);
}
static void range_or(struct range *a, const struct range *b, u8 bits)
{
	*a = range_of_unsigned(max(a->umin, b->umin), range_umax(bits), bits);
}
static void range_xor(struct range *a, const struct range *b __unused, u8 bits)
{
	*a = range_unknown(bits);
}

/* By op >> 4. The others have none. */
static const struct operation {
	struct tnum (*of_bits)(struct tnum a, struct tnum b);
	void (*of_range)(struct range *a, const struct range *b, u8 bits);
} operations[(BPF_ARSH >> 4) + 1] = {
	[BPF_ADD >> 4] = { tnum_add, range_add }, [BPF_SUB >> 4] = { tnum_sub, range_sub },
	[BPF_MUL >> 4] = { tnum_mul, range_mul }, [BPF_AND >> 4] = { tnum_and, range_and },
	[BPF_OR >> 4] = { tnum_or, range_or },    [BPF_XOR >> 4] = { tnum_xor, range_xor },
};

/* Shifts by least to most, which are less than bits. */
static void range_shift(struct range *r, u8 op, u8 least, u8 most, u8 bits)
{
	if (op == BPF_LSH) {
		set_signed(r, r->smin * ((s128)1 << (r->smin < 0 ? most : least)),
			   r->smax * ((s128)1 << (r->smax < 0 ? least : most)), bits);
		set_unsigned(r, (u128)r->umin << least, (u128)r->umax << most, bits);
	} else if (op == BPF_RSH) {
		*r = range_of_unsigned(r->umin >> most, r->umax >> least, bits);
	} else {
		r->smin >>= r->smin < 0 ? least : most;
		r->smax >>= r->smax < 0 ? most : least;
		set_unsigned(r, 0, range_umax(bits), bits);
	}
}

/*
 * Of a shift of 32 bits, the upper half of var_off is 0. by: the range of the number of places.
 * Only the range of that many bits is set.
 */
static void scalar_shift(struct bpf_scalar *dst, const struct range *by, u8 op, u8 bits)
{
	u8 least = (u8)by->umin, most = (u8)by->umax;
	/* Of a number that moves so far to the left, only the lower half is left. */
	struct range r = scalar_range(dst, op == BPF_LSH && least >= 32 ? 32 : bits);
	/* By an unknown number of places: all unknown, but a shift to the left makes some 0. */
	struct tnum known = least == most ? dst->var_off : tnum_unknown;

	scalar_set_unknown(dst);
	if (by->umax >= bits)
		return;
	if (op == BPF_LSH)
		dst->var_off = tnum_lshift(known, least);
	else if (op == BPF_RSH)
		dst->var_off = tnum_rshift(known, least);
	else
		dst->var_off = tnum_arshift(known, least, bits);
	range_shift(&r, op, least, most, bits);
	scalar_range(dst, bits) = r;
}

void scalar_alu(struct bpf_scalar *dst, const struct bpf_scalar *src, u8 op, bool is_64)
{
	const struct operation *operation = &operations[op >> 4];
	u8 bits = is_64 ? 64 : 32;
	struct tnum by = tnum_cast(src->var_off, bits / 8);

	dst->var_off = tnum_cast(dst->var_off, bits / 8);
	if (operation->of_bits) {
		dst->var_off = operation->of_bits(dst->var_off, by);
		operation->of_range(&dst->whole, &src->whole, 64);
		operation->of_range(&dst->half, &src->half, 32);
	} else if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) {
		scalar_shift(dst, &scalar_range(src, bits), op, bits);
	} else {
		scalar_set_unknown(dst);
	}
	if (!is_64)
		scalar_zero_extend(dst);
	scalar_sync(dst);
}
