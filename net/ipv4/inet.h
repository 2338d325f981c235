/*
 * Sockets of AF_INET: ip(7), udp(7), raw(7), icmp(7), tcp(7).
 *
 * A struct sock is one socket. Its file holds a reference; so does the table that finds it for
 * packets, a lookup, and a timer. Packets arrive in softirq context, and wait in the queue of the
 * socket until a task takes them. The lock of a socket is taken with softirqs off; its holder may
 * send packets, because they arrive only when it has released the lock.
 *
 * Lock order: recv_mutex, bind_mutex; the lock of a table; the lock of a socket. Nobody holds the
 * locks of two sockets or of two tables.
 *
 * Files: af_inet.c the family; hashtables.c ports; devinet.c addresses; ip.c packets; datagram.c
 * what UDP, raw and ping sockets share; udp.c, raw.c, ping.c, icmp.c; tcp.h TCP; sockopt.c options;
 * cmsg.c control messages; proc.c.
 */
#pragma once

#include "kernel/sched/mutex.h"
#include "net/ipv4/ip.h"
#include "net/socket.h"

/* Linux's numbers: /proc/net/tcp shows them. Other sockets are CLOSE, or ESTABLISHED: connected. */
enum sock_state {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
};

struct proto;

/* [S] lock; [T] lock of the table; [B] bind_mutex; [A] atomic; [C] constant. */
struct sock {
	struct socket sock;       /* first */
	const struct proto *prot; /* [C] */
	atomic_t refs;
	spinlock_t lock;
	struct mutex bind_mutex;    /* one bind, connect or listen at a time */
	struct mutex recv_mutex;    /* one reader at a time */
	struct list_head port_node; /* [T] in a chain of table.port */
	struct list_head conn_node; /* [T] in a chain of table.conn: TCP with a peer */
	u64 order;                  /* [T] when it came into the table: table.last */
	bool hashed;                /* [T] the table holds a reference */
	bool bound_port;        /* [T] the port was chosen by bind(2), or belongs to a listener */
	bool bound_addr;        /* [B] bind(2) has chosen rcv_saddr */
	enum sock_state state;  /* [S] */
	u32 rcv_saddr;          /* [S] the address that it receives for; INADDR_ANY: all */
	u32 saddr, daddr;       /* [S] the addresses that it sends with; 0: none yet */
	u16 num;                /* [B] own port in host byte order; raw: the protocol. 0, with [T]
				 * only, when a connection ends whose port was not bound */
	u16 dport;              /* [S] port of the peer, in network byte order */
	bool dead;              /* [S] closed: packets are not queued */
	unsigned shutdown;      /* [S] SHUT_* */
	struct list_head queue; /* [S] of packets */
	size_t rmem;            /* [S] their truesize */
	unsigned drops;         /* [S] */
	u32 uid;                /* [C] */
	unsigned long ino;      /* [C] once the file exists; 0: none */
	struct list_head async_node; /* [async_lock] SIGIO that waits for a worker */
	int async_band;              /* [async_lock] 0: not in the list */
	/* Options; a torn read is harmless. */
	int ttl, tos, mtu_discover;
	bool recverr, hdrincl;
	u32 icmp_filter; /* raw ICMP: types that it does not want */
	unsigned cmsg;   /* a bit for each control message that it wants: cmsg.c */
	/* [S] IP_OPTIONS: what follows the IP header of the packets that it sends */
	u8 optlen, options[MAX_IPOPTLEN];
};

/* The sockets of one protocol that can receive packets. */
#define INET_HASH_BITS 8
struct inet_table {
	spinlock_t lock;
	u64 last;                                   /* [lock] sock.order of the last one */
	struct list_head port[1 << INET_HASH_BITS]; /* by num */
	struct list_head conn[1 << INET_HASH_BITS]; /* by both addresses and ports */
};

