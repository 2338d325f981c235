/* UDP: udp(7). */
#include "kernel/irq/softirq.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

#define UDP_HEADER ((unsigned)sizeof(struct udphdr))

static struct inet_table udp_table;

static struct udphdr *udp_hdr(struct sk_buff *skb)
{
	return (struct udphdr *)(skb->data + ip_hdrlen(skb));
}

static ssize_t send_packet(struct sock *sk, struct msghdr *msg, const struct flowi4 *fl, u16 port)
{
	size_t len = msg->iter.count;
	struct sk_buff *skb =
		ip_make_skb(fl, IPPROTO_UDP, (unsigned)(UDP_HEADER + len), GFP_KERNEL);

	if (!skb)
		return -ENOBUFS;
	*udp_hdr(skb) = (struct udphdr){ .source = htons(sk->num),
					 .dest = port,
					 .len = htons((u16)(UDP_HEADER + len)) };
	if (copy_from_iter(udp_hdr(skb) + 1, len, &msg->iter) != len) {
		kfree_skb(skb);
		return -EFAULT;
	}
	ip_local_out(skb, true);
	return (ssize_t)len;
}

static ssize_t udp_sendmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	struct flowi4 fl;
	u16 port;
	int err;

	(void)nonblock;
	if (msg->iter.count > 0xffff)
		return -EMSGSIZE;
	if (msg->flags & MSG_OOB)
		return -EOPNOTSUPP;
	err = datagram_dest(sk, msg, &fl, &port);
	if (err)
		return err;
	if (!port)
		return -EINVAL;
	err = sock_error(&sk->sock);
	if (!err)
		err = ip_route_output(&fl);
	if (!err && msg->iter.count > IP_MAX_LEN - IP_HEADER - fl.optlen - UDP_HEADER)
		err = -EMSGSIZE;
	if (!err && (READ_ONCE(sk->shutdown) & SHUT_SND))
		err = -EPIPE;
	if (!err && !READ_ONCE(sk->num))
		err = inet_autobind(sk);
	return err ? err : send_packet(sk, msg, &fl, port);
}

static ssize_t udp_recvmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	unsigned flags = msg->flags;
	struct sk_buff *skb;

	msg->flags = 0;
	if (flags & MSG_ERRQUEUE)
		return -EAGAIN;
	skb = skb_recv_datagram(sk, nonblock, flags & MSG_PEEK);
	if (IS_ERR_OR_NULL(skb))
		return PTR_ERR(skb);
	return datagram_copy(sk, msg, skb, udp_hdr(skb)->source, flags);
}

/* One receiver of a broadcast. */
static void deliver(struct sock *sk, struct sk_buff *skb)
{
	struct iphdr *ip = ip_hdr(skb);

	if ((sk->rcv_saddr && sk->rcv_saddr != ip->daddr) ||
	    (sk->daddr && sk->daddr != ip->saddr) ||
	    (sk->dport && sk->dport != udp_hdr(skb)->source))
		return;
	sock_queue_rcv_clone(sk, skb);
}

void udp_rcv(struct sk_buff *skb)
{
	struct iphdr *ip = ip_hdr(skb);
	struct sock *sk;
	u32 source;

	if (skb->len < ip_hdrlen(skb) + UDP_HEADER) { /* from a raw socket */
		kfree_skb(skb);
		return;
	}
	if (inet_addr_type(ip->daddr, &source) == RTN_BROADCAST) {
		inet_for_each(&udp_table, ntohs(udp_hdr(skb)->dest), deliver, skb);
		kfree_skb(skb);
		return;
	}
	sk = inet_lookup_dgram(&udp_table, ip->saddr, udp_hdr(skb)->source, ip->daddr,
			       ntohs(udp_hdr(skb)->dest));
	if (sk)
		sock_queue_rcv_skb(sk, skb, true);
	else
		icmp_send_unreachable(skb, ICMP_PORT_UNREACH);
	sock_put(sk);
}

/* The packet went from the socket that is meant. Only a connected one wants to know. */
void udp_err(const struct iphdr *ip, const struct udphdr *udp, u8 code)
{
	struct sock *sk =
		inet_lookup_dgram(&udp_table, ip->daddr, udp->dest, ip->saddr, ntohs(udp->source));

	if (sk && (READ_ONCE(sk->recverr) || READ_ONCE(sk->state) == TCP_ESTABLISHED))
		sk_report_error(sk, code == ICMP_PORT_UNREACH ? ECONNREFUSED : ENOPROTOOPT);
	sock_put(sk);
}

const struct proto udp_prot = {
	.name = "UDP",
	.size = sizeof(struct sock),
	.table = &udp_table,
	.ports = true,
	.close = datagram_close,
	.connect = datagram_connect,
	.disconnect = datagram_disconnect,
	.sendmsg = udp_sendmsg,
	.recvmsg = udp_recvmsg,
	.poll = datagram_poll,
	.ioctl = datagram_ioctl,
};
