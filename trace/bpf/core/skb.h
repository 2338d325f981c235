/*
 * The packet of a socket filter: only test runs have one. A program sees `struct __sk_buff` of
 * linux/bpf.h, and reads the bytes by LD | ABS and LD | IND. Pure.
 */
#pragma once

#include "kernel/types.h"

#define BPF_SK_BUFF_SIZE 192 /* struct __sk_buff */

struct bpf_skb {
	u8 uapi[BPF_SK_BUFF_SIZE]; /* first: the context of the program is its address */
	const u8 *data;
	u32 len; /* bytes */
};

/*
 * Reads size bytes (1, 2, 4) in network order at an offset. Negative: they are not all in the
 * packet. Offsets below 0 mean other headers on Linux; there are none here.
 */
static inline s64 bpf_skb_load(const struct bpf_skb *skb, s64 offset, u32 size)
{
	s64 value = 0;

	if (offset < 0 || offset + size > skb->len)
		return -1;
	for (u32 i = 0; i < size; i++)
		value = value << 8 | skb->data[offset + i];
	return value;
}