/* What differs between protocols. The functions are those of struct proto_ops. */
struct proto {
	const char *name;
	size_t size; /* of the struct that begins with a struct sock */
	struct inet_table *table;
	bool ports; /* num is a port, which bind(2) and the first send choose */
	void (*init)(struct sock *sk);
	/* Frees what the socket holds. Any context but NMI and hardirq. Both may be NULL. */
	void (*destroy)(struct sock *sk);
	/* The file is closed. It drops the file's reference. */
	void (*close)(struct sock *sk);
	int (*connect)(struct sock *sk, const struct sockaddr_in *to, int len, bool nonblock);
	int (*disconnect)(struct sock *sk);
	/* NULL: -EOPNOTSUPP. */
	int (*listen)(struct sock *sk, int backlog);
	struct sock *(*accept)(struct sock *sk, bool nonblock);
	/* Called with the new bits of sk->shutdown set. NULL: nothing to do. */
	int (*shutdown)(struct sock *sk, unsigned how);
	ssize_t (*sendmsg)(struct sock *sk, struct msghdr *msg, bool nonblock);
	ssize_t (*recvmsg)(struct sock *sk, struct msghdr *msg, bool nonblock);
	unsigned (*poll)(struct file *file, struct sock *sk, struct poll_table_struct *wait);
	long (*ioctl)(struct sock *sk, unsigned cmd, unsigned long arg);
	int (*setsockopt)(struct sock *sk, int level, int name, const char __user *value, int len);
	int (*getsockopt)(struct sock *sk, int level, int name, char __user *value,
			  int __user *len);
};

extern const struct proto udp_prot, raw_prot, ping_prot, tcp_prot;

static inline struct sock *to_sk(struct socket *sock)
{
	return container_of(sock, struct sock, sock);
}

/* ---- af_inet.c ---- */

/* A socket without a file, with one reference. NULL: memory is short. gfp: any context but NMI. */
struct sock *sk_alloc(const struct proto *prot, unsigned type, unsigned protocol, gfp_t gfp);
static inline struct sock *sock_hold(struct sock *sk)
{
	atomic_inc(&sk->refs);
	return sk;
}
/* NULL is fine. Any context but NMI and hardirq. */
void sock_put(struct sock *sk);
/* A port for a socket without one. 0 or -EADDRINUSE, -EAGAIN. Task context. */
int inet_autobind(struct sock *sk);
/*
 * Wakes the waiters of the socket, and sends SIGIO to its owners: band is POLL_IN, POLL_OUT,
 * POLL_HUP. Any context but NMI and hardirq; no lock that a poll takes.
 */
void sk_wake(struct sock *sk, int band);
/* Sets the pending error, a positive errno, and wakes. */
void sk_report_error(struct sock *sk, int error);

/* ---- hashtables.c ---- */

void inet_table_init(struct inet_table *table);
/*
 * Gives sk a port, in host byte order; 0: a free one. 0 or -EADDRINUSE. The socket is found for
 * packets from then on. For all functions here: no lock of a socket or of a table is held.
 */
int inet_get_port(struct sock *sk, u16 num);
/* A socket with num set and no check of other sockets. */
void inet_hash(struct sock *sk);
/*
 * A connection: addresses and dport are set. Chooses a port if there is none yet, which other
 * connections to other peers may have, too. -EADDRNOTAVAIL: there is none, or such a connection
 * exists.
 */
int inet_hash_connect(struct sock *sk);
/* Makes a socket with a port a listener. 0 or -EADDRINUSE: there is another one. */
int inet_hash_listener(struct sock *sk);
/* No packet finds it from now on. Drops the table's reference. */
void inet_unhash(struct sock *sk);
/* The connection is gone: the state is CLOSE. A port that bind(2) has chosen stays. */
void inet_unhash_connection(struct sock *sk);
/* The counted connection, or NULL. Ports: saddr's in network byte order, daddr's in host order. */
struct sock *inet_lookup_established(struct inet_table *table, u32 saddr, u16 sport, u32 daddr,
				     u16 num);
