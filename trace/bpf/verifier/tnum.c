/*
 * Numbers of which some bits are known: tristate numbers. A bit is 0, 1 or unknown. The struct
 * keeps the known ones in `value` and marks the unknown ones in `mask`. Its members are all numbers
 * that have value's bits where mask has none.
 *
 * Each operation returns a tnum that holds every result of the operation on members. Addition,
 * subtraction and multiplication follow Vishwanathan, Shachnai, Narayana and Nagarakatte, "Sound,
 * Precise, and Fast Abstract Interpretation with Tristate Numbers" (CGO 2022).
 */
#include "kernel/lib/bitops.h"
#include "trace/bpf/verifier/scalar.h"

/* Bits of mask are unknown: value must not have them. */
static struct tnum make(u64 value, u64 mask)
{
	return (struct tnum){ value & ~mask, mask };
}
struct tnum tnum_const(u64 value)
{
	return (struct tnum){ value, 0 };
}
/* All numbers between the two begin with the bits in which the two agree. */
struct tnum tnum_range(u64 min, u64 max)
{
	u64 differ = min ^ max;

	if (!differ)
		return tnum_const(min);
	return make(min, ~0ULL >> (64 - fls64(differ)));
}
struct tnum tnum_lshift(struct tnum a, u8 shift)
{
	return (struct tnum){ a.value << shift, a.mask << shift };
}
struct tnum tnum_rshift(struct tnum a, u8 shift)
{
	return (struct tnum){ a.value >> shift, a.mask >> shift };
}
/* The sign is copied to the right. An unknown sign gives unknown bits: so mask is shifted alike. */
struct tnum tnum_arshift(struct tnum a, u8 shift, u8 bits)
{
	if (bits == 32)
		return (struct tnum){ (u32)((s32)a.value >> shift), (u32)((s32)a.mask >> shift) };
	return (struct tnum){ (u64)((s64)a.value >> shift), (u64)((s64)a.mask >> shift) };
}
/*
 * The smallest sum has all unknown bits 0, the greatest has all 1. A bit in which the two agree got
 * the same carry in both, and so in all sums between.
 */
struct tnum tnum_add(struct tnum a, struct tnum b)
{
	u64 least = a.value + b.value, most = least + a.mask + b.mask;

	return make(least, (least ^ most) | a.mask | b.mask);
}
struct tnum tnum_sub(struct tnum a, struct tnum b)
{
	u64 difference = a.value - b.value;
	u64 least = difference - b.mask, most = difference + a.mask;

	return make(difference, (least ^ most) | a.mask | b.mask);
}
/* A bit of the result is 0 where one operand has a 0, and 1 where both have a 1. */
struct tnum tnum_and(struct tnum a, struct tnum b)
{
	u64 ones = a.value & b.value, possible = (a.value | a.mask) & (b.value | b.mask);

	return (struct tnum){ ones, possible ^ ones };
}
struct tnum tnum_or(struct tnum a, struct tnum b)
{
	return make(a.value | b.value, (a.mask | b.mask) & ~(a.value | b.value));
}
struct tnum tnum_xor(struct tnum a, struct tnum b)
{
	return make(a.value ^ b.value, a.mask | b.mask);
}
/*
 * Long multiplication: the sum of b << i for each bit i that a has. The sum of the known parts is
 * the product of both values; what is unknown in each b << i is added up as a tnum.
 */
struct tnum tnum_mul(struct tnum a, struct tnum b)
{
	struct tnum unknown = tnum_const(0);
	u64 any = a.value | a.mask;
	unsigned i;

	for (i = 0; i < 64 && any >> i; i++) {
		if (a.value >> i & 1)
			unknown = tnum_add(unknown, make(0, b.mask << i));
		else if (a.mask >> i & 1)
			unknown = tnum_add(unknown, make(0, (b.value | b.mask) << i));
	}
	return tnum_add(tnum_const(a.value * b.value), unknown);
}
/* What is known of a number that is a member of both. */
struct tnum tnum_intersect(struct tnum a, struct tnum b)
{
	return make(a.value | b.value, a.mask & b.mask);
}
struct tnum tnum_cast(struct tnum a, u8 bytes)
{
	u64 kept = ~0ULL >> (64 - 8 * bytes);

	return (struct tnum){ a.value & kept, a.mask & kept };
}
bool tnum_in(struct tnum a, struct tnum b)
{
	return !(b.mask & ~a.mask) && (b.value & ~a.mask) == a.value;
}
bool tnum_is_aligned(struct tnum a, u64 size)
{
	return !((a.value | a.mask) & (size - 1));
}
