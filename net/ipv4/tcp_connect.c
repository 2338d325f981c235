/* TCP: connect, listen, accept. See tcp.h. */
#include "kernel/irq/softirq.h"
#include "kernel/random/random.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/tcp.h"
#include "net/unix/unix.h"

/* ---- connect ---- */

/* Chooses the addresses of a connection, and sends the SYN. bind_mutex held. */
static int start_connection(struct tcp_sock *tp, const struct sockaddr_in *to)
{
	struct flowi4 fl = { .saddr = tp->sk.rcv_saddr, .daddr = to->sin_addr };
	struct sk_buff *syn, *last;
	int err = ip_route_output(&fl);

	if (err)
		return -ENETUNREACH;
	syn = tcp_alloc_skb(0, GFP_KERNEL);
	last = tcp_alloc_skb(0, GFP_KERNEL);
	if (!syn || !last) {
		kfree_skb(syn);
		kfree_skb(last);
		return -ENOBUFS;
	}
	spin_lock_bh(&tp->sk.lock);
	tp->sk.saddr = fl.saddr;
	tp->sk.daddr = fl.daddr;
	tp->sk.dport = to->sin_port;
	tp->iss = tp->snd_nxt = (u32)get_random_u64();
	tp->fin_sent = tp->fin_received = false;
	tp->counts = (struct tcp_counts){ 0 };
	kfree_skb(tp->last_skb);
	tp->last_skb = last;
	WRITE_ONCE(tp->sk.state, TCP_SYN_SENT);
	tp->ss = SS_CONNECTING;
	spin_unlock_bh(&tp->sk.lock);
	err = inet_hash_connect(&tp->sk);
	spin_lock_bh(&tp->sk.lock);
	if (err) {
		tcp_done(tp, 0);
		tp->ss = SS_UNCONNECTED;
	} else {
		if (!tp->sk.rcv_saddr)
			tp->sk.rcv_saddr = fl.saddr;
		/* A SYN or RST from another CPU may have come first: it was answered. */
		if (tp->sk.state == TCP_SYN_SENT) {
			tcp_transmit(tp, syn, TCPHDR_SYN);
			syn = NULL;
		}
	}
	spin_unlock_bh(&tp->sk.lock);
	kfree_skb(syn);
	return err;
}

int tcp_wait_for_connect(struct tcp_sock *tp, s64 *timeout)
{
	int err = 0;

	while (!err) {
		DEFINE_WAIT(wait);

		prepare_to_wait(&tp->sk.sock.wait, &wait, TASK_INTERRUPTIBLE);
		if (READ_ONCE(tp->sk.state) != TCP_SYN_SENT &&
		    READ_ONCE(tp->sk.state) != TCP_SYN_RECV) {
			finish_wait(&tp->sk.sock.wait, &wait);
			break;
		}
		err = sock_sleep(timeout);
		finish_wait(&tp->sk.sock.wait, &wait);
	}
	return err;
}

/* Does the peer still have the connection? As tcp_need_reset() of Linux. */
static bool needs_reset(const struct tcp_sock *tp)
{
	return tcp_may_send(tp) || tp->sk.state == TCP_SYN_RECV || tp->sk.state == TCP_FIN_WAIT1 ||
	       tp->sk.state == TCP_FIN_WAIT2;
}

/* Ends the connection, and leaves nothing of it to the next one. recv_mutex, bind_mutex held. */
static void disconnect(struct tcp_sock *tp)
{
	struct sk_buff *spare = tcp_alloc_skb(0, GFP_KERNEL);
	struct sock *sk = &tp->sk;
	LIST_HEAD(queue);
	bool listening;

	spin_lock_bh(&sk->lock);
	listening = sk->state == TCP_LISTEN;
	list_splice_tail_init(&sk->queue, &queue);
	list_splice_tail_init(&tp->ofo, &queue);
	if (!tp->last_skb) /* the FIN was sent with it */
		swap(tp->last_skb, spare);
	if (needs_reset(tp))
		tcp_send_active_reset(tp, &queue);
	tcp_done(tp, 0);
	tp->ss = SS_UNCONNECTED;
	WRITE_ONCE(sk->shutdown, 0);
	tp->rcv_bytes = tp->sk.rmem = tp->wmem = 0;
	WRITE_ONCE(tp->fin_received, false);
	sk->daddr = 0;
	sk->dport = 0;
	if (!sk->bound_addr)
		sk->rcv_saddr = sk->saddr = 0;
	spin_unlock_bh(&sk->lock);
	if (listening)
		inet_csk_listen_stop(tp);
	tcp_unhash(tp);
	skb_queue_purge(&queue);
	kfree_skb(spare);
}

int tcp_disconnect(struct sock *sk)
{
	mutex_lock(&sk->recv_mutex);
	mutex_lock(&sk->bind_mutex);
	disconnect(tcp_sk(sk));
	mutex_unlock(&sk->bind_mutex);
	mutex_unlock(&sk->recv_mutex);
	sk_wake(sk, POLL_HUP);
	return 0;
}

/* What connect(2) finds when the handshake is over. */
static int connect_result(struct tcp_sock *tp)
{
	int err = 0;

	mutex_lock(&tp->sk.recv_mutex);
	mutex_lock(&tp->sk.bind_mutex); /* no other connection begins meanwhile */
	spin_lock_bh(&tp->sk.lock);
	if (tp->sk.state == TCP_CLOSE)
		err = sock_error(&tp->sk.sock) ?: -ECONNABORTED;
	else
		tp->ss = SS_CONNECTED;
	spin_unlock_bh(&tp->sk.lock);
	if (err)
		disconnect(tp);
	mutex_unlock(&tp->sk.bind_mutex);
	mutex_unlock(&tp->sk.recv_mutex);
	return err;
}

