/* Raw sockets: raw(7). A socket gets a copy of each packet of its protocol, with the IP header. */
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

static struct inet_table raw_table;

/* The program has made the IP header; the addresses and the length are ours. */
static int take_header(struct sk_buff *skb, const struct flowi4 *fl)
{
	struct iphdr *ip = ip_hdr(skb);

	if (skb->len < IP_HEADER || ip->version_ihl != 0x45)
		return -EINVAL;
	ip->tot_len = htons((u16)skb->len);
	if (!ip->saddr)
		ip->saddr = fl->saddr;
	return 0;
}

static ssize_t send_packet(struct sock *sk, struct msghdr *msg, const struct flowi4 *fl)
{
	size_t len = msg->iter.count;
	bool header = READ_ONCE(sk->hdrincl);
	struct sk_buff *skb = header ? alloc_skb((unsigned)len, GFP_KERNEL)
				     : ip_make_skb(fl, (u8)sk->num, (unsigned)len, GFP_KERNEL);
	int err = 0;

	if (!skb)
		return -ENOBUFS;
	if (copy_from_iter(header ? (void *)skb->data : ip_payload(skb), len, &msg->iter) != len)
		err = -EFAULT;
	if (!err && header)
		err = take_header(skb, fl);
	if (err) {
		kfree_skb(skb);
		return err;
	}
	ip_local_out(skb, true);
	return (ssize_t)len;
}

static ssize_t raw_sendmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	struct flowi4 fl;
	int err = datagram_route(sk, msg, READ_ONCE(sk->hdrincl) ? 0 : IP_HEADER, &fl);

	(void)nonblock;
	return err ? err : send_packet(sk, msg, &fl);
}

static ssize_t raw_recvmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	return datagram_recvmsg(sk, msg, nonblock);
}

/* ICMP_FILTER */
static bool filtered(const struct sock *sk, struct sk_buff *skb)
{
	const struct icmphdr *icmp = ip_payload(skb);

	return sk->num == IPPROTO_ICMP && skb->len >= IP_HEADER + sizeof(*icmp) &&
	       icmp->type < 32 && (READ_ONCE(sk->icmp_filter) >> icmp->type & 1);
}

static void deliver(struct sock *sk, struct sk_buff *skb)
{
	struct iphdr *ip = ip_hdr(skb);

	if ((sk->rcv_saddr && sk->rcv_saddr != ip->daddr) ||
	    (sk->daddr && sk->daddr != ip->saddr) || filtered(sk, skb))
		return;
	sock_queue_rcv_clone(sk, skb);
}

bool raw_local_deliver(struct sk_buff *skb)
{
	u16 protocol = ip_hdr(skb)->protocol;
	struct sock *sk =
		inet_lookup_dgram(&raw_table, ip_hdr(skb)->saddr, 0, ip_hdr(skb)->daddr, protocol);
	struct sk_buff *copy;

	if (!sk)
		return false;
	sock_put(sk);
	/* The protocol may answer with the packet itself. So the raw sockets share a copy. */
	copy = skb_copy(skb, GFP_ATOMIC);
	if (copy)
		inet_for_each(&raw_table, protocol, deliver, copy);
	kfree_skb(copy);
	return true;
}

const struct proto raw_prot = {
	.name = "RAW",
	.size = sizeof(struct sock),
	.table = &raw_table,
	.close = datagram_close,
	.connect = datagram_connect,
	.disconnect = datagram_disconnect,
	.sendmsg = raw_sendmsg,
	.recvmsg = raw_recvmsg,
	.poll = datagram_poll,
	.ioctl = datagram_ioctl,
};
