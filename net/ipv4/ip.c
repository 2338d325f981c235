/* IPv4: sending, and receiving what was sent. See ip.h. */
#include "net/ipv4/ip.h"

#include "kernel/errno.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

int ip_route_output(struct flowi4 *fl)
{
	bool may_broadcast = fl->broadcast;
	u32 source;

	if (fl->daddr == INADDR_ANY)
		fl->daddr = fl->saddr ? fl->saddr : INADDR_LOOPBACK;
	switch (inet_addr_type(fl->daddr, &source)) {
	case RTN_UNREACHABLE:
		return -ENETUNREACH;
	case RTN_BROADCAST:
		if (!may_broadcast)
			return -EACCES;
		break;
	case RTN_LOCAL:
		fl->broadcast = false;
	}
	if (!fl->saddr)
		fl->saddr = source;
	return 0;
}

u16 ip_compute_csum(const void *data, unsigned len)
{
	const u8 *p = data;
	u32 sum = 0;

	for (; len > 1; len -= 2, p += 2)
		sum += (u32)p[0] | (u32)p[1] << 8;
	if (len)
		sum += p[0];
	sum = (sum >> 16) + (sum & 0xffff);
	return (u16) ~(sum + (sum >> 16));
}

struct sk_buff *ip_make_skb(const struct flowi4 *fl, u8 protocol, unsigned len, gfp_t gfp)
{
	unsigned header = IP_HEADER + fl->optlen;
	struct sk_buff *skb = alloc_skb(header + len, gfp);

	if (!skb)
		return NULL;
	*ip_hdr(skb) = (struct iphdr){
		.version_ihl = (u8)(0x40 | header / 4),
		.tos = fl->tos,
		.tot_len = htons((u16)(header + len)),
		.frag_off = htons(0x4000), /* may not be cut to pieces */
		.ttl = fl->ttl ? fl->ttl : 64,
		.protocol = protocol,
		.saddr = fl->saddr,
		.daddr = fl->daddr,
	};
	memcpy(ip_hdr(skb) + 1, fl->options, fl->optlen);
	return skb;
}

void ip_reverse(struct sk_buff *skb, u8 protocol, unsigned len)
{
	struct iphdr *ip = ip_hdr(skb);
	u32 saddr = ip->saddr;

	ip->saddr = ip->daddr;
	ip->daddr = saddr;
	ip->protocol = protocol;
	ip->ttl = 64;
	ip->tot_len = htons((u16)(IP_HEADER + len));
	skb->len = IP_HEADER + len;
}

static noinline void ip_output(struct sk_buff *skb, bool may_drop)
{
	struct iphdr *ip = ip_hdr(skb);

	ip->check = 0;
	ip->check = ip_compute_csum(ip, ip_hdrlen(skb));
	dev_queue_xmit(skb, may_drop);
}

void ip_local_out(struct sk_buff *skb, bool may_drop)
{
	local_bh_disable();
	ip_output(skb, may_drop);
	local_bh_enable();
}

static noinline void ip_local_deliver(struct sk_buff *skb)
{
	bool raw = raw_local_deliver(skb);

	switch (ip_hdr(skb)->protocol) {
	case IPPROTO_ICMP:
		icmp_rcv(skb);
		return;
	case IPPROTO_UDP:
		udp_rcv(skb);
		return;
	case IPPROTO_TCP:
		tcp_v4_rcv(skb);
		return;
	}
	if (raw)
		kfree_skb(skb);
	else
		icmp_send_unreachable(skb, ICMP_PROT_UNREACH);
}

/*
 * What was sent arrives, even if lo has gone down or lost its address since: TCP never sends twice.
 */
void ip_rcv(struct sk_buff *skb)
{
	ip_local_deliver(skb);
}
