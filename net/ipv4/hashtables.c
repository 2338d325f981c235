/* The sockets of a protocol, by port: which port is free, and which socket gets a packet. */
#include "kernel/errno.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/hash.h"
#include "kernel/random/random.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"

/* net.ipv4.ip_local_port_range */
#define PORT_FIRST 32768U
#define PORT_LAST  60999U

#define BATCH 256 /* sockets that inet_for_each() looks at before others get the lock */

void inet_table_init(struct inet_table *table)
{
	spin_lock_init(&table->lock);
	for (unsigned i = 0; i < ARRAY_SIZE(table->port); i++) {
		INIT_LIST_HEAD(&table->port[i]);
		INIT_LIST_HEAD(&table->conn[i]);
	}
}

static struct list_head *port_chain(struct inet_table *table, u16 num)
{
	return &table->port[hash_64(num, INET_HASH_BITS)];
}

static struct list_head *conn_chain(struct inet_table *table, u32 saddr, u16 sport, u32 daddr,
				    u16 num)
{
	u64 key = ((u64)saddr << 32 | daddr) ^ ((u64)sport << 16 | num) * 0x10001;

	return &table->conn[hash_64(key, INET_HASH_BITS)];
}

/* T held. */
static void insert(struct sock *sk, bool bound)
{
	struct inet_table *table = sk->prot->table;

	if (sk->hashed)
		return;
	sk->hashed = true;
	sk->bound_port = bound;
	sk->order = ++table->last;
	sock_hold(sk);
	list_add_tail(&sk->port_node, port_chain(table, sk->num));
}

/* Whether a and b may not have the same port. T held. */
static bool conflict(const struct sock *sk, const struct sock *other, bool automatic)
{
	if (sk->rcv_saddr && other->rcv_saddr && sk->rcv_saddr != other->rcv_saddr)
		return false;
	if (automatic)
		return true;
	if (sk->sock.reuseport && other->sock.reuseport && sk->uid == other->uid)
		return false;
	return !(sk->sock.reuseaddr && other->sock.reuseaddr &&
		 READ_ONCE(other->state) != TCP_LISTEN);
}

static bool port_is_free(const struct sock *sk, u16 num, bool automatic)
{
	struct sock *other;

	list_for_each_entry (other, port_chain(sk->prot->table, num), port_node)
		if (other != sk && other->num == num && conflict(sk, other, automatic))
			return false;
	return true;
}

/*
 * The search for a free port takes the lock of the table anew for each port, because it may try all
 * of them: softirqs wait no longer than for one.
 */
static bool try_port(struct sock *sk, u16 num, bool automatic)
{
	struct inet_table *table = sk->prot->table;
	bool is_free;

	spin_lock_bh(&table->lock);
	is_free = port_is_free(sk, num, automatic);
	if (is_free) {
		sk->num = num;
		insert(sk, !automatic);
	}
	spin_unlock_bh(&table->lock);
	return is_free;
}

/* Tries the ports for automatic choice, from a random one on. False: none is free. */
static bool try_local_ports(struct sock *sk, bool (*try)(struct sock *sk, u16 num, bool automatic))
{
	unsigned count = PORT_LAST - PORT_FIRST + 1, start = (unsigned)get_random_u64() % count;

	for (unsigned i = 0; i < count; i++)
		if (try(sk, (u16)(PORT_FIRST + (start + i) % count), true))
			return true;
	return false;
}

int inet_get_port(struct sock *sk, u16 num)
{
	bool found = num ? try_port(sk, num, false) : try_local_ports(sk, try_port);

	return found ? 0 : -EADDRINUSE;
}

void inet_hash(struct sock *sk)
{
	struct inet_table *table = sk->prot->table;

	spin_lock_bh(&table->lock);
	insert(sk, true);
	spin_unlock_bh(&table->lock);
}

static bool is_connection(const struct sock *sk, u32 saddr, u16 sport, u32 daddr, u16 num)
{
	return sk->num == num && sk->dport == sport && sk->daddr == saddr && sk->saddr == daddr;
}

/* T held. */
static struct sock *find_connection(struct inet_table *table, u32 saddr, u16 sport, u32 daddr,
				    u16 num)
{
	struct sock *sk;

	list_for_each_entry (sk, conn_chain(table, saddr, sport, daddr, num), conn_node)
		if (is_connection(sk, saddr, sport, daddr, num))
			return sk;
	return NULL;
}

