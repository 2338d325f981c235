/*
 * The random number generator.
 *
 * One key of ChaCha20 is the whole state. Each call makes one block from the key: its first half
 * replaces the key, so that the state does not tell what was given out before, and its second half
 * is the key of the caller's own stream. The lock is held for one block only.
 *
 * The seed comes from the CPU's random instructions where it has them, and from the low bits of the
 * time-stamp counter, which depend on when interrupts and memory accesses happen. The generator
 * mixes in both again every few minutes of output.
 */
#include "kernel/random/random.h"

#include "arch/time/clock.h"
#include "arch/cpu/random.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"

#define RESEED_CALLS 4096

static DEFINE_SPINLOCK(random_lock);       /* a leaf, with interrupts off */
static u32 random_key[CHACHA20_KEY_WORDS]; /* [random_lock] */
static unsigned calls_until_reseed;        /* [random_lock] */

/* Sums up how long accesses take: bits that differ from boot to boot. */
static u64 timing_jitter(void)
{
	u64 sum = 0, last = arch_cycles();

	for (unsigned i = 0; i < 64; i++) {
		u64 now = arch_cycles();

		sum = (sum << 7 | sum >> 57) ^ (now - last) ^ now;
		last = now;
	}
	return sum;
}

/* Mixes 64 bits into the key: the next key depends on the old one and on the value. Lock held. */
static void mix(u64 value)
{
	const u32 nonce[3] = { (u32)value, (u32)(value >> 32), 0x6d6978 };
	u32 block[CHACHA20_BLOCK_WORDS];

	chacha20_block(random_key, 0, nonce, block);
	memcpy(random_key, block, sizeof(random_key));
	memset(block, 0, sizeof(block));
}

static void reseed(void)
{
	u64 value;

	for (unsigned i = 0; i < 4; i++) {
		if (arch_get_random(&value))
			mix(value);
		mix(timing_jitter());
	}
	calls_until_reseed = RESEED_CALLS;
}

/* Makes a key for one caller. */
static void new_key(u32 key[CHACHA20_KEY_WORDS])
{
	static const u32 nonce[3];
	u32 block[CHACHA20_BLOCK_WORDS];
	unsigned long flags;

	spin_lock_irqsave(&random_lock, flags);
	if (!calls_until_reseed--)
		reseed();
	chacha20_block(random_key, 0, nonce, block);
	memcpy(random_key, block, sizeof(random_key));
	spin_unlock_irqrestore(&random_lock, flags);
	memcpy(key, block + CHACHA20_KEY_WORDS, CHACHA20_KEY_WORDS * sizeof(u32));
	memset(block, 0, sizeof(block));
}

void random_stream_begin(struct random_stream *stream)
{
	stream->counter = 0;
	new_key(stream->key);
}

void random_stream_next(struct random_stream *stream)
{
	static const u32 nonce[3];

	chacha20_block(stream->key, stream->counter++, nonce, stream->block);
}

void get_random_bytes(void *buf, size_t len)
{
	struct random_stream stream = { 0 };
	u8 *to = buf;

	random_stream_begin(&stream);
	if (len <= sizeof(stream.key)) { /* the key itself is as random, and then nobody has it */
		memcpy(buf, stream.key, len);
		len = 0;
	}
	while (len) {
		size_t n = min(len, sizeof(stream.block));

		random_stream_next(&stream);
		memcpy(to, stream.block, n);
		to += n;
		len -= n;
	}
	memset(&stream, 0, sizeof(stream));
}

void add_random_bytes(const void *buf, size_t len)
{
	const u8 *from = buf;
	unsigned long flags;

	while (len) {
		size_t n = min(len, sizeof(u64));
		u64 value = 0;

		memcpy(&value, from, n);
		spin_lock_irqsave(&random_lock, flags);
		mix(value);
		spin_unlock_irqrestore(&random_lock, flags);
		from += n;
		len -= n;
	}
}

static int __init random_init(void)
{
	unsigned long flags;

	spin_lock_irqsave(&random_lock, flags);
	reseed();
	spin_unlock_irqrestore(&random_lock, flags);
	return 0;
}
early_initcall(random_init);
