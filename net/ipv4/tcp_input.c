/* TCP: segments arrive, in softirq context. See tcp.h. */
#include "kernel/errno.h"
#include "kernel/irq/softirq.h"
#include "kernel/random/random.h"
#include "kernel/time/ktime.h"
#include "net/ipv4/tcp.h"

/* ---- the end of a connection ---- */

/* net.ipv4.tcp_max_tw_buckets: they have no file, so nothing else limits their memory. */
#define TIME_WAIT_MAX 16384
static atomic_t time_wait_count;

void tcp_done(struct tcp_sock *tp, int error)
{
	if (tp->sk.state == TCP_TIME_WAIT)
		atomic_dec(&time_wait_count);
	if (error)
		WRITE_ONCE(tp->sk.sock.error, error);
	WRITE_ONCE(tp->sk.state, TCP_CLOSE);
	WRITE_ONCE(tp->sk.shutdown, SHUT_ALL);
	if (del_timer(&tp->timer))
		sock_put(&tp->sk); /* not the last one: the caller has one */
}

void tcp_unhash(struct tcp_sock *tp)
{
	if (READ_ONCE(tp->sk.dead))
		inet_unhash(&tp->sk);
	else
		inet_unhash_connection(&tp->sk);
}

void tcp_start_timer(struct tcp_sock *tp)
{
	if (!mod_timer(&tp->timer, ktime_get() + TCP_TIMEWAIT_LEN))
		sock_hold(&tp->sk);
}

void tcp_timer(struct timer_list *timer)
{
	struct tcp_sock *tp = container_of(timer, struct tcp_sock, timer);
	bool over;

	spin_lock_bh(&tp->sk.lock);
	/* connect(2) may have begun another connection while the timer expired. */
	over = tp->sk.state == TCP_TIME_WAIT || (tp->sk.state == TCP_FIN_WAIT2 && tp->sk.dead);
	if (over)
		tcp_done(tp, 0);
	spin_unlock_bh(&tp->sk.lock);
	if (over) {
		tcp_unhash(tp);
		sk_wake(&tp->sk, POLL_HUP);
	}
	sock_put(&tp->sk);
}

/* S held. */
static void time_wait(struct tcp_sock *tp)
{
	if (atomic_read(&time_wait_count) >= TIME_WAIT_MAX) {
		tcp_done(tp, 0);
		return;
	}
	atomic_inc(&time_wait_count);
	WRITE_ONCE(tp->sk.state, TCP_TIME_WAIT);
	tcp_start_timer(tp);
}

/* The smaller one of what the two sides of a new connection ask for. */
static void agree_on_mss(struct tcp_sock *tp, const struct sk_buff *syn)
{
	u16 own = (u16)tp->options[TCP_MAXSEG];

	tp->mss = own && (!syn->mss || own < syn->mss) ? own : syn->mss;
}

/* ---- a listener ---- */

/* A new connection takes these from its listener. */
static void inherit(struct tcp_sock *child, struct tcp_sock *tp)
{
	struct socket *to = &child->sk.sock;
	const struct socket *from = &tp->sk.sock;

	to->keepalive = from->keepalive;
	to->reuseaddr = from->reuseaddr;
	to->reuseport = from->reuseport;
	to->oobinline = from->oobinline;
	to->linger = from->linger;
	to->linger_seconds = from->linger_seconds;
	to->sndbuf = from->sndbuf;
	to->rcvbuf = from->rcvbuf;
	to->rcvlowat = from->rcvlowat;
	to->priority = from->priority;
	to->rcvtimeo = from->rcvtimeo;
	to->sndtimeo = from->sndtimeo;
	child->sk.uid = tp->sk.uid;
	child->sk.ttl = tp->sk.ttl;
	child->sk.tos = tp->sk.tos;
	for (unsigned i = 0; i < ARRAY_SIZE(tp->options); i++)
		child->options[i] = tp->options[i];
}

/*
 * A connection for a SYN, in the table and counted for the caller: a RST may end it from then on.
 * NULL: memory is short, or there is such a connection.
 */
