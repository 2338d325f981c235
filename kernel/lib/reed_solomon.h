/*
 * Reed-Solomon codes: parity bytes from which damaged bytes of a block can be found and repaired.
 *
 * A block of data and its parity are the coefficients of a polynomial over the field of 256
 * elements, the highest power first. The encoder chooses the parity so that the polynomial is 0 at
 * the first `roots` powers of 2, the field's generator. The field's polynomial is 0x11d. With
 * `roots` parity bytes the decoder repairs roots / 2 bytes, wherever they are (Reed and Solomon,
 * Polynomial Codes over Certain Finite Fields, 1960).
 */
#pragma once

#include "kernel/types.h"

#define RS_ROOTS_MAX 32
#define RS_BLOCK_MAX 255 /* bytes of data and parity */

struct rs_codec {
	unsigned roots;
	u8 exp[2 * RS_BLOCK_MAX]; /* powers of 2, twice, so that sums of logarithms are indices */
	u8 log[RS_BLOCK_MAX + 1]; /* log[0] has no meaning */
	u8 generator[RS_ROOTS_MAX + 1]; /* generator[i] is the coefficient of x^i */
};                                      /* constant after rs_init() */

/* roots: 2 to RS_ROOTS_MAX. Any context. */
void rs_init(struct rs_codec *rs, unsigned roots);
/* Writes the rs->roots bytes of parity for `length` bytes. length + roots <= RS_BLOCK_MAX. Any
 * context. */
void rs_encode(const struct rs_codec *rs, const u8 *data, size_t length, u8 *parity);
/*
 * Repairs data and parity in place. Returns the number of bytes that were wrong, or -EBADMSG: too
 * many are, and nothing is changed. Any context.
 */
int rs_decode(const struct rs_codec *rs, u8 *data, size_t length, u8 *parity);
