/* What UDP, raw and ping sockets share: a queue of packets, and a peer that is only a name. */
#include "fs/file/poll.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

#define FIONREAD 0x541bU
#define TIOCOUTQ 0x5411U

bool sock_has_room(const struct sock *sk)
{
	return READ_ONCE(sk->rmem) <= (size_t)READ_ONCE(sk->sock.rcvbuf);
}

void sock_queue_rcv_skb(struct sock *sk, struct sk_buff *skb, bool may_drop)
{
	bool queued = false;

	spin_lock_bh(&sk->lock);
	if (!sk->dead && (!may_drop || sock_has_room(sk))) {
		skb->stamp = sock_stamp(&sk->sock);
		sk->rmem += skb->truesize;
		list_add_tail(&skb->list, &sk->queue);
		queued = true;
	} else {
		sk->drops++;
	}
	spin_unlock_bh(&sk->lock);
	if (queued)
		sk_wake(sk, POLL_IN);
	else
		kfree_skb(skb);
}

void sock_queue_rcv_clone(struct sock *sk, const struct sk_buff *skb)
{
	struct sk_buff *clone = sock_has_room(sk) ? skb_clone(skb, GFP_ATOMIC) : NULL;

	if (clone) {
		sock_queue_rcv_skb(sk, clone, true);
		return;
	}
	spin_lock_bh(&sk->lock);
	sk->drops++;
	spin_unlock_bh(&sk->lock);
}

/* The first packet, or a clone of it for MSG_PEEK. NULL: there is none; or -ENOMEM. */
static struct sk_buff *take_first(struct sock *sk, bool peek)
{
	struct sk_buff *skb;

	spin_lock_bh(&sk->lock);
	skb = list_first_entry_or_null(&sk->queue, struct sk_buff, list);
	if (skb && peek) {
		skb = skb_clone(skb, GFP_ATOMIC) ?: ERR_PTR(-ENOMEM);
	} else if (skb) {
		list_del_init(&skb->list);
		sk->rmem -= skb->truesize;
	}
	spin_unlock_bh(&sk->lock);
	return skb;
}

struct sk_buff *skb_recv_datagram(struct sock *sk, bool nonblock, bool peek)
{
	s64 timeout = sock_timeout(READ_ONCE(sk->sock.rcvtimeo), nonblock);
	struct sk_buff *skb = NULL;
	int err = 0;

	while (!skb && !err) {
		DEFINE_WAIT(wait);

		prepare_to_wait(&sk->sock.wait, &wait, TASK_INTERRUPTIBLE);
		err = sock_error(&sk->sock);
		if (!err)
			skb = take_first(sk, peek);
		/* A socket that does not wait says EAGAIN, also after shutdown(2). */
		if (!err && !skb) {
			if ((READ_ONCE(sk->shutdown) & SHUT_RCV) && timeout) {
				finish_wait(&sk->sock.wait, &wait);
				return NULL;
			}
			err = sock_sleep(&timeout);
		}
		finish_wait(&sk->sock.wait, &wait);
	}
	return err ? ERR_PTR(err) : skb;
}

/* The bytes of a packet before those that the program gets. */
static unsigned skipped(const struct sock *sk, struct sk_buff *skb)
{
	if (sk->prot == &raw_prot)
		return 0;
	return ip_hdrlen(skb) + (sk->prot == &udp_prot ? (unsigned)sizeof(struct udphdr) : 0);
}

ssize_t datagram_copy(struct sock *sk, struct msghdr *msg, struct sk_buff *skb, u16 port,
		      unsigned flags)
{
	unsigned skip = skipped(sk, skb);
	size_t len = skb->len - skip, n = min(len, msg->iter.count);
	bool fault = copy_to_iter(skb->data + skip, n, &msg->iter) != n;

	msg->name.in = (struct sockaddr_in){ .sin_family = AF_INET,
					     .sin_port = port,
					     .sin_addr = ip_hdr(skb)->saddr };
	msg->namelen = sizeof(msg->name.in);
	msg->stamp = skb->stamp ?: sock_stamp(&sk->sock);
	ip_cmsg_note(sk, msg, skb);
	kfree_skb(skb); /* a message that cannot be copied is lost, as on Linux */
	if (fault)
		return -EFAULT;
	if (n < len)
		msg->flags |= MSG_TRUNC;
	return (ssize_t)(flags & MSG_TRUNC ? len : n);
}

int datagram_dest(struct sock *sk, const struct msghdr *msg, struct flowi4 *fl, u16 *port)
{
	const struct sockaddr_in *in = &msg->name.in;

	*fl = (struct flowi4){ .tos = (u8)READ_ONCE(sk->tos),
			       .ttl = (u8)READ_ONCE(sk->ttl),
			       .broadcast = READ_ONCE(sk->sock.broadcast) };
	spin_lock_bh(&sk->lock);
	fl->saddr = sk->saddr;
	fl->daddr = sk->daddr;
	fl->optlen = sk->optlen;
	memcpy(fl->options, sk->options, sk->optlen);
	*port = sk->dport;
	spin_unlock_bh(&sk->lock);
	if (msg->namelen) {
		if (msg->namelen < sizeof(*in))
			return -EINVAL;
		if (in->sin_family != AF_INET && in->sin_family != AF_UNSPEC)
			return -EAFNOSUPPORT;
		fl->daddr = in->sin_addr;
		*port = in->sin_port;
	} else if (READ_ONCE(sk->state) != TCP_ESTABLISHED) {
		return -EDESTADDRREQ;
	}
	return 0;
}

