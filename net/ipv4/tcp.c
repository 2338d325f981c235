/* TCP: the calls on a connection. See tcp.h. */
#include "net/ipv4/tcp.h"

#include "fs/file/poll.h"
#include "kernel/irq/softirq.h"

#define FIONREAD   0x541bU
#define TIOCOUTQ   0x5411U
#define SIOCATMARK 0x8905U

static struct inet_table tcp_table;

static void tcp_init_sock(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	INIT_LIST_HEAD(&tp->ofo);
	INIT_LIST_HEAD(&tp->accept_node);
	INIT_LIST_HEAD(&tp->accept_queue);
	INIT_LIST_HEAD(&tp->syn_queue);
	INIT_LIST_HEAD(&tp->refused);
	timer_setup(&tp->timer, tcp_timer);
	tcp_count_socket(1);
}

static void tcp_destroy(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tcp_forget_refused(tp);
	kfree_skb(tp->last_skb);
	skb_queue_purge(&tp->ofo);
	skb_queue_purge(&tp->syn_queue);
	tcp_count_socket(-1);
}

/* ---- sending ---- */

/* What a sender waits for: a connection and room in it, or memory of tcp_mem. */
enum { WAIT_FOR_ROOM = 1, WAIT_FOR_MEMORY };

/* Charges size bytes if they can be sent now: 0. Or what to wait for, or an errno. */
static int try_room(struct tcp_sock *tp, unsigned size)
{
	struct sock *sk = &tp->sk;
	int ret = 0;

	spin_lock_bh(&sk->lock);
	if (READ_ONCE(sk->sock.error))
		ret = sock_error(&sk->sock);
	else if (sk->shutdown & SHUT_SND)
		ret = -EPIPE;
	else if (!tcp_may_send(tp))
		ret = tcp_is_connecting(tp) ? WAIT_FOR_ROOM : -EPIPE;
	else if (tp->wmem >= (size_t)READ_ONCE(sk->sock.sndbuf))
		ret = WAIT_FOR_ROOM;
	else if (!tcp_charge(tp, size))
		ret = WAIT_FOR_MEMORY;
	spin_unlock_bh(&sk->lock);
	return ret;
}

/* Waits for a connection and for room. 0: size bytes are charged; or an errno. */
static int wait_for_room(struct tcp_sock *tp, unsigned size, s64 *timeout)
{
	int ret = try_room(tp, size);

	while (ret > 0) {
		int reason = ret;
		DEFINE_WAIT(wait);

		prepare_to_wait(&tp->sk.sock.wait, &wait, TASK_INTERRUPTIBLE);
		ret = try_room(tp, size);
		if (ret == reason)
			ret = sock_sleep(timeout) ?: reason;
		finish_wait(&tp->sk.sock.wait, &wait);
	}
	return ret;
}

/* One segment of the next bytes. Returns their number, or an errno. */
static ssize_t send_piece(struct tcp_sock *tp, struct msghdr *msg, s64 *timeout)
{
	unsigned len = (unsigned)min(msg->iter.count, (size_t)TCP_PIECE);
	int err = wait_for_room(tp, TCP_TRUESIZE(len), timeout);
	struct sk_buff *skb;

	if (err)
		return err;
	skb = tcp_alloc_data(len, GFP_KERNEL);
	if (!skb)
		return -ENOBUFS;
	if (copy_from_iter(skb->data + TCP_HEADERS, len, &msg->iter) != len) {
		kfree_skb(skb);
		return -EFAULT;
	}
	spin_lock_bh(&tp->sk.lock);
	if (tcp_may_send(tp) && !(tp->sk.shutdown & SHUT_SND)) {
		skb->charged = skb->truesize;
		tp->wmem += skb->charged;
		tcp_transmit(tp, skb, TCPHDR_ACK | TCPHDR_PSH);
		skb = NULL;
	}
	spin_unlock_bh(&tp->sk.lock);
	if (!skb)
		return (ssize_t)len;
	kfree_skb(skb); /* the connection has ended during the copy */
	return sock_error(&tp->sk.sock) ?: -EPIPE;
}

static ssize_t tcp_sendmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(sk->sock.sndtimeo), nonblock);
	struct tcp_sock *tp = tcp_sk(sk);
	ssize_t sent = 0, n = 0;

	if (msg->flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (!msg->iter.count) /* an error is told, too */
		n = tcp_may_send(tp) ? 0 : wait_for_room(tp, 0, &timeout);
	while (msg->iter.count) {
		n = send_piece(tp, msg, &timeout);
		if (n < 0)
			break;
		sent += n;
	}
	if (sent)
		return sent;
	if (n == -EPIPE && !(msg->flags & MSG_NOSIGNAL))
		send_sig(SIGPIPE);
	return n;
}

