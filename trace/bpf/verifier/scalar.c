/*
 * What the verifier knows of a number, as a whole: the known bits, and the ranges of the number and
 * of its lower half. Each of them bounds the others: scalar_sync() carries what one has learned
 * over to the rest.
 */
#include "trace/bpf/verifier/range.h"

struct range scalar_range(const struct bpf_scalar *s, u8 bits)
{
	if (bits == 32)
		return (struct range){ s->s32_min, s->s32_max, s->u32_min, s->u32_max };
	return (struct range){ s->smin, s->smax, s->umin, s->umax };
}

void scalar_set_range(struct bpf_scalar *s, struct range r, u8 bits)
{
	if (bits == 32) {
		s->s32_min = (s32)r.smin;
		s->s32_max = (s32)r.smax;
		s->u32_min = (u32)r.umin;
		s->u32_max = (u32)r.umax;
	} else {
		s->smin = r.smin;
		s->smax = r.smax;
		s->umin = r.umin;
		s->umax = r.umax;
	}
}

void scalar_set_unknown(struct bpf_scalar *s)
{
	s->var_off = tnum_unknown;
	scalar_set_range(s, range_unknown(64), 64);
	scalar_set_range(s, range_unknown(32), 32);
}

void scalar_set_const(struct bpf_scalar *s, u64 value)
{
	s->var_off = tnum_const(value);
	scalar_set_range(s, (struct range){ (s64)value, (s64)value, value, value }, 64);
	scalar_set_range(s, (struct range){ (s32)value, (s32)value, (u32)value, (u32)value }, 32);
}

void scalar_set_empty(struct bpf_scalar *s)
{
	s->umin = 1;
	s->umax = 0;
}

void scalar_zero_extend(struct bpf_scalar *s)
{
	s->var_off = tnum_cast(s->var_off, 4);
	scalar_set_range(s, (struct range){ 0, UINT32_MAX, s->u32_min, s->u32_max }, 64);
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

/* An empty scalar stays empty: bounds only come nearer to each other. */
void scalar_sync(struct bpf_scalar *s)
{
	struct range whole = scalar_range(s, 64), half = scalar_range(s, 32);
	struct tnum of_whole, of_half;
	unsigned i;

	/*
	 * Ranges learn from the bits, then from each other; then the bits learn; then ranges again.
	 */
	for (i = 0; i < 2; i++) {
		range_learn_bits(&whole, s->var_off, 64);
		range_learn_bits(&half, s->var_off, 32);
		range_learn_sign(&whole, 64);
		range_learn_sign(&half, 32);
		ranges_learn_halves(&whole, &half);
		range_learn_sign(&whole, 64);
		range_learn_sign(&half, 32);
		of_whole = tnum_range(whole.umin, whole.umax);
		of_half = tnum_of_half(tnum_range(half.umin, half.umax));
		if (range_is_empty(&whole) || range_is_empty(&half) ||
		    tnum_disjoint(s->var_off, of_whole) || tnum_disjoint(s->var_off, of_half)) {
			scalar_set_empty(s);
			return;
		}
		s->var_off = tnum_intersect(tnum_intersect(s->var_off, of_whole), of_half);
	}
	range_learn_bits(&whole, s->var_off, 64);
	range_learn_bits(&half, s->var_off, 32);
	scalar_set_range(s, whole, 64);
	scalar_set_range(s, half, 32);
}

void scalar_truncate(struct bpf_scalar *s, u8 bytes)
{
	if (bytes < 4) {
		s->var_off = tnum_cast(s->var_off, bytes);
		/* The lower bytes of the bounds are bounds if the bytes above are the same. */
		if ((s->u32_min ^ s->u32_max) >> (8 * bytes)) {
			scalar_set_range(s, range_unknown(32), 32);
		} else {
			s->u32_min &= ~0U >> (32 - 8 * bytes);
			s->u32_max &= ~0U >> (32 - 8 * bytes);
			s->s32_min = INT32_MIN;
			s->s32_max = INT32_MAX;
		}
	}
	scalar_zero_extend(s);
	scalar_sync(s);
}

bool scalar_is_const(const struct bpf_scalar *s)
{
	return tnum_is_const(s->var_off);
}

bool scalar_within(const struct bpf_scalar *outer, const struct bpf_scalar *inner)
{
	struct range whole = scalar_range(outer, 64), half = scalar_range(outer, 32);
	struct range inner_whole = scalar_range(inner, 64), inner_half = scalar_range(inner, 32);

	return tnum_in(outer->var_off, inner->var_off) && range_within(&whole, &inner_whole) &&
	       range_within(&half, &inner_half);
}

bool scalar_is_empty(const struct bpf_scalar *s)
{
	struct range whole = scalar_range(s, 64), half = scalar_range(s, 32);

	return range_is_empty(&whole) || range_is_empty(&half);
}

bool scalar_is_unknown(const struct bpf_scalar *s)
{
	struct bpf_scalar any;

	scalar_set_unknown(&any);
	return scalar_within(s, &any);
}