/* Whether a socket that is no connection has the port. T held. */
static bool port_is_bound(struct inet_table *table, u16 num)
{
	struct sock *other;

	list_for_each_entry (other, port_chain(table, num), port_node)
		if (other->num == num && other->bound_port)
			return true;
	return false;
}

/* automatic: only with a port that nothing but connections to other peers have. */
static bool try_connection(struct sock *sk, u16 num, bool automatic)
{
	struct inet_table *table = sk->prot->table;
	bool is_free;

	spin_lock_bh(&table->lock);
	is_free = !(automatic && port_is_bound(table, num)) &&
		  !find_connection(table, sk->daddr, sk->dport, sk->saddr, num);
	if (is_free) {
		sk->num = num;
		insert(sk, false);
		list_add_tail(&sk->conn_node,
			      conn_chain(table, sk->daddr, sk->dport, sk->saddr, num));
	}
	spin_unlock_bh(&table->lock);
	return is_free;
}

int inet_hash_connect(struct sock *sk)
{
	struct inet_table *table = sk->prot->table;
	bool found;
	u16 num;

	/* The end of an earlier connection takes the port away before this, or not at all. */
	spin_lock_bh(&table->lock);
	num = sk->num;
	spin_unlock_bh(&table->lock);
	found = num ? try_connection(sk, num, false) : try_local_ports(sk, try_connection);
	return found ? 0 : -EADDRNOTAVAIL;
}

int inet_hash_listener(struct sock *sk)
{
	struct inet_table *table = sk->prot->table;
	int err = 0;

	spin_lock_bh(&table->lock);
	/* The end of the socket's last connection may have taken its port away at this moment. */
	if (!sk->hashed || !port_is_free(sk, sk->num, false)) {
		err = -EADDRINUSE;
	} else {
		/* The first of its port, so that lookups find it soon. */
		list_del(&sk->port_node);
		list_add(&sk->port_node, port_chain(table, sk->num));
		sk->bound_port = true;
		WRITE_ONCE(sk->state, TCP_LISTEN);
	}
	spin_unlock_bh(&table->lock);
	return err;
}

void inet_unhash(struct sock *sk)
{
	struct inet_table *table = sk->prot->table;
	bool was;

	spin_lock_bh(&table->lock);
	was = sk->hashed;
	if (was) {
		sk->hashed = false;
		list_del_init(&sk->port_node);
		list_del_init(&sk->conn_node);
	}
	spin_unlock_bh(&table->lock);
	if (was)
		sock_put(sk);
}

void inet_unhash_connection(struct sock *sk)
{
	struct inet_table *table = sk->prot->table;
	bool over, gone;

	spin_lock_bh(&table->lock);
	/* Another CPU may have come first, and connect(2) again: leave the new connection. */
	over = READ_ONCE(sk->state) == TCP_CLOSE;
	gone = over && sk->hashed && !sk->bound_port;
	if (over)
		list_del_init(&sk->conn_node);
	if (gone) {
		sk->hashed = false;
		list_del_init(&sk->port_node);
		sk->num = 0;
	}
	spin_unlock_bh(&table->lock);
	if (gone)
		sock_put(sk);
}

struct sock *inet_lookup_established(struct inet_table *table, u32 saddr, u16 sport, u32 daddr,
				     u16 num)
{
	struct sock *sk;

	spin_lock_bh(&table->lock);
	sk = find_connection(table, saddr, sport, daddr, num);
	if (sk)
		sock_hold(sk);
	spin_unlock_bh(&table->lock);
	return sk;
}

struct sock *inet_lookup_listener(struct inet_table *table, u32 daddr, u16 num)
{
	struct sock *sk, *best = NULL;

	spin_lock_bh(&table->lock);
	list_for_each_entry (sk, port_chain(table, num), port_node) {
		if (sk->num != num || READ_ONCE(sk->state) != TCP_LISTEN)
			continue;
		if (sk->rcv_saddr == daddr) {
			best = sk;
			break;
		}
		if (!sk->rcv_saddr && !best)
			best = sk;
	}
	if (best)
		sock_hold(best);
	spin_unlock_bh(&table->lock);
	return best;
}