/* ---- receiving ---- */

static struct sk_buff *first_segment(struct tcp_sock *tp)
{
	struct sk_buff *skb;

	spin_lock_bh(&tp->sk.lock);
	skb = list_first_entry_or_null(&tp->sk.queue, struct sk_buff, list);
	spin_unlock_bh(&tp->sk.lock);
	return skb;
}

/* The program has n bytes of skb. recv_mutex held. */
static void consume(struct tcp_sock *tp, struct sk_buff *skb, size_t n)
{
	spin_lock_bh(&tp->sk.lock);
	skb->offset += (unsigned)n;
	tp->rcv_bytes -= n;
	if (skb->offset == skb->len) {
		list_del_init(&skb->list);
		tp->sk.rmem -= skb->truesize;
		/* Nobody waits for it after the end; its port may belong to another connection. */
		if (tp->sk.state == TCP_CLOSE)
			kfree_skb(skb);
		else
			tcp_send_ack(tp, skb);
	}
	spin_unlock_bh(&tp->sk.lock);
}

/* Copies from one segment; trunc: drops the bytes instead. Bytes, or -EFAULT. recv_mutex held. */
static ssize_t copy_segment(struct sk_buff *skb, struct msghdr *msg, bool trunc)
{
	size_t n = min((size_t)(skb->len - skb->offset), msg->iter.count);

	if (trunc) {
		iov_iter_truncate(&msg->iter, msg->iter.count - n);
		return (ssize_t)n;
	}
	n = copy_to_iter(skb->data + skb->offset, n, &msg->iter);
	return n ? (ssize_t)n : -EFAULT;
}

/* Looks at all that is there. Only this task takes segments out. recv_mutex held. */
static ssize_t peek_segments(struct tcp_sock *tp, struct msghdr *msg, bool trunc)
{
	struct sk_buff *skb = first_segment(tp);
	ssize_t copied = 0;

	while (skb && msg->iter.count) {
		ssize_t n = copy_segment(skb, msg, trunc);

		if (n < 0)
			return copied ? copied : n;
		copied += n;
		spin_lock_bh(&tp->sk.lock);
		skb = skb->list.next == &tp->sk.queue ? NULL : list_next_entry(skb, list);
		spin_unlock_bh(&tp->sk.lock);
	}
	return copied;
}

/* Will nothing more come? */
static bool receive_is_over(const struct tcp_sock *tp)
{
	return READ_ONCE(tp->sk.sock.error) || (READ_ONCE(tp->sk.shutdown) & SHUT_RCV) ||
	       READ_ONCE(tp->sk.state) == TCP_CLOSE;
}

/*
 * 0: go on waiting; 1: the end; or an errno. A call that has copied bytes leaves an error to the
 * next call.
 */
static int receive_end(struct tcp_sock *tp, bool copied)
{
	int err = copied || READ_ONCE(tp->fin_received) ? 0 : sock_error(&tp->sk.sock);

	if (err)
		return err;
	if (READ_ONCE(tp->sk.shutdown) & SHUT_RCV)
		return 1;
	return READ_ONCE(tp->sk.state) == TCP_CLOSE ? -ENOTCONN : 0;
}

/* Waits for data. recv_mutex held, and released during the wait. As receive_end(). */
static int wait_for_data(struct tcp_sock *tp, s64 *timeout, bool copied)
{
	DEFINE_WAIT(wait);
	int err = 0;
	bool over;

	prepare_to_wait(&tp->sk.sock.wait, &wait, TASK_INTERRUPTIBLE);
	over = receive_is_over(tp);
	/* Read after it: data that came before the end, or before an error, are received first. */
	if (!READ_ONCE(tp->rcv_bytes)) {
		err = over ? receive_end(tp, copied) : 0;
		if (!err) {
			mutex_unlock(&tp->sk.recv_mutex);
			err = sock_sleep(timeout);
			finish_wait(&tp->sk.sock.wait, &wait);
			mutex_lock(&tp->sk.recv_mutex);
		}
	}
	finish_wait(&tp->sk.sock.wait, &wait);
	return err;
}

