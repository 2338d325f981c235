/* The stream cipher ChaCha20 (RFC 8439), as a generator of blocks. */
#pragma once

#include "kernel/types.h"

#define CHACHA20_KEY_WORDS   8
#define CHACHA20_BLOCK_WORDS 16

/*
 * The block function of RFC 8439, section 2.3: key, block counter and nonce give 64 bytes, which
 * are stored in the order of the bytes of the RFC. Any context.
 */
void chacha20_block(const u32 key[CHACHA20_KEY_WORDS], u32 counter, const u32 nonce[3],
		    u32 out[CHACHA20_BLOCK_WORDS]);
