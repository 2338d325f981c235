/* Hashes of kernel addresses: the first word of ChaCha20, with the address as the nonce. */
#include "kernel/random/hash_pointer.h"

#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/random/chacha20.h"
#include "kernel/random/random.h"

static u32 pointer_key[CHACHA20_KEY_WORDS]; /* constant after the boot */

unsigned long hash_pointer(unsigned long address)
{
	const u32 nonce[3] = { (u32)address, (u32)(address >> 32), 0x707472 };
	u32 block[CHACHA20_BLOCK_WORDS];

	if (!address || IS_ERR((void *)address))
		return address;
	chacha20_block(pointer_key, 0, nonce, block);
	return block[0];
}

static int __init hash_pointer_init(void)
{
	get_random_bytes(pointer_key, sizeof(pointer_key));
	return 0;
}
core_initcall(hash_pointer_init);