static ssize_t tcp_recvmsg(struct sock *sk, struct msghdr *msg, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(sk->sock.rcvtimeo), nonblock);
	struct tcp_sock *tp = tcp_sk(sk);
	unsigned flags = msg->flags;
	size_t want = msg->iter.count;
	size_t target =
		flags & MSG_WAITALL ? want : min(want, (size_t)READ_ONCE(sk->sock.rcvlowat));
	ssize_t copied = 0, n = 0;

	msg->flags = 0;
	msg->namelen = 0;
	if (flags & MSG_ERRQUEUE)
		return -EAGAIN;
	if (flags & MSG_OOB)
		return -EINVAL;
	if (READ_ONCE(sk->state) == TCP_LISTEN)
		return -ENOTCONN;
	mutex_lock(&sk->recv_mutex);
	/* A call that wants no bytes waits for some, too, as on Linux. */
	do {
		struct sk_buff *skb = first_segment(tp);

		if (!skb) {
			if (copied && (size_t)copied >= target)
				break;
			n = wait_for_data(tp, &timeout, copied);
			if (n)
				break;
			continue;
		}
		if (!want)
			break;
		if (flags & MSG_PEEK) {
			n = copied = peek_segments(tp, msg, flags & MSG_TRUNC);
			break;
		}
		n = copy_segment(skb, msg, flags & MSG_TRUNC);
		if (n < 0)
			break;
		copied += n;
		consume(tp, skb, (size_t)n);
	} while (msg->iter.count || !want);
	mutex_unlock(&sk->recv_mutex);
	if (copied > 0)
		return copied;
	return n < 0 ? n : 0; /* 1: the end */
}

/* ---- the end ---- */

/* Tells the peer that the file is closed; unread: segments. S held; sk.dead is set. */
static void end_connection(struct tcp_sock *tp, struct list_head *unread)
{
	bool reset = !list_empty(unread) || (tp->sk.sock.linger && !tp->sk.sock.linger_seconds);

	switch (tp->sk.state) {
	case TCP_ESTABLISHED:
	case TCP_SYN_RECV:
	case TCP_CLOSE_WAIT:
		if (!reset) {
			tcp_send_fin(tp);
			return;
		}
		tcp_send_active_reset(tp, unread);
		break;
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
		/* The peer may wait for room, which comes from what is read here. */
		if (!list_empty(unread)) {
			tcp_send_active_reset(tp, unread);
			break;
		}
		if (tp->sk.state == TCP_FIN_WAIT2)
			tcp_start_timer(tp);
		return;
	case TCP_CLOSING:
	case TCP_LAST_ACK:
	case TCP_TIME_WAIT:
		return;
	default:
		break;
	}
	tcp_done(tp, 0);
}

static void tcp_close(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	LIST_HEAD(queue);
	bool listening, over;

	spin_lock_bh(&sk->lock);
	listening = sk->state == TCP_LISTEN;
	list_splice_tail_init(&sk->queue, &queue);
	list_splice_tail_init(&tp->ofo, &queue);
	tp->rcv_bytes = sk->rmem = 0;
	WRITE_ONCE(sk->dead, true);
	WRITE_ONCE(sk->shutdown, SHUT_ALL);
	end_connection(tp, &queue);
	over = sk->state == TCP_CLOSE;
	spin_unlock_bh(&sk->lock);
	if (listening)
		inet_csk_listen_stop(tp);
	if (over)
		tcp_unhash(tp);
	skb_queue_purge(&queue);
	sock_put(sk);
}

static int tcp_shutdown(struct sock *sk, unsigned how)
{
	struct tcp_sock *tp = tcp_sk(sk);
	enum sock_state state;

	spin_lock_bh(&sk->lock);
	state = sk->state;
	if (state != TCP_LISTEN && state != TCP_SYN_SENT) {
		WRITE_ONCE(sk->shutdown, sk->shutdown | how);
		if ((how & SHUT_SND) && (tcp_may_send(tp) || state == TCP_SYN_RECV))
			tcp_send_fin(tp);
	}
	spin_unlock_bh(&sk->lock);
	if (state == TCP_SYN_SENT || (state == TCP_LISTEN && (how & SHUT_RCV)))
		return tcp_disconnect(sk);
	sk_wake(sk, POLL_HUP);
	return state == TCP_CLOSE ? -ENOTCONN : 0;
}

/* ---- poll and options ---- */

static unsigned tcp_poll(struct file *file, struct sock *sk, struct poll_table_struct *wait)
{
	struct tcp_sock *tp = tcp_sk(sk);
	unsigned mask = 0, shutdown;
	enum sock_state state;

	poll_wait(file, &sk->sock.wait, wait);
	state = READ_ONCE(sk->state);
	shutdown = READ_ONCE(sk->shutdown);
	if (state == TCP_LISTEN)
		return list_empty(&tp->accept_queue) ? 0 : POLLIN | POLLRDNORM;
	if (shutdown == SHUT_ALL || state == TCP_CLOSE)
		mask |= POLLHUP;
	if (shutdown & SHUT_RCV)
		mask |= POLLIN | POLLRDNORM | POLLRDHUP;
	if (state != TCP_SYN_SENT && state != TCP_SYN_RECV) {
		if (READ_ONCE(tp->rcv_bytes) >= (size_t)max(READ_ONCE(sk->sock.rcvlowat), 1))
			mask |= POLLIN | POLLRDNORM;
		if ((shutdown & SHUT_SND) ||
		    (READ_ONCE(tp->wmem) * 3 / 2 < (size_t)READ_ONCE(sk->sock.sndbuf) &&
		     tcp_poll_memory(tp)))
			mask |= POLLOUT | POLLWRNORM;
	}
	if (READ_ONCE(sk->sock.error))
		mask |= POLLERR;
	return mask;
}

