/* Decompression of gzip. inflate.h describes it. */
#include "kernel/lib/inflate.h"

#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

/* Flags of a header, RFC 1952 2.3.1. */
#define FHCRC     2
#define FEXTRA    4
#define FNAME     8
#define FCOMMENT  16
#define FRESERVED 0xe0

#define END_OF_BLOCK   256
#define LITERALS_MAX   286
#define DISTANCES_MAX  30
#define LENGTH_SYMBOLS 19

static int bad(struct gunzip *z, const char *problem)
{
	z->problem = problem;
	return -EINVAL;
}

/* Fills hold with whole bytes. At the end of the input it has fewer bits than asked for. */
static void refill(struct gunzip *z)
{
	while (z->bits <= 56 && z->in_pos < z->in_size) {
		z->hold |= (u64)z->in[z->in_pos++] << z->bits;
		z->bits += 8;
	}
}

static void drop(struct gunzip *z, unsigned count)
{
	z->hold >>= count;
	z->bits -= count;
}

/* Takes count bits, at most 16. Below 0: the input ends. */
static int take(struct gunzip *z, unsigned count)
{
	int value;

	if (z->bits < count)
		refill(z);
	if (z->bits < count)
		return bad(z, "the data ends inside a block");
	value = (int)(z->hold & ((1U << count) - 1));
	drop(z, count);
	return value;
}

static unsigned reversed(unsigned code, unsigned length)
{
	unsigned result = 0;

	for (; length; length--, code >>= 1)
		result = result << 1 | (code & 1);
	return result;
}

/*
 * Makes a code from the length of each symbol's bits, RFC 1951 3.2.2. 0; 1: bits remain that stand
 * for nothing; -EINVAL: there are not enough bits for all. *longest: the longest length.
 */
static int make_code(struct huffman *h, const u8 *length, unsigned symbols, unsigned *longest)
{
	unsigned code = 0, next[HUFFMAN_MAX_BITS + 2] = { 0 }, at[HUFFMAN_MAX_BITS + 2] = { 0 };
	int left = 1;

	memset(h, 0, sizeof(*h));
	*longest = 0;
	for (unsigned i = 0; i < symbols; i++)
		h->count[length[i]]++;
	h->count[0] = 0;
	for (unsigned bits = 1; bits <= HUFFMAN_MAX_BITS; bits++) {
		left = left * 2 - h->count[bits];
		if (left < 0)
			return -EINVAL;
		if (h->count[bits])
			*longest = bits;
		next[bits] = code;
		code = (code + h->count[bits]) << 1;
		at[bits + 1] = at[bits] + h->count[bits];
	}
	for (unsigned i = 0; i < symbols; i++) {
		unsigned bits = length[i], first;

		if (!bits)
			continue;
		h->symbol[at[bits]++] = (u16)i;
		first = next[bits]++;
		if (bits > HUFFMAN_FAST_BITS)
			continue;
		for (unsigned j = reversed(first, bits); j < 1U << HUFFMAN_FAST_BITS;
		     j += 1U << bits)
			h->fast[j] = (u16)(i << 4 | bits);
	}
	return left > 0;
}

/* The next symbol, bit by bit: for codes that are not in the table. */
static int slow_symbol(struct gunzip *z, const struct huffman *h)
{
	unsigned code = 0, first = 0, index = 0;

	for (unsigned bits = 1; bits <= HUFFMAN_MAX_BITS && bits <= z->bits; bits++) {
		code |= (z->hold >> (bits - 1)) & 1;
		if (code < first + h->count[bits]) {
			drop(z, bits);
			return h->symbol[index + code - first];
		}
		index += h->count[bits];
		first = (first + h->count[bits]) << 1;
		code <<= 1;
	}
	return bad(z, "a code stands for nothing, or the data ends inside a block");
}

static int next_symbol(struct gunzip *z, const struct huffman *h)
{
	unsigned entry, length;

	if (z->bits < HUFFMAN_MAX_BITS)
		refill(z);
	entry = h->fast[z->hold & ((1U << HUFFMAN_FAST_BITS) - 1)];
	length = entry & 15;
	if (!length || length > z->bits)
		return slow_symbol(z, h);
	drop(z, length);
	return (int)(entry >> 4);
}

/* Makes room for count bytes of output. */
static int make_room(struct gunzip *z, size_t count)
{
	while (z->out_size - z->out_pos < count) {
		int err = z->grow(z);

		if (err)
			return err;
	}
	return 0;
}

