/*
 * The context of SOCKET_FILTER programs, which only BPF_PROG_TEST_RUN runs: what they see as Linux's
 * struct __sk_buff, and a packet that is the data of the test run. Pure.
 */
#pragma once

#include "kernel/types.h"

#define BPF_SKB_SIZE 192

struct bpf_skb {
	/* struct __sk_buff */
	u32 len;
	u8 rest[BPF_SKB_SIZE - sizeof(u32)];
	/* Not visible. */
	const u8 *data; /* len bytes */
};

/*
 * Copies size bytes of the packet for LD_ABS, LD_IND and bpf_skb_load_bytes(). False: the packet is
 * not so long.
 */
bool bpf_skb_copy(const struct bpf_skb *skb, u64 offset, void *to, u32 size);