int datagram_route(struct sock *sk, const struct msghdr *msg, unsigned header, struct flowi4 *fl)
{
	u16 port;
	int err;

	if (msg->iter.count > 0xffff)
		return -EMSGSIZE;
	if (msg->flags & MSG_OOB)
		return -EOPNOTSUPP;
	err = datagram_dest(sk, msg, fl, &port);
	if (!err)
		err = ip_route_output(fl);
	return !err && msg->iter.count > IP_MAX_LEN - header ? -EMSGSIZE : err;
}

ssize_t datagram_recvmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	unsigned flags = msg->flags;
	struct sk_buff *skb;

	msg->flags = 0;
	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (flags & MSG_ERRQUEUE)
		return -EAGAIN;
	skb = skb_recv_datagram(sk, nonblock, flags & MSG_PEEK);
	return IS_ERR_OR_NULL(skb) ? PTR_ERR(skb) : datagram_copy(sk, msg, skb, 0, flags);
}

int datagram_connect(struct sock *sk, const struct sockaddr_in *to, int len, bool nonblock)
{
	struct flowi4 fl = { .broadcast = READ_ONCE(sk->sock.broadcast) };
	int err;

	(void)nonblock;
	if (len < (int)sizeof(*to))
		return -EINVAL;
	if (to->sin_family != AF_INET)
		return -EAFNOSUPPORT;
	fl.daddr = to->sin_addr;
	fl.saddr = READ_ONCE(sk->saddr);
	err = ip_route_output(&fl);
	if (!err && sk->prot->ports && !READ_ONCE(sk->num))
		err = inet_autobind(sk);
	if (err)
		return err;
	spin_lock_bh(&sk->lock);
	sk->daddr = fl.daddr;
	sk->dport = to->sin_port;
	if (!sk->saddr)
		sk->saddr = fl.saddr;
	if (!sk->rcv_saddr)
		sk->rcv_saddr = fl.saddr;
	WRITE_ONCE(sk->state, TCP_ESTABLISHED);
	spin_unlock_bh(&sk->lock);
	return 0;
}

int datagram_disconnect(struct sock *sk)
{
	bool unbind;

	mutex_lock(&sk->bind_mutex);
	unbind = sk->prot->ports && !sk->bound_port;
	spin_lock_bh(&sk->lock);
	sk->daddr = 0;
	sk->dport = 0;
	if (!sk->bound_addr)
		sk->saddr = sk->rcv_saddr = 0;
	WRITE_ONCE(sk->state, TCP_CLOSE);
	spin_unlock_bh(&sk->lock);
	if (unbind) {
		inet_unhash(sk);
		sk->num = 0;
	}
	mutex_unlock(&sk->bind_mutex);
	return 0;
}

void datagram_close(struct sock *sk)
{
	LIST_HEAD(queue);

	inet_unhash(sk);
	spin_lock_bh(&sk->lock);
	sk->dead = true;
	list_splice_tail_init(&sk->queue, &queue);
	sk->rmem = 0;
	spin_unlock_bh(&sk->lock);
	skb_queue_purge(&queue);
	sock_put(sk);
}

unsigned datagram_poll(struct file *file, struct sock *sk, struct poll_table_struct *wait)
{
	unsigned mask = POLLOUT | POLLWRNORM | POLLWRBAND, shutdown;

	poll_wait(file, &sk->sock.wait, wait);
	shutdown = READ_ONCE(sk->shutdown);
	if (READ_ONCE(sk->sock.error))
		mask |= POLLERR;
	if (shutdown & SHUT_RCV)
		mask |= POLLRDHUP | POLLIN | POLLRDNORM;
	if (shutdown == SHUT_ALL)
		mask |= POLLHUP;
	if (READ_ONCE(sk->rmem))
		mask |= POLLIN | POLLRDNORM;
	return mask;
}

long datagram_ioctl(struct sock *sk, unsigned cmd, unsigned long arg)
{
	struct sk_buff *skb;
	unsigned n = 0;

	switch (cmd) {
	case TIOCOUTQ:
		break; /* nothing waits at the sender */
	case FIONREAD:
		spin_lock_bh(&sk->lock);
		skb = list_first_entry_or_null(&sk->queue, struct sk_buff, list);
		if (skb)
			n = skb->len - skipped(sk, skb);
		spin_unlock_bh(&sk->lock);
		break;
	default:
		return -ENOTTY;
	}
	return put_user((int)n, (int __user *)arg);
}