static long tcp_ioctl(struct sock *sk, unsigned cmd, unsigned long arg)
{
	struct tcp_sock *tp = tcp_sk(sk);
	int n = 0;

	if (cmd != FIONREAD && cmd != TIOCOUTQ && cmd != SIOCATMARK)
		return -ENOTTY;
	/* No byte of a stream is urgent, so the next one never is. A listener may ask, too. */
	if (cmd != SIOCATMARK && READ_ONCE(sk->state) == TCP_LISTEN)
		return -EINVAL;
	if (cmd == FIONREAD)
		n = (int)READ_ONCE(tp->rcv_bytes);
	/* What was sent has arrived: nothing waits at the sender. */
	return put_user(n, (int __user *)arg);
}

#define TCP_NODELAY 1
#define TCP_INFO    11

/* Options that are kept, and change nothing where nothing is lost or delayed. */
static const struct tcp_option {
	int name, least, most, usual;
} tcp_options[] = {
	{ TCP_NODELAY, -1, -1, 0 },
	{ 3 /* CORK */, -1, -1, 0 },
	{ TCP_MAXSEG, 88, 32767, 0 },
	{ 4 /* KEEPIDLE */, 1, 32767, 7200 },
	{ 5 /* KEEPINTVL */, 1, 32767, 75 },
	{ 6 /* KEEPCNT */, 1, 127, 9 },
	{ 7 /* SYNCNT */, 1, 127, 6 },
	{ 12 /* QUICKACK */, -1, -1, 1 },
	{ 18 /* USER_TIMEOUT */, 0, 0x7fffffff, 0 },
};

static const struct tcp_option *find_option(int name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tcp_options); i++)
		if (tcp_options[i].name == name)
			return &tcp_options[i];
	return NULL;
}

static int tcp_setsockopt(struct sock *sk, int level, int name, const char __user *value, int len)
{
	const struct tcp_option *option = find_option(name);
	int n;

	if (level != IPPROTO_TCP)
		return -ENOPROTOOPT;
	if (len < (int)sizeof(n))
		return -EINVAL;
	if (get_user(n, (const int __user *)value))
		return -EFAULT;
	if (!option)
		return -ENOPROTOOPT;
	if (option->most < 0)
		n = n != 0;
	else if ((n < option->least || n > option->most) && (n || name != TCP_MAXSEG))
		return -EINVAL;
	/* Kept as the difference, so that zeroed memory is right. */
	tcp_sk(sk)->options[name] = n - option->usual;
	return 0;
}

/* Of a connection: what both sides have agreed on. It never changes. */
static int maxseg(const struct tcp_sock *tp)
{
	if (tcp_may_send(tp))
		return (int)(tp->mss ? tp->mss - TCP_STAMPS : TCP_MSS_LO);
	return tp->options[TCP_MAXSEG] ? tp->options[TCP_MAXSEG] : (int)TCP_MSS_DEFAULT;
}

static int tcp_getsockopt(struct sock *sk, int level, int name, char __user *value,
			  int __user *ulen)
{
	const struct tcp_option *option = find_option(name);
	int n;

	if (level != IPPROTO_TCP)
		return -EOPNOTSUPP;
	if (name == TCP_INFO)
		return tcp_get_info(tcp_sk(sk), value, ulen);
	if (!option)
		return -ENOPROTOOPT;
	if (name == TCP_MAXSEG)
		n = maxseg(tcp_sk(sk));
	else
		n = tcp_sk(sk)->options[name] + option->usual;
	return put_option(&n, sizeof(n), value, ulen);
}

const struct proto tcp_prot = {
	.name = "TCP",
	.size = sizeof(struct tcp_sock),
	.table = &tcp_table,
	.ports = true,
	.init = tcp_init_sock,
	.destroy = tcp_destroy,
	.close = tcp_close,
	.connect = tcp_v4_connect,
	.disconnect = tcp_disconnect,
	.listen = tcp_listen,
	.accept = inet_csk_accept,
	.shutdown = tcp_shutdown,
	.sendmsg = tcp_sendmsg,
	.recvmsg = tcp_recvmsg,
	.poll = tcp_poll,
	.ioctl = tcp_ioctl,
	.setsockopt = tcp_setsockopt,
	.getsockopt = tcp_getsockopt,
};
