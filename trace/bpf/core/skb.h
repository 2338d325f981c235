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
	u32 len;        /* bytes */
	u32 header_len; /* of the Ethernet header, before data */
};

/* Added to an offset: it counts from the network's header, or from Ethernet's. */
#define SKF_NET_OFF (-0x100000)
#define SKF_LL_OFF  (-0x200000)

/*
 * Reads size bytes (1, 2, 4) in network order at an offset. Negative: they are not all in the
 * packet.
 */
static inline s64 bpf_skb_load(const struct bpf_skb *skb, s64 offset, u32 size)
{
	s64 value = 0, start = 0;

	if (offset < SKF_NET_OFF) {
		start = -(s64)skb->header_len;
		offset += start - SKF_LL_OFF;
	} else if (offset < 0) {
		offset -= SKF_NET_OFF;
	}
	if (offset < start || offset + size > skb->len)
		return -1;
	for (u32 i = 0; i < size; i++)
		value = value << 8 | skb->data[offset + i];
	return value;
}
