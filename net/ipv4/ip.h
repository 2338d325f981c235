/*
 * IPv4 between sockets of this machine. Packets have the headers that they would have on a wire,
 * because raw sockets show them. Nobody computes or checks sums but those of ICMP, which programs
 * look at.
 */
#pragma once

#include "net/core/byteorder.h"
#include "net/core/skbuff.h"

#define IPPROTO_IP   0
#define IPPROTO_ICMP 1
#define IPPROTO_TCP  6
#define IPPROTO_UDP  17
#define IPPROTO_RAW  255
#define IPPROTO_MAX  256

/* RFC 791. Numbers are in network byte order. */
struct iphdr {
	u8 version_ihl, tos;
	u16 tot_len, id, frag_off;
	u8 ttl, protocol;
	u16 check;
	u32 saddr, daddr;
};

/* RFC 792. */
struct icmphdr {
	u8 type, code;
	u16 checksum;
	union {
		struct {
			u16 id, sequence;
		} echo;
		u32 gateway;
	};
};

/* RFC 768. */
struct udphdr {
	u16 source, dest, len, check;
};

#define IP_HEADER    20U
#define MAX_IPOPTLEN 40     /* bytes of options behind the header */
#define IP_MAX_LEN   65535U /* of a packet */

static inline struct iphdr *ip_hdr(struct sk_buff *skb)
{
	return (struct iphdr *)skb->data;
}
/* With options; only packets of UDP have some. */
static inline unsigned ip_hdrlen(struct sk_buff *skb)
{
	return (ip_hdr(skb)->version_ihl & 0xfU) * 4;
}
/* Of a packet without options. */
static inline void *ip_payload(struct sk_buff *skb)
{
	return skb->data + IP_HEADER;
}

/* Where packets go, and how. */
struct flowi4 {
	u32 saddr, daddr;
	u8 tos, ttl;
	bool broadcast;                   /* in: may go to a broadcast address; out: does */
	u8 optlen, options[MAX_IPOPTLEN]; /* of the IP header: a multiple of 4 bytes */
};

/*
 * Fills in addresses that are not chosen yet. 0; -ENETUNREACH; -EACCES: a broadcast that is not
 * allowed. Any context but NMI and hardirq.
 */
int ip_route_output(struct flowi4 *fl);
/* A packet with room for len bytes behind its IP header, which is filled in. NULL: no memory. */
struct sk_buff *ip_make_skb(const struct flowi4 *fl, u8 protocol, unsigned len, gfp_t gfp);
/*
 * Sends a packet, which it takes over. It arrives before the call returns, unless softirqs are off
 * or busy. may_drop: see dev_queue_xmit(). Task or softirq context.
 */
void ip_local_out(struct sk_buff *skb, bool may_drop);
/* Turns a packet around: it goes back to the sender with this length. */
void ip_reverse(struct sk_buff *skb, u8 protocol, unsigned len);
/* A packet has arrived. Softirq context; takes it over. */
void ip_rcv(struct sk_buff *skb);
/* The sum of RFC 1071. */
u16 ip_compute_csum(const void *data, unsigned len);

/* ---- icmp.c ---- */

#define ICMP_ECHOREPLY    0
#define ICMP_DEST_UNREACH 3
#define ICMP_ECHO         8

#define ICMP_PROT_UNREACH 2
#define ICMP_PORT_UNREACH 3

void icmp_rcv(struct sk_buff *skb);
/* Tells the sender of a packet that it cannot be delivered; takes the packet over. */
void icmp_send_unreachable(struct sk_buff *skb, u8 code);
