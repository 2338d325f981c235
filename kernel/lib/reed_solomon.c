/* Reed-Solomon codes: see reed_solomon.h. Addition in the field is exclusive or. */
#include "kernel/lib/reed_solomon.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"

#define FIELD_POLYNOMIAL 0x11d
#define FIELD_ORDER      255 /* 2 to this power is 1 */

/* A polynomial; [i] is the coefficient of x^i. */
typedef u8 rs_poly[RS_ROOTS_MAX + 1];

static u8 multiply(const struct rs_codec *rs, u8 a, u8 b)
{
	return a && b ? rs->exp[rs->log[a] + rs->log[b]] : 0;
}

/* b is not 0. */
static u8 divide(const struct rs_codec *rs, u8 a, u8 b)
{
	return a ? rs->exp[rs->log[a] + FIELD_ORDER - rs->log[b]] : 0;
}

/* Returns the value of p, which has the degree `degree`, at x. */
static u8 evaluate(const struct rs_codec *rs, const u8 *p, unsigned degree, u8 x)
{
	u8 value = 0;

	for (unsigned i = degree + 1; i-- > 0;)
		value = multiply(rs, value, x) ^ p[i];
	return value;
}

void rs_init(struct rs_codec *rs, unsigned roots)
{
	unsigned element = 1;

	memset(rs, 0, sizeof(*rs));
	rs->roots = roots;
	for (unsigned i = 0; i < FIELD_ORDER; i++) {
		rs->exp[i] = rs->exp[i + FIELD_ORDER] = (u8)element;
		rs->log[element] = (u8)i;
		element <<= 1;
		if (element > FIELD_ORDER)
			element ^= FIELD_POLYNOMIAL;
	}
	/* The product of (x - 2^i) for all roots. */
	rs->generator[0] = 1;
	for (unsigned i = 0; i < roots; i++) {
		for (unsigned j = i + 1; j > 0; j--)
			rs->generator[j] =
				rs->generator[j - 1] ^ multiply(rs, rs->generator[j], rs->exp[i]);
		rs->generator[0] = multiply(rs, rs->generator[0], rs->exp[i]);
	}
}

/* The parity is the remainder of data * x^roots divided by the generator. */
void rs_encode(const struct rs_codec *rs, const u8 *data, size_t length, u8 *parity)
{
	unsigned roots = rs->roots;

	memset(parity, 0, roots);
	for (size_t i = 0; i < length; i++) {
		u8 factor = data[i] ^ parity[0];

		memmove(parity, parity + 1, roots - 1);
		parity[roots - 1] = 0;
		for (unsigned j = 0; factor && j < roots; j++)
			parity[j] ^= multiply(rs, factor, rs->generator[roots - 1 - j]);
	}
}

/* Evaluates the block at all roots. True: all are 0, and the block is undamaged. */
static bool syndromes(const struct rs_codec *rs, const u8 *data, size_t length, const u8 *parity,
		      u8 *syndrome)
{
	u8 any = 0;

	for (unsigned i = 0; i < rs->roots; i++) {
		u8 value = 0;

		for (size_t j = 0; j < length + rs->roots; j++)
			value = multiply(rs, value, rs->exp[i]) ^
				(j < length ? data[j] : parity[j - length]);
		syndrome[i] = value;
		any |= value;
	}
	return !any;
}

/*
 * Finds the locator: the shortest polynomial whose roots are the inverses of 2^p, for each wrong
 * byte at the power p (the algorithm of Berlekamp and Massey). Returns its degree, the number of
 * wrong bytes.
 */
static unsigned find_locator(const struct rs_codec *rs, const u8 *syndrome, rs_poly locator)
{
	rs_poly previous = { 1 }, saved;
	unsigned degree = 0, shift = 1;
	u8 last = 1;

	memset(locator, 0, sizeof(rs_poly));
	locator[0] = 1;
	for (unsigned n = 0; n < rs->roots; n++, shift++) {
		u8 discrepancy = syndrome[n], factor;

		for (unsigned i = 1; i <= degree; i++)
			discrepancy ^= multiply(rs, locator[i], syndrome[n - i]);
		if (!discrepancy)
			continue;
		memcpy(saved, locator, sizeof(rs_poly));
		factor = divide(rs, discrepancy, last);
		for (unsigned i = shift; i <= rs->roots; i++)
			locator[i] ^= multiply(rs, factor, previous[i - shift]);
		if (2 * degree > n)
			continue;
		memcpy(previous, saved, sizeof(rs_poly));
		degree = n + 1 - degree;
		last = discrepancy;
		shift = 0;
	}
	return degree;
}

/* Returns the error of the byte whose locator is `place` (Forney's formula). -1: there is none. */
static int error_value(const struct rs_codec *rs, const u8 *syndrome, const u8 *locator,
		       unsigned degree, u8 place)
{
	u8 inverse = divide(rs, 1, place), omega = 0, slope = 0;

	for (unsigned i = degree;
	     i-- > 0;) { /* (syndrome * locator) mod x^degree, at the inverse */
		u8 coefficient = 0;

		for (unsigned j = 0; j <= i; j++)
			coefficient ^= multiply(rs, syndrome[i - j], locator[j]);
		omega = multiply(rs, omega, inverse) ^ coefficient;
	}
	/* The derivative: only odd powers stay, because 1 + 1 is 0. */
	for (unsigned i = 1; i <= degree; i += 2)
		slope ^= multiply(rs, locator[i],
				  rs->exp[(FIELD_ORDER - rs->log[place]) * (i - 1) % FIELD_ORDER]);
	return slope ? multiply(rs, place, divide(rs, omega, slope)) : -1;
}

int rs_decode(const struct rs_codec *rs, u8 *data, size_t length, u8 *parity)
{
	unsigned degree, count = 0, total = (unsigned)length + rs->roots;
	u8 syndrome[RS_ROOTS_MAX], wrong[RS_ROOTS_MAX], value[RS_ROOTS_MAX];
	rs_poly locator;

	if (syndromes(rs, data, length, parity, syndrome))
		return 0;
	degree = find_locator(rs, syndrome, locator);
	if (2 * degree > rs->roots)
		return -EBADMSG;
	for (unsigned i = 0; i < total && count < degree; i++) {
		u8 place = rs->exp[total - 1 - i];
		int error;

		if (evaluate(rs, locator, degree, divide(rs, 1, place)))
			continue;
		error = error_value(rs, syndrome, locator, degree, place);
		if (error <= 0)
			return -EBADMSG;
		wrong[count] = (u8)i;
		value[count++] = (u8)error;
	}
	if (count != degree)
		return -EBADMSG; /* a root of the locator is outside the block */
	for (unsigned i = 0; i < count; i++) {
		u8 *byte = wrong[i] < length ? data + wrong[i] : parity + (wrong[i] - length);

		*byte ^= value[i];
	}
	return (int)count;
}
