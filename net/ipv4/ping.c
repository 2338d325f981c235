/*
 * Ping sockets: SOCK_DGRAM with IPPROTO_ICMP, icmp(7). They send echo requests with their port as
 * identifier, and get the replies with that identifier.
 */
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

#include "fs/proc/proc_fs.h"

static struct inet_table ping_table;
/* The groups that may make ping sockets; the first is larger than the last: none, as on Linux. */
static int ping_group_range[2] = { 1, 0 };

bool ping_allowed(void)
{
	const struct cred *cred = current_cred();
	u32 first = (u32)READ_ONCE(ping_group_range[0]), last = (u32)READ_ONCE(ping_group_range[1]);

	if (cred->egid >= first && cred->egid <= last)
		return true;
	for (unsigned i = 0; i < cred->group_info->ngroups; i++)
		if (cred->group_info->gid[i] >= first && cred->group_info->gid[i] <= last)
			return true;
	return false;
}

static ssize_t send_echo(struct sock *sk, struct msghdr *msg, const struct flowi4 *fl)
{
	size_t len = msg->iter.count;
	struct sk_buff *skb = ip_make_skb(fl, IPPROTO_ICMP, (unsigned)len, GFP_KERNEL);
	struct icmphdr *icmp;
	int err = 0;

	if (!skb)
		return -ENOBUFS;
	icmp = ip_payload(skb);
	if (copy_from_iter(icmp, len, &msg->iter) != len)
		err = -EFAULT;
	else if (icmp->type != ICMP_ECHO || icmp->code)
		err = -EINVAL;
	if (err) {
		kfree_skb(skb);
		return err;
	}
	icmp->echo.id = htons(sk->num);
	icmp->checksum = 0;
	icmp->checksum = ip_compute_csum(icmp, (unsigned)len);
	ip_local_out(skb, true);
	return (ssize_t)len;
}

static ssize_t ping_sendmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	struct flowi4 fl;
	int err;

	(void)nonblock;
	if (msg->iter.count < sizeof(struct icmphdr))
		return -EINVAL;
	err = datagram_route(sk, msg, IP_HEADER, &fl);
	if (!err && !READ_ONCE(sk->num))
		err = inet_autobind(sk);
	return err ? err : send_echo(sk, msg, &fl);
}

static ssize_t ping_recvmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	return datagram_recvmsg(sk, msg, nonblock);
}

void ping_rcv(struct sk_buff *skb)
{
	struct icmphdr *icmp = ip_payload(skb);
	struct iphdr *ip = ip_hdr(skb);
	struct sock *sk =
		inet_lookup_dgram(&ping_table, ip->saddr, 0, ip->daddr, ntohs(icmp->echo.id));

	if (sk)
		sock_queue_rcv_skb(sk, skb, true);
	else
		kfree_skb(skb);
	sock_put(sk);
}

const struct proto ping_prot = {
	.name = "PING",
	.size = sizeof(struct sock),
	.table = &ping_table,
	.ports = true,
	.close = datagram_close,
	.connect = datagram_connect,
	.disconnect = datagram_disconnect,
	.sendmsg = ping_sendmsg,
	.recvmsg = ping_recvmsg,
	.poll = datagram_poll,
	.ioctl = datagram_ioctl,
};

SYSCTL_INT(ping_group_range, "net/ipv4", ping_group_range, proc_dointvec);
