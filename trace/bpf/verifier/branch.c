/*
 * Comparisons: which way a jump goes, and what is known of both numbers on each way. There are
 * twelve comparisons, each with its opposite. All are reduced to six: a < b and a <= b of unsigned
 * and of signed numbers, a == b, a != b, and those two of a & b with 0.
 *
 * A comparison of 32 bits only looks at the range of the lower halves; the whole number learns from
 * it.
 */
#include "kernel/lib/bitops.h"
#include "trace/bpf/core/insn.h"
#include "trace/bpf/verifier/scalar.h"

/* An order: a < b, or a <= b with or_equal; of a and b exchanged with `swapped`. */
struct order {
	bool is_order, is_signed, or_equal, swapped;
};
static const struct order orders[] = {
	[BPF_JLT >> 4] = { true, false, false, false },
	[BPF_JSLT >> 4] = { true, true, false, false },
	[BPF_JLE >> 4] = { true, false, true, false },
	[BPF_JSLE >> 4] = { true, true, true, false },
	[BPF_JGT >> 4] = { true, false, false, true },
	[BPF_JSGT >> 4] = { true, true, false, true },
	[BPF_JGE >> 4] = { true, false, true, true },
	[BPF_JSGE >> 4] = { true, true, true, true },
};

/* Whether the comparison, or its opposite, is an order. The opposite of a < b is b <= a. */
static bool to_order(u8 op, bool taken, struct order *order)
{
	*order = orders[op >> 4];
	if (!taken) {
		order->or_equal = !order->or_equal;
		order->swapped = !order->swapped;
	}
	return order->is_order;
}

/* Whether some a and some b are in that order. */
static bool order_possible(const struct range *a, const struct range *b, const struct order *order)
{
	if (order->swapped)
		swap(a, b);
	if (order->is_signed)
		return a->smin < b->smax || (order->or_equal && a->smin == b->smax);
	return a->umin < b->umax || (order->or_equal && a->umin == b->umax);
}

/* The order is possible: so nothing wraps around below. */
static void range_order(struct range *a, struct range *b, const struct order *order)
{
	unsigned apart = !order->or_equal;

	if (order->swapped)
		swap(a, b);
	if (order->is_signed) {
		a->smax = min(a->smax, b->smax - (s64)apart);
		b->smin = max(b->smin, a->smin + (s64)apart);
	} else {
		a->umax = min(a->umax, b->umax - apart);
		b->umin = max(b->umin, a->umin + apart);
	}
}

/* Takes number from the range, if it is one of the bounds. */
static void range_exclude(struct range *r, const struct range *number)
{
	if (r->umin == number->umin && r->umin < r->umax)
		r->umin++;
	else if (r->umax == number->umin && r->umin < r->umax)
		r->umax--;
	if (r->smin == number->smin && r->smin < r->smax)
		r->smin++;
	else if (r->smax == number->smin && r->smin < r->smax)
		r->smax--;
}

/* What is known of a number that is in both. */
static void range_intersect(struct range *a, struct range b)
{
	a->smin = max(a->smin, b.smin);
	a->smax = min(a->smax, b.smax);
	a->umin = max(a->umin, b.umin);
	a->umax = min(a->umax, b.umax);
}

/* No number is in both: some bit, or no range, is common. */
static bool never_equal(struct range a, struct range b, struct tnum a_bits, struct tnum b_bits)
{
	range_intersect(&a, b);
	return a.smin > a.smax || a.umin > a.umax || tnum_disjoint(a_bits, b_bits);
}

/* Whether the comparison of some a and some b is `taken`. */
static bool possible(const struct bpf_scalar *dst, const struct bpf_scalar *src, u8 op, u8 bits,
		     bool taken)
{
	const struct range *a = &scalar_range(dst, bits), *b = &scalar_range(src, bits);
	struct tnum a_bits = tnum_cast(dst->var_off, bits / 8),
		    b_bits = tnum_cast(src->var_off, bits / 8), both = tnum_and(a_bits, b_bits);
	struct order order;

	if (op == BPF_JSET)
		return taken ? both.value || both.mask : !both.value;
	if (op == (taken ? BPF_JEQ : BPF_JNE))
		return !never_equal(*a, *b, a_bits, b_bits);
	if (op == BPF_JEQ || op == BPF_JNE)
		return a_bits.mask || b_bits.mask || a_bits.value != b_bits.value;
	return !to_order(op, taken, &order) || order_possible(a, b, &order);
}

int scalar_is_branch_taken(const struct bpf_scalar *dst, const struct bpf_scalar *src, u8 op,
			   bool is_32)
{
	u8 bits = is_32 ? 32 : 64;

	if (!possible(dst, src, op, bits, true))
		return 0;
	return possible(dst, src, op, bits, false) ? -1 : 1;
}

/* a & b is 0, or not. b is known. */
static void bits_learn(struct bpf_scalar *a, u64 b, bool is_zero)
{
	if (is_zero)
		a->var_off = (struct tnum){ a->var_off.value & ~b, a->var_off.mask & ~b };
	else if (is_power_of_2(b))
		a->var_off = (struct tnum){ a->var_off.value | b, a->var_off.mask & ~b };
}

/* In equal numbers the lower halves are equal, too. */
static void scalar_equal(struct bpf_scalar *a, struct bpf_scalar *b, u8 bits)
{
	struct tnum common = tnum_intersect(a->var_off, b->var_off);

	range_intersect(&a->half, b->half);
	b->half = a->half;
	if (bits == 64) {
		range_intersect(&a->whole, b->whole);
		b->whole = a->whole;
		a->var_off = b->var_off = common;
	} else {
		a->var_off = tnum_intersect(a->var_off, tnum_of_half(common));
		b->var_off = tnum_intersect(b->var_off, tnum_of_half(common));
	}
}

void scalar_branch(struct bpf_scalar *dst, struct bpf_scalar *src, u8 op, bool is_32, bool taken)
{
	u8 bits = is_32 ? 32 : 64;
	struct range *a = &scalar_range(dst, bits), *b = &scalar_range(src, bits);
	struct tnum a_bits = tnum_cast(dst->var_off, bits / 8),
		    b_bits = tnum_cast(src->var_off, bits / 8);
	struct order order;

	if (!possible(dst, src, op, bits, taken)) {
		scalar_set_empty(dst);
	} else if (op == (taken ? BPF_JEQ : BPF_JNE)) {
		scalar_equal(dst, src, bits);
	} else if (op == BPF_JSET) {
		if (tnum_is_const(b_bits))
			bits_learn(dst, b_bits.value, !taken);
		if (tnum_is_const(a_bits))
			bits_learn(src, a_bits.value, !taken);
	} else if (to_order(op, taken, &order)) {
		range_order(a, b, &order);
	} else if (tnum_is_const(b_bits)) {
		range_exclude(a, b);
	} else if (tnum_is_const(a_bits)) {
		range_exclude(b, a);
	}
	scalar_sync(dst);
	scalar_sync(src);
	if (scalar_is_empty(dst) || scalar_is_empty(src)) {
		scalar_set_empty(dst);
		scalar_set_empty(src);
	}
}