static int stored_block(struct gunzip *z)
{
	int size, check, err;

	drop(z, z->bits % 8);
	size = take(z, 16);
	check = take(z, 16);
	if (size < 0 || check < 0)
		return -EINVAL;
	if (size != (~check & 0xffff))
		return bad(z, "the length of a stored block is wrong");
	z->in_pos -= z->bits / 8; /* the rest is copied from the input */
	z->hold = z->bits = 0;
	if (z->in_size - z->in_pos < (size_t)size)
		return bad(z, "the data ends inside a block");
	err = size ? make_room(z, (size_t)size) : 0;
	if (err || !size)
		return err;
	memcpy(z->out + z->out_pos, z->in + z->in_pos, (size_t)size);
	z->in_pos += (size_t)size;
	z->out_pos += (size_t)size;
	return 0;
}

/* The fixed codes, RFC 1951 3.2.6. */
static void fixed_codes(struct gunzip *z)
{
	u8 length[HUFFMAN_SYMBOLS];
	unsigned longest;

	for (unsigned i = 0; i < HUFFMAN_SYMBOLS; i++)
		length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	(void)make_code(&z->literals, length, HUFFMAN_SYMBOLS, &longest);
	memset(length, 5, 32);
	(void)make_code(&z->distances, length, 32, &longest);
}

/* Reads count lengths, which are coded themselves. */
static int read_lengths(struct gunzip *z, const struct huffman *code, u8 *length, unsigned count)
{
	for (unsigned i = 0; i < count;) {
		int symbol = next_symbol(z, code), repeat;
		u8 value = 0;

		if (symbol < 0)
			return symbol;
		if (symbol < 16) {
			length[i++] = (u8)symbol;
			continue;
		}
		if (symbol == 16 && !i)
			return bad(z, "a length is repeated before the first one");
		if (symbol == 16)
			value = length[i - 1];
		repeat = symbol == 16 ? take(z, 2) : take(z, symbol == 17 ? 3 : 7);
		if (repeat < 0)
			return repeat;
		repeat += symbol == 18 ? 11 : 3;
		if (i + (unsigned)repeat > count)
			return bad(z, "a length is repeated too often");
		memset(length + i, value, (size_t)repeat);
		i += (unsigned)repeat;
	}
	return 0;
}

/* The codes in front of a block, RFC 1951 3.2.7. */
static int dynamic_codes(struct gunzip *z)
{
	static const u8 order[LENGTH_SYMBOLS] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
						  11, 4,  12, 3, 13, 2, 14, 1, 15 };
	u8 length[LITERALS_MAX + DISTANCES_MAX] = { 0 };
	int literals = take(z, 5), distances = take(z, 5), lengths = take(z, 4), err;
	unsigned longest;

	if (literals < 0 || distances < 0 || lengths < 0)
		return -EINVAL;
	literals += 257;
	distances += 1;
	if (literals > LITERALS_MAX || distances > DISTANCES_MAX)
		return bad(z, "a block has too many codes");
	for (int i = 0; i < lengths + 4; i++) {
		int bits = take(z, 3);

		if (bits < 0)
			return bits;
		length[order[i]] = (u8)bits;
	}
	if (make_code(&z->literals, length, LENGTH_SYMBOLS, &longest))
		return bad(z, "the code of the lengths is wrong");
	memset(length, 0, LENGTH_SYMBOLS);
	err = read_lengths(z, &z->literals, length, (unsigned)(literals + distances));
	if (err)
		return err;
	if (!length[END_OF_BLOCK])
		return bad(z, "a block has no code for its end");
	/* A code with one symbol has one bit, of which only one value stands for something. */
	err = make_code(&z->distances, length + literals, (unsigned)distances, &longest);
	if (err < 0 || (err && longest > 1))
		return bad(z, "the code of the distances is wrong");
	err = make_code(&z->literals, length, (unsigned)literals, &longest);
	if (err < 0 || (err && longest > 1))
		return bad(z, "the code of the literals is wrong");
	return 0;
}