/* How well a socket fits a datagram; -1: not at all. T held. */
static int score(const struct sock *sk, u32 saddr, u16 sport, u32 daddr, u16 num)
{
	int points = 0;

	if (sk->num != num)
		return -1;
	if (sk->rcv_saddr) {
		if (sk->rcv_saddr != daddr)
			return -1;
		points += 4;
	}
	if (sk->daddr) {
		if (sk->daddr != saddr)
			return -1;
		points += 4;
	}
	if (sk->dport) {
		if (sk->dport != sport)
			return -1;
		points += 4;
	}
	return points;
}

struct sock *inet_lookup_dgram(struct inet_table *table, u32 saddr, u16 sport, u32 daddr, u16 num)
{
	struct sock *sk, *best = NULL;
	int most = -1;

	spin_lock_bh(&table->lock);
	list_for_each_entry (sk, port_chain(table, num), port_node) {
		int points = score(sk, saddr, sport, daddr, num);

		if (points > most) {
			most = points;
			best = sk;
		}
	}
	if (best)
		sock_hold(best);
	spin_unlock_bh(&table->lock);
	return best;
}

/*
 * A port may have any number of sockets (conflict()), so others get the lock after a batch. The
 * last socket of a batch is counted, and the next batch begins behind it. If it has left the table,
 * the batch finds its place from the head of the chain on: a chain without listeners is in the
 * order in which its sockets came.
 */
void inet_for_each(struct inet_table *table, u16 num,
		   void (*fn)(struct sock *sk, struct sk_buff *skb), struct sk_buff *skb)
{
	struct list_head *chain = port_chain(table, num), *node;
	u64 done = 0, last = READ_ONCE(table->last);
	struct sock *at = NULL; /* counted; its order is done */

	do {
		struct sock *before = at;
		unsigned left = BATCH;

		at = NULL;
		spin_lock_bh(&table->lock);
		/* With the same number it is in the same place. */
		node = before && before->hashed && before->order == done ? &before->port_node
									 : chain;
		for (node = node->next; node != chain && !at; node = node->next) {
			struct sock *sk = list_entry(node, struct sock, port_node);

			if (sk->order <= done)
				continue;
			if (sk->order > last)
				break;
			done = sk->order;
			if (sk->num == num)
				fn(sk, skb);
			if (!--left)
				at = sock_hold(sk);
		}
		spin_unlock_bh(&table->lock);
		sock_put(before);
	} while (at);
}

/* ---- for /proc/net: all listeners, then all others ---- */

static bool listens(const struct sock *sk)
{
	return READ_ONCE(sk->state) == TCP_LISTEN;
}

/*
 * Skips `count` sockets, and returns the next one, counted, or NULL. Begins behind `node` of the
 * chain `first`; chains are counted twice, for listeners and for others. T held.
 */
static struct sock *walk(struct inet_table *table, unsigned first, struct list_head *node,
			 u64 count)
{
	const unsigned chains = ARRAY_SIZE(table->port);

	for (unsigned i = first; i < 2 * chains; i++) {
		struct list_head *chain = &table->port[i % chains];

		for (node = i == first ? node->next : chain->next; node != chain;
		     node = node->next) {
			struct sock *sk = list_entry(node, struct sock, port_node);

			if (listens(sk) == (i < chains) && !count--)
				return sock_hold(sk);
		}
	}
	return NULL;
}

struct sock *inet_table_nth(struct inet_table *table, u64 pos)
{
	struct sock *sk;

	spin_lock_bh(&table->lock);
	sk = walk(table, 0, &table->port[0], pos);
	spin_unlock_bh(&table->lock);
	return sk;
}

struct sock *inet_table_next(struct inet_table *table, struct sock *sk, u64 pos)
{
	struct sock *next = NULL;
	bool hashed;

	spin_lock_bh(&table->lock);
	hashed = sk->hashed;
	if (hashed)
		next = walk(table,
			    (unsigned)(port_chain(table, sk->num) - table->port) +
				    (listens(sk) ? 0 : (unsigned)ARRAY_SIZE(table->port)),
			    &sk->port_node, 0);
	spin_unlock_bh(&table->lock);
	return hashed ? next : inet_table_nth(table, pos);
}
