/* SHA-1. */
#include "trace/bpf/syscall/sha1.h"

#include "kernel/lib/string.h"

#define BLOCK 64

static u32 rol(u32 value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

static void add_block(u32 h[5], const u8 *block)
{
	u32 w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (unsigned t = 0; t < 16; t++)
		w[t] = (u32)block[4 * t] << 24 | (u32)block[4 * t + 1] << 16 |
		       (u32)block[4 * t + 2] << 8 | block[4 * t + 3];
	for (unsigned t = 16; t < 80; t++)
		w[t] = rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (unsigned t = 0; t < 80; t++) {
		static const u32 k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
		u32 f = b ^ c ^ d, temp;

		if (t < 20)
			f = (b & c) | (~b & d);
		else if (t >= 40 && t < 60)
			f = (b & c) | (b & d) | (c & d);
		temp = rol(a, 5) + f + e + w[t] + k[t / 20];
		e = d;
		d = c;
		c = rol(b, 30);
		b = a;
		a = temp;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

/* The rest of the data, a bit 1, zeros, and the number of bits, in one block or two. */
static void add_end(u32 h[5], const u8 *rest, size_t size, u64 total)
{
	u8 end[2 * BLOCK] = { 0 };
	size_t blocks = size + 9 > BLOCK ? 2 : 1;

	memcpy(end, rest, size);
	end[size] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		end[blocks * BLOCK - 1 - i] = (u8)(total * 8 >> (8 * i));
	for (size_t i = 0; i < blocks; i++)
		add_block(h, end + i * BLOCK);
}

void sha1(const void *data, size_t size, u8 digest[SHA1_DIGEST_SIZE])
{
	u32 h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	const u8 *bytes = data;
	size_t rest = size;

	for (; rest >= BLOCK; rest -= BLOCK, bytes += BLOCK)
		add_block(h, bytes);
	add_end(h, bytes, rest, size);
	for (unsigned i = 0; i < SHA1_DIGEST_SIZE; i++)
		digest[i] = (u8)(h[i / 4] >> (24 - 8 * (i % 4)));
}
