/* Self-tests of TCP: tcp_mem, and connections that all CPUs make, reset and close at once. */
#include "fs/file/poll.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "selftest/net/sockets.h"
#include "selftest/selftest.h"
#include "selftest/trace/refuse.h"
#include "selftest/trace/tracefs.h"

#define PIECE 4096U
#define PORT  20000U
/* A call that waits for as long has missed its wake-up. */
#define STUCK (60 * (s64)NSEC_PER_SEC)

/* A connection over lo: the client's end and the accepted one. */
struct pair {
	struct socket *listener, *client, *server;
};

/* 0 or an errno. What there is of the pair stays. */
static int pair_open(struct pair *pair, u16 port)
{
	int err;

	*pair = (struct pair){ NULL, NULL, NULL };
	pair->listener = socket_new(SOCK_STREAM);
	pair->client = socket_new(SOCK_STREAM);
	if (!pair->listener || !pair->client)
		return -ENOMEM;
	err = socket_bind(pair->listener, port);
	err = err ?: pair->listener->ops->listen(pair->listener, 1);
	err = err ?: socket_connect(pair->client, port, false);
	if (err)
		return err;
	pair->server = pair->listener->ops->accept(pair->listener, true);
	if (!IS_ERR(pair->server))
		return 0;
	err = (int)PTR_ERR(pair->server);
	pair->server = NULL;
	return err;
}

static void pair_close(struct pair *pair)
{
	socket_reset(pair->server);
	socket_reset(pair->client);
	socket_reset(pair->listener);
}

/* ---- tcp_mem ---- */

#define TCP_MEM "/proc/sys/net/ipv4/tcp_mem"

static char piece[PIECE];

/* Sends pieces until the socket would wait. Returns the bytes. */
static size_t send_all_it_takes(struct socket *sock)
{
	size_t sent = 0;
	ssize_t n;

	while ((n = socket_send(sock, piece, sizeof(piece), true)) > 0)
		sent += (size_t)n;
	return n == -EAGAIN ? sent : 0;
}

static size_t recv_all(struct socket *sock)
{
	size_t got = 0;
	ssize_t n;

	while ((n = socket_recv(sock, piece, sizeof(piece), true)) > 0)
		got += (size_t)n;
	return got;
}

static bool is_writable(struct socket *sock)
{
	return sock->ops->poll(NULL, sock, NULL) & POLLOUT;
}

static void send_one(void *arg, unsigned index __unused)
{
	static char other[PIECE];
	struct socket *sock = arg;

	if (socket_send(sock, other, sizeof(other), false) == sizeof(other))
		WRITE_ONCE(sock->priority, 1);
}

/* The file's values of before, for the end of a test. */
static char limits_before[64];

static bool set_limits(const char *limits)
{
	strscpy(limits_before, get(TCP_MEM), sizeof(limits_before));
	return put(TCP_MEM, limits) >= 0;
}

SELFTEST(tcp, all_connections_together_have_no_more_than_tcp_mem)
{
	struct test_group group;
	struct pair hog, other;
	size_t sent;

	lo_up();
	ASSERT(set_limits("8 8 8"));
	EXPECT_EQ(pair_open(&hog, PORT), 0);
	EXPECT_EQ(pair_open(&other, PORT + 1), 0);
	sent = send_all_it_takes(hog.client);
	EXPECT(sent == 7 * PIECE); /* the headers take the rest */
	EXPECT_EQ(tcp_memory_pages(), 8);
	EXPECT(!is_writable(hog.client));
	EXPECT(!is_writable(other.client));
	EXPECT_EQ(socket_send(other.client, piece, PIECE, true), -EAGAIN);
	/* A reader of one connection makes room for the sender of another. */
	other.client->sndtimeo = STUCK;
	EXPECT(test_group_start(&group, 1, ANY_CPU, send_one, other.client));
	EXPECT_EQ(recv_all(hog.server), sent);
	test_group_wait(&group);
	EXPECT_EQ(READ_ONCE(other.client->priority), 1);
	EXPECT_EQ(recv_all(other.server), PIECE);
	EXPECT(is_writable(hog.client));
	EXPECT_EQ(tcp_memory_pages(), 0);
	pair_close(&hog);
	pair_close(&other);
	EXPECT(put(TCP_MEM, limits_before) >= 0);
}

static atomic_t wakes;

static bool count_wake(struct wait_queue_entry *entry __unused, unsigned events __unused)
{
	atomic_inc(&wakes);
	return false;
}

