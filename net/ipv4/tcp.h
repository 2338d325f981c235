/*
 * TCP between sockets of this machine: tcp(7), RFC 9293.
 *
 * lo loses no segment, so nothing is sent twice, and there is no congestion. Segments may overtake
 * each other when a task changes its CPU: they wait in `ofo` for those before them.
 *
 * A segment of data counts against the sender's SO_SNDBUF until the receiving program has read it.
 * Then the same segment travels back as its acknowledgement. So nothing needs memory in softirq
 * context that could be missing: the answer to a segment is the segment. Each connection has the
 * segment for its FIN or RST from the start. net.ipv4.tcp_mem limits the data of all connections.
 *
 * A connection that nobody has a file of stays in the table until its end has been told to the
 * peer, and then for 60 seconds if it has closed first (TIME_WAIT).
 *
 * A listener whose queue is full lets SYNs wait, as many as SYN_QUEUE_MAX. Linux drops them, and
 * they come again.
 *
 * Files: tcp.c the calls; tcp_connect.c connections; tcp_input.c, tcp_output.c segments; tcp_info.c
 * what a connection has done; tcp_mem.c the memory of all connections.
 */
#pragma once

#include "kernel/time/timer.h"
#include "net/ipv4/inet.h"

/* RFC 9293, 3.1. Numbers are in network byte order. */
struct tcphdr {
	u16 source, dest;
	u32 seq, ack_seq;
	u8 doff, flags;
	u16 window, check, urg_ptr;
};
#define TCPHDR_FIN 0x01
#define TCPHDR_SYN 0x02
#define TCPHDR_RST 0x04
#define TCPHDR_PSH 0x08
#define TCPHDR_ACK 0x10

#define TCP_HEADERS ((unsigned)(IP_HEADER + sizeof(struct tcphdr)))
/* A segment of data is one block of 16 KiB. */
#define TCP_PIECE         (16384U - (unsigned)sizeof(struct sk_buff) - TCP_HEADERS)
#define TCP_TRUESIZE(len) ((unsigned)sizeof(struct sk_buff) + TCP_HEADERS + (len))
/* What getsockopt(2) and the headers say of lo; TCP_MSS_DEFAULT is for a socket without a peer. */
#define TCP_MSS_DEFAULT 536U
#define TCP_MSS_LO      65483U
#define TCP_STAMPS      12U /* of a segment: the time stamps that Linux sends along */

#define TCP_MAXSEG       2 /* an option of setsockopt(2) */
#define TCP_WINDOW       0xffffU
#define TCP_TIMEWAIT_LEN (60 * (ktime_t)NSEC_PER_SEC)
/* Nothing else limits the SYNs that wait at a listener: their sockets may be closed. */
#define SYN_QUEUE_MAX 4096U

enum { SS_UNCONNECTED, SS_CONNECTING, SS_CONNECTED };

/* For TCP_INFO. marks_acked: the own SYN and FIN that the peer has acknowledged. */
struct tcp_counts {
	u64 bytes_sent, bytes_received;
	u32 segs_out, segs_in, data_segs_out, data_segs_in, ooo_segs, marks_acked;
};

/* [S] the lock of sk; [L] the lock of the listener. */
struct tcp_sock {
	struct sock sk;           /* first */
	int ss;                   /* [S] what connect(2) says of it */
	u32 iss;                  /* [S] the number of the own SYN */
	u32 snd_nxt, rcv_nxt;     /* [S] the next bytes to send and to receive */
	bool fin_sent;            /* [S] */
	bool fin_received;        /* [S] recv(2) says so, even if an error comes after it */
	size_t wmem;              /* [S] truesize of what was sent and is not yet read */
	size_t rcv_bytes;         /* [S] in the queue, not yet read */
	struct tcp_counts counts; /* [S] of this connection */
	struct list_head ofo;     /* [S] segments that came too early, in order */
	struct sk_buff *last_skb; /* [S] for FIN or RST; NULL: no connection yet, or sent */
	struct timer_list timer;  /* its end; holds a reference */
	struct list_head refused; /* of tcp_mem.c */
	/* A connection that nobody has accepted. */
	struct tcp_sock *listener;    /* [S] counted; NULL: accepted, or in the queue */
	struct list_head accept_node; /* [L] */
	/* A listener. */
	struct list_head accept_queue; /* [S] of connections, each with the reference of its file */
	struct list_head syn_queue;    /* [S] of segments: no room for them yet */
	unsigned syn_qlen;             /* [S] */
	unsigned qlen, backlog;        /* [S] connections that nobody has accepted */
	int options[32];               /* values of options that change nothing here: TCP_NODELAY */
	u16 mss;                       /* [S] the least TCP_MAXSEG of both sides; 0: none */
};

static inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return container_of(sk, struct tcp_sock, sk);
}
static inline struct tcphdr *tcp_hdr(struct sk_buff *skb)
{
	return ip_payload(skb);
}
static inline u32 tcp_seq(struct sk_buff *skb)
{
	return ntohl(tcp_hdr(skb)->seq);
}
static inline unsigned tcp_payload(const struct sk_buff *skb)
{
	return skb->len - TCP_HEADERS;
}
/* Is there a connection on which data may be sent? */
static inline bool tcp_may_send(const struct tcp_sock *tp)
{
	return tp->sk.state == TCP_ESTABLISHED || tp->sk.state == TCP_CLOSE_WAIT;
}
static inline bool tcp_is_connecting(const struct tcp_sock *tp)
{
	return tp->sk.state == TCP_SYN_SENT || tp->sk.state == TCP_SYN_RECV;
}

/* ---- tcp_output.c. S held, so a segment arrives when the caller has released it ---- */

/* A segment with room for len bytes of data. NULL: memory is short. */
struct sk_buff *tcp_alloc_skb(unsigned len, gfp_t gfp);
/* The same for data: tcp_charge() has charged its TCP_TRUESIZE(len), which NULL gives back. */
struct sk_buff *tcp_alloc_data(unsigned len, gfp_t gfp);
/* Fills in the headers, and sends; takes skb over. SYN and FIN count in snd_nxt. */
void tcp_transmit(struct tcp_sock *tp, struct sk_buff *skb, u8 flags);
/* The program has read the segment: it goes back as its acknowledgement. */
void tcp_send_ack(struct tcp_sock *tp, struct sk_buff *skb);
/* The end of what is sent, and the state after it. */
void tcp_send_fin(struct tcp_sock *tp);
/*
 * Tells the peer that the connection is gone. unread: segments that nobody will read; the first of
 * them goes back as the RST, so that a peer that waits for room learns it also after our FIN.
 */
void tcp_send_active_reset(struct tcp_sock *tp, struct list_head *unread);
/* Answers a segment that no connection wants with RST, and takes it over. No lock is needed. */
void tcp_send_reset(struct sk_buff *skb);

/* ---- tcp_input.c ---- */

/* The connection is over; error: a positive errno for the program, or 0. S held. */
void tcp_done(struct tcp_sock *tp, int error);
/* After tcp_done(), without S: packets find it no more. A port of bind(2) stays, unless dead. */
void tcp_unhash(struct tcp_sock *tp);
/* Answers the SYNs for which the queue of a listener has room. Softirqs off, no lock held. */
void tcp_answer_syns(struct tcp_sock *tp);
/* The connection ends after TCP_TIMEWAIT_LEN. S held. */
void tcp_start_timer(struct tcp_sock *tp);
void tcp_timer(struct timer_list *timer);

/* ---- tcp_connect.c ---- */

int tcp_v4_connect(struct sock *sk, const struct sockaddr_in *to, int len, bool nonblock);
int tcp_disconnect(struct sock *sk);
int tcp_listen(struct sock *sk, int backlog);
struct sock *inet_csk_accept(struct sock *sk, bool nonblock);
/* It listens no more: connections that wait for accept(2) are reset. S not held. */
void inet_csk_listen_stop(struct tcp_sock *tp);
/* About how many bytes the connections and SYNs take that wait at a listener. S not held. */
size_t tcp_listener_memory(struct tcp_sock *tp);
/* Waits until the connection is made or refused. 0; -EAGAIN: the time is over; or a signal. */
int tcp_wait_for_connect(struct tcp_sock *tp, s64 *timeout);

/* ---- tcp_info.c ---- */

/* getsockopt(2) of TCP_INFO. S not held. 0 or a negative errno. */
int tcp_get_info(struct tcp_sock *tp, char __user *value, int __user *ulen);

/* ---- tcp_mem.c: any context but NMI and hardirq, unless it says more ---- */

/*
 * Charges size bytes of data for a connection. False: all connections have too much, or this one
 * has more than its share. The next release of memory then wakes the queue of the socket.
 */
bool tcp_charge(struct tcp_sock *tp, unsigned size);
void tcp_uncharge(unsigned size);
/* Would the connection get a full segment? If not, it is woken in the same way. */
bool tcp_poll_memory(struct tcp_sock *tp);
/* The connection ends. */
void tcp_forget_refused(struct tcp_sock *tp);
/* A socket of TCP comes (1) or goes (-1). */
void tcp_count_socket(int n);
/* For /proc/net/sockstat. */
long tcp_memory_pages(void);
long tcp_sockets_count(void);