static struct tcp_sock *make_child(struct tcp_sock *tp, struct sk_buff *skb)
{
	struct sock *sk = sk_alloc(&tcp_prot, SOCK_STREAM, IPPROTO_TCP, GFP_ATOMIC);
	struct tcp_sock *child;

	if (!sk)
		return NULL;
	child = tcp_sk(sk);
	child->last_skb = tcp_alloc_skb(0, GFP_ATOMIC);
	inherit(child, tp);
	agree_on_mss(child, skb);
	sk->saddr = sk->rcv_saddr = ip_hdr(skb)->daddr;
	sk->daddr = ip_hdr(skb)->saddr;
	sk->num = ntohs(tcp_hdr(skb)->dest);
	sk->dport = tcp_hdr(skb)->source;
	sk->state = TCP_SYN_RECV;
	child->ss = SS_CONNECTED;
	child->rcv_nxt = tcp_seq(skb) + 1;
	child->iss = child->snd_nxt = (u32)get_random_u64();
	child->listener = tp;
	sock_hold(&tp->sk);
	sock_hold(sk);
	if (child->last_skb && !inet_hash_connect(sk))
		return child;
	child->listener = NULL;
	sock_put(&tp->sk);
	sock_put(sk);
	sock_put(sk);
	return NULL;
}

/* Takes skb over. qlen counts the connection already. */
static void answer_syn(struct tcp_sock *tp, struct sk_buff *skb)
{
	struct tcp_sock *child = make_child(tp, skb);

	if (child) {
		spin_lock_bh(&child->sk.lock);
		if (child->sk.state != TCP_CLOSE) {
			tcp_transmit(child, skb, TCPHDR_SYN | TCPHDR_ACK);
			skb = NULL;
		}
		spin_unlock_bh(&child->sk.lock);
		if (skb) /* its qlen is counted down already */
			tcp_send_reset(skb);
		sock_put(&child->sk);
		return;
	}
	spin_lock_bh(&tp->sk.lock);
	tp->qlen--;
	spin_unlock_bh(&tp->sk.lock);
	tcp_send_reset(skb);
}

/* The first SYN that waits, if there is room: qlen counts its connection from here on. Or NULL. */
static struct sk_buff *next_syn(struct tcp_sock *tp)
{
	struct sk_buff *skb = NULL;

	spin_lock_bh(&tp->sk.lock);
	if (tp->qlen <= tp->backlog)
		skb = list_first_entry_or_null(&tp->syn_queue, struct sk_buff, list);
	if (skb) {
		list_del_init(&skb->list);
		tp->syn_qlen--;
		tp->qlen++;
	}
	spin_unlock_bh(&tp->sk.lock);
	return skb;
}

void tcp_answer_syns(struct tcp_sock *tp)
{
	struct sk_buff *skb;

	while ((skb = next_syn(tp)))
		answer_syn(tp, skb);
}

/* A listener gets a SYN. Takes skb over. No lock held. */
static void tcp_conn_request(struct tcp_sock *tp, struct sk_buff *skb)
{
	bool refuse;

	spin_lock_bh(&tp->sk.lock);
	refuse = tp->sk.state != TCP_LISTEN || tp->syn_qlen >= SYN_QUEUE_MAX;
	if (!refuse) {
		list_add_tail(&skb->list, &tp->syn_queue);
		tp->syn_qlen++;
	}
	spin_unlock_bh(&tp->sk.lock);
	if (refuse)
		tcp_send_reset(skb);
	else
		tcp_answer_syns(tp);
}

/*
 * The handshake of a connection is over: accept(2) may have it. Returns false if the listener is
 * gone. No lock held; drops the reference to the listener.
 */
static bool queue_child(struct tcp_sock *listener, struct tcp_sock *child)
{
	bool queued;

	spin_lock_bh(&listener->sk.lock);
	queued = listener->sk.state == TCP_LISTEN;
	if (queued)
		list_add_tail(&child->accept_node, &listener->accept_queue);
	else
		listener->qlen--;
	spin_unlock_bh(&listener->sk.lock);
	if (queued)
		sk_wake(&listener->sk, POLL_IN);
	sock_put(&listener->sk);
	return queued;
}