/* As epoll does, which enters the queues of a file once, while there is memory. */
SELFTEST(tcp, free_memory_wakes_those_who_wait_at_a_socket)
{
	struct wait_queue_entry entry = { .func = count_wake, .flags = WQ_FLAG_CALLBACK };
	struct pair hog, other;

	lo_up();
	ASSERT(set_limits("8 8 8"));
	EXPECT_EQ(pair_open(&hog, PORT), 0);
	EXPECT_EQ(pair_open(&other, PORT + 1), 0);
	INIT_LIST_HEAD(&entry.entry);
	add_wait_queue(&other.client->wait, &entry);
	EXPECT(is_writable(other.client));
	EXPECT(send_all_it_takes(hog.client) > 0);
	EXPECT(!is_writable(other.client));
	atomic_set(&wakes, 0);
	EXPECT(recv_all(hog.server) > 0);
	EXPECT(atomic_read(&wakes) > 0);
	EXPECT(is_writable(other.client));
	remove_wait_queue(&other.client->wait, &entry);
	pair_close(&hog);
	pair_close(&other);
	EXPECT(put(TCP_MEM, limits_before) >= 0);
}

SELFTEST(tcp, under_pressure_a_connection_gets_its_share_only)
{
	struct pair hog, other;
	long share;

	lo_up();
	ASSERT(set_limits("4 6 48"));
	EXPECT_EQ(pair_open(&hog, PORT), 0);
	EXPECT_EQ(pair_open(&other, PORT + 1), 0);
	share = 48 / tcp_sockets_count() + 1;
	EXPECT(send_all_it_takes(hog.client) > 6 * PIECE);
	EXPECT(tcp_memory_pages() <= max(share, 8L));
	EXPECT_EQ(socket_send(other.client, piece, PIECE, true), PIECE); /* it has little */
	pair_close(&hog); /* unread data is freed, too */
	pair_close(&other);
	EXPECT_EQ(tcp_memory_pages(), 0);
	EXPECT(put(TCP_MEM, limits_before) >= 0);
}

/* ---- memory is short ---- */

#define MANY_ALLOCATIONS 200U

/* A connection, one byte over it, and its end. 0 or an errno. */
static int use_connection(void)
{
	struct pair pair;
	int err = pair_open(&pair, PORT);
	ssize_t n = 0;

	if (!err)
		n = socket_send(pair.client, piece, 1, true);
	if (n > 0)
		n = socket_recv(pair.server, piece, 1, true);
	pair_close(&pair);
	return err ?: n < 0 ? (int)n : 0;
}

SELFTEST(tcp, each_refused_allocation_gives_an_error_and_no_leak)
{
	long sockets = tcp_sockets_count();
	unsigned round, refused = 0;
	u64 objects;

	lo_up();
	EXPECT_EQ(use_connection(), 0);
	ASSERT(start_refusing());
	objects = memory_objects();
	refuse_softirqs(true);
	for (round = 1; round < MANY_ALLOCATIONS; round++) {
		int err;

		refuse_nth(round);
		err = use_connection();
		if (refuse_nth(0) < round)
			break;
		/* ECONNREFUSED: the listener had no memory for the connection. */
		if (err != -ENOMEM && err != -ENOBUFS && err != -ECONNREFUSED)
			selftest_diag(test, "allocation %u: %d", round, err);
		EXPECT(err == -ENOMEM || err == -ENOBUFS || err == -ECONNREFUSED);
		refused++;
		EXPECT_EQ(tcp_sockets_count(), sockets);
		EXPECT_EQ(tcp_memory_pages(), 0);
	}
	refuse_softirqs(false);
	memory_expect_objects(test, objects);
	stop_refusing(test);
	/* Two sockets, SYN, FIN of both ends, the accepted socket, data. */
	EXPECT(refused >= 7 && round < MANY_ALLOCATIONS);
}

/* ---- all CPUs ---- */

#define ROUNDS    300U /* connections of a client, at least */
#define LISTENERS 4U

/* The first bytes of a connection. */
struct hello {
	u32 seed;
	u32 total; /* bytes of data after this, if the client ends politely */
	u32 polite;
};

/* [A] atomic; [C] constant while the threads run. */
static struct {
	unsigned clients;        /* [C] */
	atomic_t clients_left;   /* [A] */
	atomic_t servers;        /* [A] that have started */
	atomic_t connections;    /* [A] of all clients */
	atomic_t served;         /* [A] connections that were read to their ends */
	atomic_t closed;         /* [A] of these, those that both ends closed politely */
	atomic_t refused, reset; /* [A] connections without a listener; those that ended early */
	atomic_t stuck, wrong;   /* [A] calls that never ended; wrong bytes or errors */
} race;