/* Lengths and distances of copies, RFC 1951 3.2.5. */
static const u16 length_base[] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
				   31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const u8 length_extra[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
				   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
static const u16 distance_base[] = {
	1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
	193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577
};
static const u8 distance_extra[] = { 0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
				     6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13 };

/* Repeats bytes of the output. symbol: that of the length. */
static int copy(struct gunzip *z, unsigned symbol)
{
	size_t length, distance;
	int extra, err;

	if (symbol >= ARRAY_SIZE(length_base))
		return bad(z, "a length does not exist");
	extra = take(z, length_extra[symbol]);
	if (extra < 0)
		return extra;
	length = (size_t)length_base[symbol] + (size_t)extra;
	err = next_symbol(z, &z->distances);
	if (err < 0)
		return err;
	symbol = (unsigned)err;
	if (symbol >= ARRAY_SIZE(distance_base))
		return bad(z, "a distance does not exist");
	extra = take(z, distance_extra[symbol]);
	if (extra < 0)
		return extra;
	distance = (size_t)distance_base[symbol] + (size_t)extra;
	if (distance > z->out_pos)
		return bad(z, "a distance leads to before the beginning");
	err = make_room(z, length);
	if (err)
		return err;
	/* The two ranges may overlap: a distance of 1 repeats one byte. */
	for (; length; length--, z->out_pos++)
		z->out[z->out_pos] = z->out[z->out_pos - distance];
	return 0;
}

static int coded_block(struct gunzip *z)
{
	for (;;) {
		int symbol = next_symbol(z, &z->literals), err;

		if (symbol == END_OF_BLOCK)
			return 0;
		if (symbol < 0)
			return symbol;
		if (symbol > END_OF_BLOCK) {
			err = copy(z, (unsigned)symbol - END_OF_BLOCK - 1);
		} else {
			err = z->out_pos == z->out_size ? make_room(z, 1) : 0;
			if (!err)
				z->out[z->out_pos++] = (u8)symbol;
		}
		if (err)
			return err;
	}
}

static int inflate(struct gunzip *z)
{
	int last, type, err;

	do {
		last = take(z, 1);
		type = take(z, 2);
		if (last < 0 || type < 0)
			return -EINVAL;
		if (type == 3)
			return bad(z, "a block has an unknown type");
		err = 0;
		if (type == 1)
			fixed_codes(z);
		else if (type == 2)
			err = dynamic_codes(z);
		if (!err)
			err = type ? coded_block(z) : stored_block(z);
		if (err)
			return err;
	} while (!last);
	z->in_pos -= z->bits / 8;
	z->hold = z->bits = 0;
	return 0;
}

static void make_crc_table(struct gunzip *z)
{
	for (u32 i = 0; i < ARRAY_SIZE(z->crc); i++) {
		u32 value = i;

		for (unsigned bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
		z->crc[i] = value;
	}
}

static u32 crc32(const struct gunzip *z, const u8 *data, size_t size)
{
	u32 crc = ~0U;

	for (size_t i = 0; i < size; i++)
		crc = z->crc[(crc ^ data[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

static u32 get32(const u8 *p)
{
	return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

/* Skips a text with its NUL. */
static void skip_text(struct gunzip *z)
{
	while (z->in_pos < z->in_size && z->in[z->in_pos])
		z->in_pos++;
	z->in_pos++;
}

static int skip_header(struct gunzip *z)
{
	const u8 *header = z->in + z->in_pos;
	size_t left = z->in_size - z->in_pos, start = z->in_pos;
	u8 flags;

	if (left < 10 || !is_gzip(header, left))
		return bad(z, "no gzip file");
	flags = header[3];
	if (header[2] != 8 || (flags & FRESERVED))
		return bad(z, "an unknown method of compression");
	z->in_pos += 10;
	if ((flags & FEXTRA) && left < 12)
		return bad(z, "the data ends inside the header");
	if (flags & FEXTRA)
		z->in_pos += 2 + (size_t)(header[10] | header[11] << 8);
	if (flags & FNAME)
		skip_text(z);
	if (flags & FCOMMENT)
		skip_text(z);
	if (z->in_pos + (flags & FHCRC ? 2 : 0) > z->in_size)
		return bad(z, "the data ends inside the header");
	if (flags & FHCRC) {
		u32 sum = crc32(z, header, z->in_pos - start) & 0xffff;

		if (sum != (u32)(z->in[z->in_pos] | z->in[z->in_pos + 1] << 8))
			return bad(z, "the sum of the header is wrong");
		z->in_pos += 2;
	}
	return 0;
}

int gunzip(struct gunzip *z)
{
	const u8 *trailer;
	int err;

	make_crc_table(z);
	err = skip_header(z);
	if (!err)
		err = inflate(z);
	if (err)
		return err;
	if (z->in_size - z->in_pos < 8)
		return bad(z, "the data ends before the sum");
	trailer = z->in + z->in_pos;
	if (get32(trailer) != crc32(z, z->out, z->out_pos) || get32(trailer + 4) != (u32)z->out_pos)
		return bad(z, "the sum is wrong");
	z->in_pos += 8;
	return 0;
}