/* A connection has ended before its handshake was over. The same context. Returns false. */
static bool drop_child(struct tcp_sock *listener)
{
	spin_lock_bh(&listener->sk.lock);
	listener->qlen--;
	spin_unlock_bh(&listener->sk.lock);
	tcp_answer_syns(listener);
	sock_put(&listener->sk);
	return false;
}

/* ---- a connection. S held in all that follows ---- */

static void tcp_fin(struct tcp_sock *tp, struct sk_buff *skb)
{
	tp->rcv_nxt++;
	tp->counts.bytes_received++; /* the FIN counts, as on Linux */
	WRITE_ONCE(tp->fin_received, true);
	WRITE_ONCE(tp->sk.shutdown, tp->sk.shutdown | SHUT_RCV);
	switch (tp->sk.state) {
	case TCP_ESTABLISHED:
		WRITE_ONCE(tp->sk.state, TCP_CLOSE_WAIT);
		break;
	case TCP_FIN_WAIT1:
		WRITE_ONCE(tp->sk.state, TCP_CLOSING);
		break;
	case TCP_FIN_WAIT2:
		time_wait(tp);
		break;
	default:
		break;
	}
	tcp_send_ack(tp, skb);
}

/* A segment that is the next one: its data goes into the queue. */
static void accept_segment(struct tcp_sock *tp, struct sk_buff *skb)
{
	if (tcp_hdr(skb)->flags & TCPHDR_FIN) {
		tcp_fin(tp, skb);
		return;
	}
	tp->counts.bytes_received += tcp_payload(skb);
	tp->counts.data_segs_in++;
	tp->rcv_nxt += tcp_payload(skb);
	tp->sk.rmem += skb->truesize;
	tp->rcv_bytes += tcp_payload(skb);
	skb->offset = TCP_HEADERS;
	list_add_tail(&skb->list, &tp->sk.queue);
}

static void insert_ofo(struct tcp_sock *tp, struct sk_buff *skb)
{
	struct sk_buff *other;

	list_for_each_entry (other, &tp->ofo, list)
		if ((s32)(tcp_seq(other) - tcp_seq(skb)) > 0)
			break;
	list_add_tail(&skb->list, &other->list);
}

/* Data or FIN. */
static void tcp_data_queue(struct tcp_sock *tp, struct sk_buff *skb)
{
	if (tcp_seq(skb) != tp->rcv_nxt) {
		tp->counts.ooo_segs++;
		insert_ofo(tp, skb);
		return;
	}
	accept_segment(tp, skb);
	while ((skb = list_first_entry_or_null(&tp->ofo, struct sk_buff, list)) &&
	       tcp_seq(skb) == tp->rcv_nxt) {
		list_del_init(&skb->list);
		accept_segment(tp, skb);
	}
}

/* The peer has got the FIN. */
static void fin_acked(struct tcp_sock *tp)
{
	switch (tp->sk.state) {
	case TCP_FIN_WAIT1:
		WRITE_ONCE(tp->sk.state, TCP_FIN_WAIT2);
		if (tp->sk.dead)
			tcp_start_timer(tp);
		break;
	case TCP_CLOSING:
		time_wait(tp);
		break;
	case TCP_LAST_ACK:
		tcp_done(tp, 0);
		break;
	default: /* another acknowledgement of the same FIN */
		return;
	}
	tp->counts.marks_acked++;
}

static void tcp_ack(struct tcp_sock *tp, struct sk_buff *skb)
{
	if (!tcp_payload(skb)) {
		tp->wmem -= skb->charged;
		skb->charged = 0;
	}
	if (tp->fin_sent && ntohl(tcp_hdr(skb)->ack_seq) == tp->snd_nxt)
		fin_acked(tp);
}

/* The connection has no peer any more. */
static void tcp_reset(struct tcp_sock *tp)
{
	switch (tp->sk.state) {
	case TCP_SYN_SENT:
		tcp_done(tp, ECONNREFUSED);
		break;
	case TCP_CLOSE_WAIT:
		tcp_done(tp, EPIPE);
		break;
	case TCP_TIME_WAIT:
	case TCP_CLOSE:
		break;
	default:
		tcp_done(tp, ECONNRESET);
	}
}

