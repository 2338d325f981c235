/* Control messages about received packets: what ip(7) says of IP_PKTINFO, IP_RECVTTL and others. */
#include "kernel/lib/string.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

#define IP_TOS             1
#define IP_TTL             2
#define IP_RECVOPTS        6
#define IP_RETOPTS         7
#define IP_PKTINFO         8
#define IP_RECVTTL         12
#define IP_RECVTOS         13
#define IP_RECVORIGDSTADDR 20

struct in_pktinfo {
	int ifindex;
	u32 spec_dst, addr;
};

static size_t get_pktinfo(const struct ip_cmsg *ip, void *data)
{
	struct in_pktinfo info = { LOOPBACK_IFINDEX, ip->daddr, ip->daddr };
	u32 source;

	/* An answer to a broadcast would come from the address of the interface. */
	if (inet_addr_type(ip->daddr, &source) == RTN_BROADCAST)
		info.spec_dst = source;
	memcpy(data, &info, sizeof(info));
	return sizeof(info);
}

static size_t get_ttl(const struct ip_cmsg *ip, void *data)
{
	int ttl = ip->ttl;

	memcpy(data, &ttl, sizeof(ttl));
	return sizeof(ttl);
}

static size_t get_tos(const struct ip_cmsg *ip, void *data)
{
	memcpy(data, &ip->tos, sizeof(ip->tos));
	return sizeof(ip->tos);
}

static size_t get_options(const struct ip_cmsg *ip, void *data)
{
	memcpy(data, ip->options, ip->optlen);
	return ip->optlen;
}

/* The options for an answer: those that name a way back, and a packet here has none. */
static size_t get_retopts(const struct ip_cmsg *ip, void *data)
{
	(void)ip;
	(void)data;
	return 0;
}

static size_t get_origdstaddr(const struct ip_cmsg *ip, void *data)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = ip->dport,
				  .sin_addr = ip->daddr };

	memcpy(data, &in, sizeof(in));
	return sizeof(in);
}

/* In the order in which a program gets them. */
static const struct {
	int option, type;
	bool with_options; /* only a packet with IP options gets this message */
	size_t (*get)(const struct ip_cmsg *ip, void *data);
} table[] = {
	{ IP_PKTINFO, IP_PKTINFO, false, get_pktinfo },
	{ IP_RECVTTL, IP_TTL, false, get_ttl },
	{ IP_RECVTOS, IP_TOS, false, get_tos },
	{ IP_RECVOPTS, IP_RECVOPTS, true, get_options },
	{ IP_RETOPTS, IP_RETOPTS, true, get_retopts },
	{ IP_RECVORIGDSTADDR, IP_RECVORIGDSTADDR, false, get_origdstaddr },
};

unsigned ip_cmsg_bit(int name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].option == name)
			return 1U << i;
	return 0;
}

void ip_cmsg_note(const struct sock *sk, struct msghdr *msg, struct sk_buff *skb)
{
	const struct iphdr *header = ip_hdr(skb);
	struct ip_cmsg *ip = &msg->ip;

	ip->wanted = READ_ONCE(sk->cmsg);
	if (!ip->wanted)
		return;
	ip->daddr = header->daddr;
	ip->ttl = header->ttl;
	ip->tos = header->tos;
	ip->optlen = (u8)(ip_hdrlen(skb) - IP_HEADER);
	memcpy(ip->options, header + 1, ip->optlen);
	if (skb->len >= ip_hdrlen(skb) + sizeof(struct udphdr))
		ip->dport = ((struct udphdr *)(skb->data + ip_hdrlen(skb)))->dest;
}

size_t inet_scm_recv(struct socket *sock, struct msghdr *msg, void __user *control, size_t len,
		     unsigned flags)
{
	u8 data[MAX_IPOPTLEN];
	size_t at = 0;

	(void)flags;
	put_stamp(sock, msg, control, len, &at);
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if ((msg->ip.wanted >> i & 1) && (msg->ip.optlen || !table[i].with_options))
			(void)put_cmsg(msg, control, len, &at, IPPROTO_IP, table[i].type, data,
				       table[i].get(&msg->ip, data));
	return at;
}