static u8 byte_at(u32 seed, size_t i)
{
	return (u8)(seed + i * 7 + (i >> 8));
}

/* An error that a connection may have when its peer ends it. */
static void count_error(ssize_t err)
{
	switch (err) {
	case -ECONNREFUSED:
		atomic_inc(&race.refused);
		break;
	case -ECONNRESET:
	case -EPIPE:
	case -ECONNABORTED:
		atomic_inc(&race.reset);
		break;
	case -EAGAIN:
	case -EINPROGRESS:
	case -EALREADY:
		atomic_inc(&race.stuck);
		break;
	default:
		atomic_inc(&race.wrong);
	}
}

/* Sends what hello promises. False: the connection has ended. */
static bool send_stream(struct socket *sock, const struct hello *hello, u8 *buf)
{
	struct hello copy = *hello;
	ssize_t n = socket_send(sock, &copy, sizeof(copy), false);

	for (size_t sent = 0; n > 0 && sent < hello->total; sent += (size_t)n) {
		size_t len = min((size_t)PIECE, hello->total - sent);

		for (size_t i = 0; i < len; i++)
			buf[i] = byte_at(hello->seed, sent + i);
		n = socket_send(sock, buf, len, false);
	}
	if (n < 0)
		count_error(n);
	return n > 0;
}

/* The client waits until the server has closed: there is nothing to read. */
static void wait_for_end(struct socket *sock)
{
	ssize_t n;
	u8 byte;

	sock->ops->shutdown(sock, 1 /* SHUT_WR */);
	n = socket_recv(sock, &byte, 1, false);
	if (n > 0)
		atomic_inc(&race.wrong);
	else if (n < 0)
		count_error(n);
}

/* One connection of a client, which ends in one of five ways. */
static void run_connection(struct socket *sock, u32 *random, u8 *buf)
{
	struct hello hello = { .seed = test_random(random), .total = test_random(random) % 50000 };
	unsigned how = test_random(random) % 5;
	int err = socket_connect(sock, (u16)(PORT + test_random(random) % LISTENERS), false);

	hello.polite = how < 2;
	if (err)
		count_error(err);
	else if (how != 4 && send_stream(sock, &hello, buf) && how == 0)
		wait_for_end(sock);
	atomic_inc(&race.connections);
	if (how == 2 && !socket_disconnect(sock))
		how = 1;
	if (how >= 3)
		socket_reset(sock);
	else
		socket_close(sock);
}

static bool all_ends_were_seen(void)
{
	return atomic_read(&race.served) && atomic_read(&race.closed) && atomic_read(&race.reset);
}

/* Without a wait for the servers, all connections could be refused. */
static void client(u32 random, u8 *buf)
{
	while (atomic_read(&race.servers) < (int)LISTENERS)
		yield();
	for (unsigned i = 0; i < ROUNDS || !all_ends_were_seen(); i++) {
		struct socket *sock = socket_new(SOCK_STREAM);

		if (!sock) {
			atomic_inc(&race.wrong);
			continue;
		}
		sock->sndtimeo = sock->rcvtimeo = STUCK;
		run_connection(sock, &random, buf);
	}
	atomic_dec(&race.clients_left);
}

/* Reads a connection: to its end, or most bytes at most. True: it came to a polite end. */
static bool serve(struct socket *sock, size_t most, u8 *buf)
{
	struct hello hello;
	ssize_t n = socket_recv(sock, &hello, sizeof(hello), false);
	size_t got = 0;

	if (n > 0 && n != sizeof(hello))
		atomic_inc(&race.wrong);
	while (n > 0 && got < most) {
		n = socket_recv(sock, buf, PIECE, false);
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] != byte_at(hello.seed, got + (size_t)i))
				atomic_inc(&race.wrong);
		got += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		count_error(n);
	if (n || !got)
		return false;
	atomic_inc(&race.served);
	if (hello.polite && got != hello.total)
		atomic_inc(&race.wrong);
	return hello.polite;
}

/* A listener that accepts a few connections, and is closed while others come. */
static void run_listener(struct socket *listener, u32 *random, u8 *buf)
{
	for (unsigned n = test_random(random) % 16; n; n--) {
		struct socket *sock = listener->ops->accept(listener, false);
		bool ended = false;

		if (IS_ERR(sock)) {
			if (PTR_ERR(sock) != -EAGAIN)
				atomic_inc(&race.wrong);
			continue;
		}
		sock->sndtimeo = sock->rcvtimeo = STUCK;
		if (test_random(random) % 4)
			ended = serve(sock,
				      test_random(random) % 2 ? ~0UL : test_random(random) % 30000,
				      buf);
		if (test_random(random) % 2) {
			socket_reset(sock);
		} else {
			socket_close(sock);
			atomic_add(ended, &race.closed);
		}
	}
}