/* Does it acknowledge what this connection has sent, and not an earlier one of the same ports? */
static bool is_own_ack(const struct tcp_sock *tp, struct sk_buff *skb)
{
	/* 1: the FIN */
	return tp->snd_nxt - ntohl(tcp_hdr(skb)->ack_seq) <= tp->counts.bytes_sent + 1;
}

/* The same of a RST, which may instead have as number what was acknowledged from here. */
static bool is_valid_reset(const struct tcp_sock *tp, struct sk_buff *skb)
{
	if (tcp_hdr(skb)->flags & TCPHDR_ACK)
		return is_own_ack(tp, skb);
	return tp->sk.state != TCP_SYN_SENT &&
	       tp->rcv_nxt - tcp_seq(skb) <= tp->counts.bytes_received;
}

/* connect(2) waits for this. Returns skb if it still has to be freed. */
static struct sk_buff *rcv_syn_sent(struct tcp_sock *tp, struct sk_buff *skb)
{
	u8 flags = tcp_hdr(skb)->flags;

	if (!(flags & TCPHDR_SYN))
		return skb;
	/* It answers the SYN of a closed socket that had the same port. */
	if ((flags & TCPHDR_ACK) && ntohl(tcp_hdr(skb)->ack_seq) != tp->iss + 1) {
		tcp_send_reset(skb);
		return NULL;
	}
	tp->rcv_nxt = tcp_seq(skb) + 1;
	agree_on_mss(tp, skb);
	if (flags & TCPHDR_ACK) {
		tp->counts.marks_acked++;
		WRITE_ONCE(tp->sk.state, TCP_ESTABLISHED);
		tcp_send_ack(tp, skb);
	} else { /* both call connect(), or a socket calls itself: RFC 9293, 3.5 */
		WRITE_ONCE(tp->sk.state, TCP_SYN_RECV);
		tp->snd_nxt = tp->iss;
		tcp_transmit(tp, skb, TCPHDR_SYN | TCPHDR_ACK);
	}
	return NULL;
}

/* Closed, or shut down in both directions. */
static bool nobody_reads(const struct tcp_sock *tp)
{
	return tp->sk.dead || ((tp->sk.shutdown & SHUT_RCV) &&
			       (tp->sk.state == TCP_FIN_WAIT1 || tp->sk.state == TCP_FIN_WAIT2));
}

/* All other states. Returns skb if it still has to be freed. */
static struct sk_buff *rcv_state_process(struct tcp_sock *tp, struct sk_buff *skb)
{
	u8 flags = tcp_hdr(skb)->flags;
	bool data = tcp_payload(skb) || (flags & TCPHDR_FIN);

	if (flags & TCPHDR_SYN)
		data = false;
	/* A SYN whose socket is closed by now: peer_connects(). Or a delayed segment. */
	if (!(flags & TCPHDR_ACK) || !is_own_ack(tp, skb))
		return skb;
	if (tp->sk.state == TCP_SYN_RECV)
		WRITE_ONCE(tp->sk.state, TCP_ESTABLISHED);
	tcp_ack(tp, skb);
	if (!data || tp->sk.state == TCP_CLOSE)
		return skb;
	if (tcp_payload(skb) && nobody_reads(tp)) {
		tcp_done(tp, ECONNRESET);
		tcp_send_reset(skb);
		return NULL;
	}
	tcp_data_queue(tp, skb);
	return NULL;
}

/*
 * A connection may have lost its peer without being told; then the SYN of another socket, which got
 * the peer's port, meets it. Linux asks with an ACK, the socket answers with RST, and sends its SYN
 * again after a second. Here the socket is looked up, because its SYN comes only once. A SYN that
 * was overtaken by a later one finds no such socket. No lock held.
 */
