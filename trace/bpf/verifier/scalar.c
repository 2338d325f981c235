/*
 * What the verifier knows of a number, as a whole: the known bits, and the ranges of the number and
 * of its lower half. Each of them bounds the others: scalar_sync() carries what one has learned
 * over to the rest.
 */
#include "trace/bpf/verifier/scalar.h"

void scalar_set_unknown(struct bpf_scalar *s)
{
	*s = (struct bpf_scalar){ tnum_unknown, range_unknown(64), range_unknown(32) };
}

void scalar_set_const(struct bpf_scalar *s, u64 value)
{
	s->var_off = tnum_const(value);
	s->whole = (struct range){ (s64)value, (s64)value, value, value };
	s->half = (struct range){ (s32)value, (s32)value, (u32)value, (u32)value };
}

void scalar_set_empty(struct bpf_scalar *s)
{
	s->whole.umin = 1;
	s->whole.umax = 0;
}

void scalar_zero_extend(struct bpf_scalar *s)
{
	s->var_off = tnum_cast(s->var_off, 4);
	s->whole = (struct range){ 0, UINT32_MAX, s->half.umin, s->half.umax };
}

static bool range_is_empty(const struct range *r)
{
	return r->smin > r->smax || r->umin > r->umax;
}

static bool range_within(const struct range *outer, const struct range *inner)
{
	return outer->smin <= inner->smin && inner->smax <= outer->smax &&
	       outer->umin <= inner->umin && inner->umax <= outer->umax;
}

/* The number that the lower bits mean as signed number. */
static s64 sign_extended(u64 value, u8 bits)
{
	return bits == 32 ? (s32)value : (s64)value;
}

/*
 * The least member has all unknown bits 0, the greatest all 1; as signed numbers, but for the sign.
 */
static void range_learn_bits(struct range *r, struct tnum bits_known, u8 bits)
{
	struct tnum t = tnum_cast(bits_known, bits / 8);
	u64 sign = 1ULL << (bits - 1);

	r->umin = max(r->umin, t.value);
	r->umax = min(r->umax, t.value | t.mask);
	r->smin = max(r->smin, sign_extended(t.value | (t.mask & sign), bits));
	r->smax = min(r->smax, sign_extended(t.value | (t.mask & ~sign), bits));
}

/*
 * Unsigned bounds are bounds of the signed number, too, if no number between them changes from
 * positive to negative: then their order is the same as signed numbers. And the other way round.
 */
static void range_learn_sign(struct range *r, u8 bits)
{
	s64 low = sign_extended(r->umin, bits), high = sign_extended(r->umax, bits);

	if (low <= high) {
		r->smin = max(r->smin, low);
		r->smax = min(r->smax, high);
	}
	if (((u64)r->smin & range_umax(bits)) <= ((u64)r->smax & range_umax(bits))) {
		r->umin = max(r->umin, (u64)r->smin & range_umax(bits));
		r->umax = min(r->umax, (u64)r->smax & range_umax(bits));
	}
}

/*
 * If the upper halves of both bounds are the same, the upper half is known: then the lower halves
 * of the bounds are bounds of the lower half, and the other way round. The same holds for the
 * signed bounds, if the whole number is the lower half with its sign extended.
 */
static void ranges_learn_halves(struct range *whole, struct range *half)
{
	u64 upper = whole->umin & ~(u64)UINT32_MAX;

	if (upper == (whole->umax & ~(u64)UINT32_MAX)) {
		half->umin = max(half->umin, whole->umin - upper);
		half->umax = min(half->umax, whole->umax - upper);
		whole->umin = max(whole->umin, upper | half->umin);
		whole->umax = min(whole->umax, upper | half->umax);
	}
	if (whole->smin >= INT32_MIN && whole->smax <= INT32_MAX) {
		half->smin = max(half->smin, whole->smin);
		half->smax = min(half->smax, whole->smax);
		whole->smin = half->smin;
		whole->smax = half->smax;
	}
}

/* Each range learns from the bits, then from its signs, then from the other one. */
static void ranges_learn(struct bpf_scalar *s)
{
	range_learn_bits(&s->whole, s->var_off, 64);
	range_learn_bits(&s->half, s->var_off, 32);
	range_learn_sign(&s->whole, 64);
	range_learn_sign(&s->half, 32);
	ranges_learn_halves(&s->whole, &s->half);
	range_learn_sign(&s->whole, 64);
	range_learn_sign(&s->half, 32);
}

/* An empty scalar stays empty: bounds only come nearer to each other. */
void scalar_sync(struct bpf_scalar *s)
{
	/* The bits learn from the ranges; then, once more, the ranges from the bits. */
	for (unsigned i = 0; i < 2; i++) {
		struct tnum of_whole, of_half;

		ranges_learn(s);
		of_whole = tnum_range(s->whole.umin, s->whole.umax);
		of_half = tnum_of_half(tnum_range(s->half.umin, s->half.umax));
		if (scalar_is_empty(s) || tnum_disjoint(s->var_off, of_whole) ||
		    tnum_disjoint(s->var_off, of_half)) {
			scalar_set_empty(s);
			return;
		}
		s->var_off = tnum_intersect(tnum_intersect(s->var_off, of_whole), of_half);
	}
	range_learn_bits(&s->whole, s->var_off, 64);
	range_learn_bits(&s->half, s->var_off, 32);
}

void scalar_truncate(struct bpf_scalar *s, u8 bytes)
{
	if (bytes < 4) {
		u64 kept = range_umax(8 * bytes);

		s->var_off = tnum_cast(s->var_off, bytes);
		/* The lower bytes of the bounds are bounds if the bytes above are the same. */
		if ((s->half.umin ^ s->half.umax) > kept)
			s->half = range_unknown(32);
		else
			s->half = range_of_unsigned(s->half.umin & kept, s->half.umax & kept, 32);
	}
	scalar_zero_extend(s);
	scalar_sync(s);
}

bool scalar_within(const struct bpf_scalar *outer, const struct bpf_scalar *inner)
{
	return tnum_in(outer->var_off, inner->var_off) &&
	       range_within(&outer->whole, &inner->whole) &&
	       range_within(&outer->half, &inner->half);
}

bool scalar_is_empty(const struct bpf_scalar *s)
{
	return range_is_empty(&s->whole) || range_is_empty(&s->half);
}

bool scalar_is_unknown(const struct bpf_scalar *s)
{
	struct bpf_scalar any;

	scalar_set_unknown(&any);
	return scalar_within(s, &any);
}