static void server(u32 random, unsigned index, u8 *buf)
{
	while (atomic_read(&race.clients_left)) {
		struct socket *listener = socket_new(SOCK_STREAM);
		int err;

		if (!listener) {
			atomic_inc(&race.wrong);
			continue;
		}
		/* Connections inherit this: the call of accept(2) ends soon, run_listener() sets
		 * theirs. */
		listener->rcvtimeo = 5 * (s64)NSEC_PER_MSEC;
		listener->reuseaddr = listener->reuseport = true;
		err = socket_bind(listener, (u16)(PORT + index % LISTENERS));
		err = err ?: listener->ops->listen(listener, (int)(test_random(&random) % 4));
		if (!err)
			run_listener(listener, &random, buf);
		else if (err != -EADDRINUSE)
			atomic_inc(&race.wrong);
		socket_close(listener);
	}
}

static void race_thread(void *arg __unused, unsigned index)
{
	u8 *buf = kmalloc(PIECE, GFP_KERNEL);

	if (!buf)
		atomic_inc(&race.wrong);
	if (index >= race.clients)
		atomic_inc(&race.servers);
	if (index < race.clients) {
		if (buf)
			client(index + 1, buf);
		else
			atomic_dec(&race.clients_left);
	} else if (buf) {
		server(index + 1, index, buf);
	}
	kfree(buf);
}

SELFTEST(tcp, connections_end_in_all_ways_on_all_cpus)
{
	long sockets = tcp_sockets_count();
	unsigned expired;
	u64 objects;

	lo_up();
	EXPECT_EQ(use_connection(), 0);
	objects = memory_objects();
	memset(&race, 0, sizeof(race));
	race.clients = max(num_online_cpus(), 2U);
	atomic_set(&race.clients_left, (int)race.clients);
	EXPECT(run_threads(race.clients + max(race.clients, LISTENERS), EACH_CPU, race_thread,
			   NULL));
	expired = expire_time_wait();
	selftest_diag(test,
		      "%d connections: %d read to the end, %d refused, %d ended early, %u in "
		      "TIME_WAIT",
		      atomic_read(&race.connections), atomic_read(&race.served),
		      atomic_read(&race.refused), atomic_read(&race.reset), expired);
	EXPECT_EQ(atomic_read(&race.wrong), 0);
	EXPECT_EQ(atomic_read(&race.stuck), 0);
	EXPECT(expired); /* all_ends_were_seen() */
	EXPECT_EQ(tcp_sockets_count(), sockets);
	EXPECT_EQ(tcp_memory_pages(), 0);
	EXPECT(!inet_table_nth(tcp_prot.table, 0));
	memory_expect_objects(test, objects);
}

/* ---- ports ---- */

#define SOCKETS 100U /* of a thread */

static struct socket **bound;
static atomic_t unbound;

static void bind_many(void *arg __unused, unsigned index)
{
	for (unsigned i = 0; i < SOCKETS; i++) {
		struct socket *sock = socket_new(SOCK_DGRAM);

		bound[index * SOCKETS + i] = sock;
		if (!sock || socket_bind(sock, 0))
			atomic_inc(&unbound);
	}
}

SELFTEST(udp, each_socket_gets_a_port_of_its_own)
{
	unsigned threads = num_online_cpus(), twice = 0, none = 0;
	u8 *seen = kcalloc(1, 65536, GFP_KERNEL);

	lo_up();
	bound = kcalloc(threads * SOCKETS, sizeof(struct socket *), GFP_KERNEL);
	ASSERT(seen && bound);
	atomic_set(&unbound, 0);
	EXPECT(run_threads(threads, EACH_CPU, bind_many, NULL));
	EXPECT_EQ(atomic_read(&unbound), 0);
	for (unsigned i = 0; i < threads * SOCKETS; i++) {
		u16 port = bound[i] ? socket_port(bound[i]) : 0;

		none += port < 32768 || port > 60999; /* net.ipv4.ip_local_port_range */
		twice += seen[port]++;
		if (bound[i])
			socket_close(bound[i]);
	}
	EXPECT_EQ(none, 0);
	EXPECT_EQ(twice, 0);
	kfree(bound);
	kfree(seen);
}