/* The first call. 0: the SYN is on its way; or an errno. */
static int begin_connect(struct tcp_sock *tp, const struct sockaddr_in *to, int len)
{
	int err;

	mutex_lock(&tp->sk.bind_mutex);
	if (tp->ss != SS_UNCONNECTED)
		err = tp->ss == SS_CONNECTED ? -EISCONN : -EALREADY;
	else if (tp->sk.state != TCP_CLOSE)
		err = -EISCONN;
	else if (len < (int)sizeof(*to))
		err = -EINVAL;
	else if (to->sin_family != AF_INET)
		err = -EAFNOSUPPORT;
	else
		err = start_connection(tp, to);
	mutex_unlock(&tp->sk.bind_mutex);
	return err;
}

int tcp_v4_connect(struct sock *sk, const struct sockaddr_in *to, int len, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(sk->sock.sndtimeo), nonblock);
	struct tcp_sock *tp = tcp_sk(sk);
	int err, pending = -EINPROGRESS;

	err = begin_connect(tp, to, len);
	if (err == -EALREADY)
		pending = err;
	else if (err)
		return err;
	/* A call that does not wait says so even if the answer has come already, as on Linux. */
	if (nonblock && (pending == -EINPROGRESS || tcp_is_connecting(tp)))
		return pending;
	err = tcp_wait_for_connect(tp, &timeout);
	if (err)
		return err == -EAGAIN ? pending : err;
	return connect_result(tp);
}

/* ---- listen and accept ---- */

static void answer_syns(struct tcp_sock *tp)
{
	local_bh_disable();
	tcp_answer_syns(tp);
	local_bh_enable();
}

int tcp_listen(struct sock *sk, int backlog)
{
	struct tcp_sock *tp = tcp_sk(sk);
	int err = 0;

	if ((unsigned)backlog > (unsigned)READ_ONCE(unix_somaxconn))
		backlog = READ_ONCE(unix_somaxconn);
	mutex_lock(&sk->bind_mutex);
	if (tp->ss != SS_UNCONNECTED || (sk->state != TCP_CLOSE && sk->state != TCP_LISTEN))
		err = -EINVAL;
	if (!err && !sk->num)
		err = inet_get_port(sk, 0);
	if (!err) {
		spin_lock_bh(&sk->lock);
		tp->backlog = (unsigned)backlog;
		spin_unlock_bh(&sk->lock);
		if (sk->state != TCP_LISTEN)
			err = inet_hash_listener(sk);
		else
			answer_syns(tp);
	}
	mutex_unlock(&sk->bind_mutex);
	return err;
}

/* The first connection, or NULL. A SYN that waits takes its place. */
static struct tcp_sock *take_connection(struct tcp_sock *tp)
{
	struct tcp_sock *child;

	spin_lock_bh(&tp->sk.lock);
	child = list_first_entry_or_null(&tp->accept_queue, struct tcp_sock, accept_node);
	if (child) {
		list_del_init(&child->accept_node);
		tp->qlen--;
	}
	spin_unlock_bh(&tp->sk.lock);
	if (child)
		answer_syns(tp);
	return child;
}

struct sock *inet_csk_accept(struct sock *sk, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(sk->sock.rcvtimeo), nonblock);
	struct tcp_sock *tp = tcp_sk(sk), *child = NULL;
	int err = 0;

	while (!child && !err) {
		DEFINE_WAIT(wait);

		prepare_to_wait_exclusive(&sk->sock.wait, &wait, TASK_INTERRUPTIBLE);
		if (READ_ONCE(sk->state) != TCP_LISTEN)
			err = -EINVAL;
		else
			child = take_connection(tp);
		if (!child && !err)
			err = sock_sleep(&timeout);
		finish_wait(&sk->sock.wait, &wait);
	}
	return child ? &child->sk : ERR_PTR(err);
}

void inet_csk_listen_stop(struct tcp_sock *tp)
{
	struct tcp_sock *child, *next;
	struct sk_buff *skb, *next_skb;
	LIST_HEAD(children);
	LIST_HEAD(syns);

	spin_lock_bh(&tp->sk.lock);
	list_splice_tail_init(&tp->accept_queue, &children);
	list_splice_tail_init(&tp->syn_queue, &syns);
	tp->syn_qlen = 0;
	list_for_each_entry (child, &children, accept_node)
		tp->qlen--;
	spin_unlock_bh(&tp->sk.lock);
	list_for_each_entry_safe (child, next, &children, accept_node) {
		list_del_init(&child->accept_node);
		spin_lock_bh(&child->sk.lock);
		if (child->sk.state != TCP_CLOSE)
			tcp_send_active_reset(child, &child->sk.queue);
		tcp_done(child, 0);
		spin_unlock_bh(&child->sk.lock);
		tcp_prot.close(&child->sk);
	}
	list_for_each_entry_safe (skb, next_skb, &syns, list) {
		list_del_init(&skb->list);
		tcp_send_reset(skb);
	}
}

/* Asks a few of the connections, and takes them for all: a queue may have thousands. */
size_t tcp_listener_memory(struct tcp_sock *tp)
{
	const unsigned most = 16;
	struct tcp_sock *child;
	unsigned asked = 0;
	size_t bytes = 0;

	spin_lock_bh(&tp->sk.lock);
	list_for_each_entry (child, &tp->accept_queue, accept_node) {
		if (asked == most)
			break;
		bytes += READ_ONCE(child->sk.rmem);
		asked++;
	}
	bytes = bytes * tp->qlen / max(asked, 1U);
	bytes += tp->qlen * (sizeof(*child) + TCP_TRUESIZE(0)) + tp->syn_qlen * TCP_TRUESIZE(0);
	spin_unlock_bh(&tp->sk.lock);
	return bytes;
}