struct sock *inet_lookup_listener(struct inet_table *table, u32 daddr, u16 num);
/* The best socket for a datagram. */
struct sock *inet_lookup_dgram(struct inet_table *table, u32 saddr, u16 sport, u32 daddr, u16 num);
/*
 * Calls fn for each socket of num that is in the table now, with the lock of the table held. The
 * lock is free between batches. Not for tables with listeners.
 */
void inet_for_each(struct inet_table *table, u16 num,
		   void (*fn)(struct sock *sk, struct sk_buff *skb), struct sk_buff *skb);
/* The counted socket number `pos` of the table, listeners first, or NULL. For /proc/net. */
struct sock *inet_table_nth(struct inet_table *table, u64 pos);
/* The counted socket behind sk, or NULL. If sk has left the table, the socket number pos. */
struct sock *inet_table_next(struct inet_table *table, struct sock *sk, u64 pos);

/* ---- datagram.c ---- */

/* Is there room in the queue for another packet: SO_RCVBUF? */
bool sock_has_room(const struct sock *sk);
/*
 * Queues a packet, or drops it: the socket is closed, or may_drop and there is no room. Task or
 * softirq context; takes it over.
 */
void sock_queue_rcv_skb(struct sock *sk, struct sk_buff *skb, bool may_drop);
/* The same for one of several receivers: skb stays the caller's. */
void sock_queue_rcv_clone(struct sock *sk, const struct sk_buff *skb);
/* The first packet, taken out unless peek: the caller frees it. Or an ERR_PTR; NULL: shut down. */
struct sk_buff *skb_recv_datagram(struct sock *sk, bool nonblock, bool peek);
/* Gives the program what is behind the headers; raw: all. What recvmsg(2) returns. Frees skb. */
ssize_t datagram_copy(struct sock *sk, struct msghdr *msg, struct sk_buff *skb, u16 port,
		      unsigned flags);
/* Where a message goes: msg->name, or the peer. *port in network byte order. 0 or an errno. */
int datagram_dest(struct sock *sk, const struct msghdr *msg, struct flowi4 *fl, u16 *port);
/*
 * What raw and ping sockets share. A message's destination with its route; 0, or the errno of
 * sendmsg(2). All of recvmsg(2).
 */
int datagram_route(struct sock *sk, const struct msghdr *msg, unsigned header, struct flowi4 *fl);
ssize_t datagram_recvmsg(struct sock *sk, struct msghdr *msg, bool nonblock);
int datagram_connect(struct sock *sk, const struct sockaddr_in *to, int len, bool nonblock);
int datagram_disconnect(struct sock *sk);
void datagram_close(struct sock *sk);
unsigned datagram_poll(struct file *file, struct sock *sk, struct poll_table_struct *wait);
long datagram_ioctl(struct sock *sk, unsigned cmd, unsigned long arg);

/* ---- the protocols ---- */

/* Gives copies of a packet to raw sockets. True: there were some. Softirq context. */
bool raw_local_deliver(struct sk_buff *skb);
/* Softirq context; they take the packet over. */
void udp_rcv(struct sk_buff *skb);
void ping_rcv(struct sk_buff *skb);
void tcp_v4_rcv(struct sk_buff *skb);
/* An ICMP message says that the packet with these headers was not delivered. */
void udp_err(const struct iphdr *ip, const struct udphdr *udp, u8 code);
/* May the current task make a ping socket? net.ipv4.ping_group_range. */
bool ping_allowed(void);

/* ---- cmsg.c ---- */

/* The bit of sk->cmsg that an option of IPPROTO_IP turns on, or 0: the option is another one. */
unsigned ip_cmsg_bit(int name);
/* Notes in msg what the control messages of sk will say about a packet. */
void ip_cmsg_note(const struct sock *sk, struct msghdr *msg, struct sk_buff *skb);
/* As proto_ops.scm_recv. */
size_t inet_scm_recv(struct socket *sock, struct msghdr *msg, void __user *control, size_t len,
		     unsigned flags);

/* ---- sockopt.c ---- */

int inet_setsockopt(struct socket *sock, int level, int name, const char __user *value, int len);
int inet_getsockopt(struct socket *sock, int level, int name, char __user *value, int __user *ulen);
