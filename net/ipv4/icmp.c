/* ICMP: echoes, and messages that a packet was not delivered. icmp(7), RFC 792. */
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

#define ICMP_HEADER ((unsigned)sizeof(struct icmphdr))
/* A message has as much of the packet as fits into 576 bytes: RFC 1812, 4.3.2.3. */
#define QUOTE_MAX (576 - IP_HEADER - ICMP_HEADER)

static void set_csum(struct sk_buff *skb)
{
	struct icmphdr *icmp = ip_payload(skb);

	icmp->checksum = 0;
	icmp->checksum = ip_compute_csum(icmp, skb->len - IP_HEADER);
}

static noinline void icmp_reply(struct sk_buff *skb)
{
	struct icmphdr *icmp = ip_payload(skb);

	icmp->type = ICMP_ECHOREPLY;
	ip_reverse(skb, IPPROTO_ICMP, skb->len - IP_HEADER);
	set_csum(skb);
	ip_local_out(skb, true);
}

/* A request becomes its own reply. Requests to all are not answered, as on Linux. */
static noinline void icmp_echo(struct sk_buff *skb)
{
	u32 source;

	if (inet_addr_type(ip_hdr(skb)->daddr, &source) == RTN_LOCAL)
		icmp_reply(skb);
	else
		kfree_skb(skb);
}

/* The quoted packet names the socket that the error concerns. */
static void icmp_unreach(struct sk_buff *skb)
{
	struct icmphdr *icmp = ip_payload(skb);
	const struct iphdr *quote = (const void *)(icmp + 1);
	unsigned len = skb->len - IP_HEADER - ICMP_HEADER, header;

	if (len >= IP_HEADER && quote->protocol == IPPROTO_UDP) {
		header = (quote->version_ihl & 0xfU) * 4; /* a program may have made it */
		if (header >= IP_HEADER && len >= header + sizeof(struct udphdr))
			udp_err(quote, (const void *)((const u8 *)quote + header), icmp->code);
	}
	kfree_skb(skb);
}

void icmp_rcv(struct sk_buff *skb)
{
	struct icmphdr *icmp = ip_payload(skb);

	if (skb->len < IP_HEADER + ICMP_HEADER) {
		kfree_skb(skb);
		return;
	}
	switch (icmp->type) {
	case ICMP_ECHO:
		icmp_echo(skb);
		return;
	case ICMP_ECHOREPLY:
		ping_rcv(skb);
		return;
	case ICMP_DEST_UNREACH:
		icmp_unreach(skb);
		return;
	}
	kfree_skb(skb);
}

void icmp_send_unreachable(struct sk_buff *skb, u8 code)
{
	unsigned quoted = min(skb->len, QUOTE_MAX);
	struct iphdr *old = ip_hdr(skb);
	struct flowi4 fl = { .saddr = old->daddr, .daddr = old->saddr, .tos = 0xc0 };
	struct sk_buff *message = ip_make_skb(&fl, IPPROTO_ICMP, ICMP_HEADER + quoted, GFP_ATOMIC);

	if (message) {
		struct icmphdr *icmp = ip_payload(message);

		*icmp = (struct icmphdr){ .type = ICMP_DEST_UNREACH, .code = code };
		__builtin_memcpy(icmp + 1, skb->data, quoted);
		set_csum(message);
		ip_local_out(message, true);
	}
	kfree_skb(skb);
}
