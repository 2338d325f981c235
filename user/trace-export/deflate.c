/* DEFLATE with the fixed codes: RFC 1951, sections 3.2.5 and 3.2.6. */
#include "deflate.h"

#include <string.h>

#define MIN_MATCH 4 /* the format allows 3, but such a short match seldom saves bits */
#define MAX_MATCH 258

#define END_OF_BLOCK 256
#define FIRST_LENGTH 257

/* Packs bits into bytes, from the least significant bit of each byte on. */
struct bit_writer {
	u8 *out, *end;
	u64 bits;
	unsigned count;
	bool full;
};

static inline void put_bits(struct bit_writer *w, u32 bits, unsigned count)
{
	w->bits |= (u64)bits << w->count;
	w->count += count;
	while (w->count >= 8) {
		if (w->out == w->end) {
			w->full = true;
			w->count = 0;
			return;
		}
		*w->out++ = (u8)w->bits;
		w->bits >>= 8;
		w->count -= 8;
	}
}

/* Writes a Huffman code, from its most significant bit on. */
static inline void put_code(struct bit_writer *w, u32 code, unsigned count)
{
	u32 reversed = 0;

	for (unsigned i = 0; i < count; i++)
		reversed |= (code >> i & 1) << (count - 1 - i);
	put_bits(w, reversed, count);
}

static inline void put_symbol(struct bit_writer *w, unsigned symbol)
{
	if (symbol < 144)
		put_code(w, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(w, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(w, symbol - 256, 7);
	else
		put_code(w, 0xc0 + symbol - 280, 8);
}

static inline unsigned top_bit(u32 x)
{
	return 31 - (unsigned)__builtin_clz(x);
}

/*
 * Each length from 3 to 10 has a symbol. After that, four symbols have the same number of extra
 * bits.
 */
static void put_length(struct bit_writer *w, unsigned length)
{
	unsigned x = length - 3, extra;

	if (length == MAX_MATCH) {
		put_symbol(w, 285);
		return;
	}
	if (x < 8) {
		put_symbol(w, FIRST_LENGTH + x);
		return;
	}
	extra = top_bit(x) - 2;
	put_symbol(w, FIRST_LENGTH + 4 * extra + (x >> extra));
	put_bits(w, x & ((1U << extra) - 1), extra);
}

/* As for lengths, but two symbols have the same number of extra bits. All codes have 5 bits. */
static void put_distance(struct bit_writer *w, unsigned distance)
{
	unsigned x = distance - 1, extra;

	if (x < 4) {
		put_code(w, x, 5);
		return;
	}
	extra = top_bit(x) - 1;
	put_code(w, 2 * extra + (x >> extra), 5);
	put_bits(w, x & ((1U << extra) - 1), extra);
}

static inline u32 load32(const u8 *p)
{
	u32 x;

	__builtin_memcpy(&x, p, sizeof(x)); /* compiles to one load, without a call */
	return x;
}

static inline u16 *hash_slot(struct deflate_workspace *work, const u8 *p)
{
	return &work->last[load32(p) * 2654435761U >> 20];
}

static unsigned match_length(const u8 *a, const u8 *b, const u8 *end)
{
	unsigned max = end - b < MAX_MATCH ? (unsigned)(end - b) : MAX_MATCH, n = 0;

	while (n < max && a[n] == b[n])
		n++;
	return n;
}

/*
 * Looks for a match at p, writes it, and records the positions in it. Returns its length; 0: no
 * match that saves bits.
 */
static unsigned put_match(struct bit_writer *w, struct deflate_workspace *work, const u8 *data,
			  const u8 *p, const u8 *end)
{
	u16 *slot = hash_slot(work, p), last = *slot;
	unsigned length;

	*slot = (u16)(p - data + 1);
	if (!last)
		return 0;
	length = match_length(data + last - 1, p, end);
	if (length < MIN_MATCH)
		return 0;
	put_length(w, length);
	put_distance(w, (unsigned)(p - (data + last - 1)));
	for (const u8 *q = p + 1; q < p + length && end - q >= MIN_MATCH; q++)
		*hash_slot(work, q) = (u16)(q - data + 1);
	return length;
}

size_t deflate_fixed(struct deflate_workspace *work, const void *data, size_t size, void *out,
		     size_t room)
{
	struct bit_writer w = { .out = out, .end = (u8 *)out + room };
	const u8 *p = data, *end = p + size;

	if (size > DEFLATE_MAX_INPUT)
		return 0;
	memset(work->last, 0, sizeof(work->last));
	put_bits(&w, 1, 1); /* this is the last block */
	put_bits(&w, 1, 2); /* it uses the fixed codes */
	while (p < end && !w.full) {
		unsigned length = end - p >= MIN_MATCH ? put_match(&w, work, data, p, end) : 0;

		if (!length)
			put_symbol(&w, *p);
		p += length ? length : 1;
	}
	put_symbol(&w, END_OF_BLOCK);
	put_bits(&w, 0, 7);
	return w.full ? 0 : (size_t)(w.out - (u8 *)out);
}
