/* The block function of ChaCha20 (RFC 8439, section 2). */
#include "kernel/random/chacha20.h"

static u32 rotate_left(u32 value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

/* Section 2.1. */
static void quarter_round(u32 *s, unsigned a, unsigned b, unsigned c, unsigned d)
{
	s[a] += s[b];
	s[d] = rotate_left(s[d] ^ s[a], 16);
	s[c] += s[d];
	s[b] = rotate_left(s[b] ^ s[c], 12);
	s[a] += s[b];
	s[d] = rotate_left(s[d] ^ s[a], 8);
	s[c] += s[d];
	s[b] = rotate_left(s[b] ^ s[c], 7);
}

void chacha20_block(const u32 key[CHACHA20_KEY_WORDS], u32 counter, const u32 nonce[3],
		    u32 out[CHACHA20_BLOCK_WORDS])
{
	/* Section 2.3: four words of the text "expand 32-byte k", key, counter, nonce. */
	const u32 start[CHACHA20_BLOCK_WORDS] = {
		0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, /* */
		key[0],     key[1],     key[2],     key[3],     /* */
		key[4],     key[5],     key[6],     key[7],     /* */
		counter,    nonce[0],   nonce[1],   nonce[2],
	};

	for (unsigned i = 0; i < CHACHA20_BLOCK_WORDS; i++)
		out[i] = start[i];
	for (unsigned round = 0; round < 20; round += 2) {
		for (unsigned i = 0; i < 4; i++) /* columns */
			quarter_round(out, i, 4 + i, 8 + i, 12 + i);
		for (unsigned i = 0; i < 4; i++) /* diagonals */
			quarter_round(out, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
	}
	for (unsigned i = 0; i < CHACHA20_BLOCK_WORDS; i++)
		out[i] += start[i];
}