static bool peer_connects(struct sk_buff *skb)
{
	struct tcphdr *th = tcp_hdr(skb);
	struct iphdr *ip = ip_hdr(skb);
	struct sock *peer;
	bool connects;

	if ((th->flags & (TCPHDR_SYN | TCPHDR_ACK)) != TCPHDR_SYN)
		return false;
	peer = inet_lookup_established(tcp_prot.table, ip->daddr, th->dest, ip->saddr,
				       ntohs(th->source));
	connects = peer && READ_ONCE(peer->state) == TCP_SYN_SENT &&
		   READ_ONCE(tcp_sk(peer)->iss) == tcp_seq(skb);
	sock_put(peer);
	return connects;
}

/*
 * The connection has ended; its socket may be a listener since the segment found it. One in
 * TIME_WAIT ends now, because it makes way for a new one.
 */
static bool is_over(struct tcp_sock *tp, struct sk_buff *skb)
{
	if (tp->sk.state == TCP_TIME_WAIT &&
	    (tcp_hdr(skb)->flags & (TCPHDR_SYN | TCPHDR_ACK)) == TCPHDR_SYN)
		tcp_done(tp, 0);
	return tp->sk.state == TCP_CLOSE || tp->sk.state == TCP_LISTEN;
}

/*
 * A segment for a connection. Takes skb over and returns true; or false: the connection has ended,
 * so the segment is for another one. S not held.
 */
static bool tcp_rcv(struct tcp_sock *tp, struct sk_buff *skb)
{
	bool over, makes_way = peer_connects(skb);
	struct tcp_sock *listener = NULL;

	spin_lock_bh(&tp->sk.lock);
	if (is_over(tp, skb)) {
		spin_unlock_bh(&tp->sk.lock);
		tcp_unhash(tp);
		return false;
	}
	/* If both call connect(), the SYN may be of the connection itself. */
	makes_way = makes_way && tp->sk.state != TCP_SYN_SENT && tp->rcv_nxt != tcp_seq(skb) + 1;
	tp->counts.segs_in++;
	if (makes_way || ((tcp_hdr(skb)->flags & TCPHDR_RST) && is_valid_reset(tp, skb)))
		tcp_reset(tp);
	else if (tp->sk.state == TCP_SYN_SENT)
		skb = rcv_syn_sent(tp, skb);
	else if (!(tcp_hdr(skb)->flags & TCPHDR_RST))
		skb = rcv_state_process(tp, skb);
	over = tp->sk.state == TCP_CLOSE;
	if (tp->sk.state != TCP_SYN_RECV) {
		listener = tp->listener;
		tp->listener = NULL;
	}
	spin_unlock_bh(&tp->sk.lock);
	if (!makes_way)
		kfree_skb(skb);
	if (over)
		tcp_unhash(tp);
	if (listener && !(over ? drop_child(listener) : queue_child(listener, tp)))
		tcp_prot.close(&tp->sk);
	else
		sk_wake(&tp->sk, over ? POLL_HUP : POLL_IN);
	return !makes_way;
}

/* A segment for no connection. */
static void rcv_unknown(struct sk_buff *skb)
{
	u8 flags = tcp_hdr(skb)->flags;

	/* An acknowledgement may come after its connection has ended. */
	if ((flags & TCPHDR_RST) || (!tcp_payload(skb) && !(flags & (TCPHDR_SYN | TCPHDR_FIN))))
		kfree_skb(skb);
	else
		tcp_send_reset(skb);
}

void tcp_v4_rcv(struct sk_buff *skb)
{
	struct tcphdr *th = tcp_hdr(skb);
	struct iphdr *ip = ip_hdr(skb);
	struct sock *sk;

	if (!skb->from_tcp) { /* from a raw socket */
		kfree_skb(skb);
		return;
	}
	sk = inet_lookup_established(tcp_prot.table, ip->saddr, th->source, ip->daddr,
				     ntohs(th->dest));
	if (sk && tcp_rcv(tcp_sk(sk), skb)) {
		sock_put(sk);
		return;
	}
	sock_put(sk);
	sk = NULL;
	if ((th->flags & (TCPHDR_SYN | TCPHDR_ACK | TCPHDR_RST)) == TCPHDR_SYN)
		sk = inet_lookup_listener(tcp_prot.table, ip->daddr, ntohs(th->dest));
	if (sk)
		tcp_conn_request(tcp_sk(sk), skb);
	else
		rcv_unknown(skb);
	sock_put(sk);
}
