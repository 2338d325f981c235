/*
 * Packets. A packet belongs to one owner at a time: a sender, a backlog, a queue of a socket.
 * Several packets may share their bytes.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/compiler.h"
#include "kernel/lib/list.h"
#include "kernel/mm/gfp.h"

/* The owner may change all fields, and the bytes, unless they are shared. */
struct sk_buff {
	struct list_head list;
	unsigned len;      /* bytes at data, from the IP header on */
	unsigned offset;   /* of the first byte that the program has not read yet */
	unsigned truesize; /* memory */
	unsigned charged;  /* TCP: what the sender counts until the segment has come back */
	u64 stamp;         /* when it reached a socket that asks for it; 0: not noted */
	u16 mss;           /* TCP, of a SYN: what its sender asks for by TCP_MAXSEG; 0: nothing */
	bool from_tcp;     /* a segment that TCP has made, and no program */
	atomic_t users;    /* of bytes: the packets that share them */
	/* Called before the packet is freed, in the context of kfree_skb(). NULL: nothing to do. */
	void (*destructor)(struct sk_buff *skb);
	u8 *data;   /* bytes of this packet, or of the one that it is a clone of */
	u8 bytes[]; /* of a clone: none */
};

/* A packet of len bytes, or NULL: memory is short. Any context but NMI, as gfp allows. */
struct sk_buff *alloc_skb(unsigned len, gfp_t gfp);
/* A copy with bytes of its own. */
struct sk_buff *skb_copy(const struct sk_buff *skb, gfp_t gfp);
/* The packet for a second receiver, with the same bytes: from now on nobody may change them. */
struct sk_buff *skb_clone(const struct sk_buff *skb, gfp_t gfp);
/* Frees a packet that is in no list. NULL is fine. Any context but NMI. */
void kfree_skb(struct sk_buff *skb);
/* Frees all packets of a list that nobody else sees. */
void skb_queue_purge(struct list_head *queue);
