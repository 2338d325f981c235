/* Self-tests of UDP: what a broadcast to many sockets costs. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"
#include "selftest/lib/threads.h"
#include "selftest/net/sockets.h"
#include "selftest/selftest.h"
#include "selftest/trace/refuse.h"

#define SOCKETS 600U /* more than two batches of inet_for_each() */
#define BATCH   256U
#define CLOSED  100U
#define PORT    20001U
#define SIZE    3000U
#define NEVER   1000000U /* no allocation is refused, but all are counted */

struct closing {
	struct socket *sender;
	unsigned sent, failed;
	bool closed;
};

static struct socket *receivers[SOCKETS];
static u8 sent[SIZE], got[SIZE];

static union sockname at(u32 addr)
{
	return (union sockname){
		.in = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = addr }
	};
}

/* The next packet does not fit into the queue. */
static struct socket *new_receiver(void)
{
	union sockname any = at(INADDR_ANY);
	struct socket *sock = socket_new(SOCK_DGRAM);

	if (!sock)
		return NULL;
	sock->reuseaddr = true;
	sock->rcvbuf = 0;
	if (!sock->ops->bind(sock, &any, sizeof(any.in)))
		return sock;
	socket_close(sock);
	return NULL;
}

static ssize_t broadcast(struct socket *sock)
{
	struct msghdr msg = { .flags = MSG_NOSIGNAL,
			      .name = at(htonl(0x7fffffff)),
			      .namelen = sizeof(struct sockaddr_in) };

	iov_iter_kernel(&msg.iter, sent, SIZE);
	return sock_sendmsg(sock, &msg, true);
}

static const u8 *first_bytes(struct socket *sock)
{
	struct sk_buff *skb = list_first_entry_or_null(&to_sk(sock)->queue, struct sk_buff, list);

	return skb ? skb->data : NULL;
}

SELFTEST(udp, receivers_of_a_broadcast_share_its_bytes)
{
	struct socket *sender = socket_new(SOCK_DGRAM);
	unsigned allocations;

	lo_up();
	ASSERT(sender);
	sender->broadcast = true;
	memset(sent, 0x5a, SIZE);
	for (unsigned i = 0; i < SOCKETS; i++)
		ASSERT((receivers[i] = new_receiver()));
	EXPECT_EQ(broadcast(sender), SIZE);
	ASSERT(start_refusing());
	refuse_softirqs(true);
	(void)refuse_nth(NEVER);
	EXPECT_EQ(broadcast(sender), SIZE);
	allocations = refuse_nth(0);
	refuse_softirqs(false);
	stop_refusing(test);
	EXPECT(allocations && allocations < SOCKETS); /* full queues cost none */
	for (unsigned i = 0; i < SOCKETS; i++) {
		EXPECT(first_bytes(receivers[i]) == first_bytes(receivers[0]));
		EXPECT_EQ(to_sk(receivers[i])->drops, 1);
	}
	for (unsigned i = 0; i < SOCKETS; i++) {
		memset(got, 0, SIZE);
		EXPECT_EQ(socket_recv(receivers[i], got, SIZE, true), SIZE);
		EXPECT(!memcmp(got, sent, SIZE));
		EXPECT_EQ(socket_recv(receivers[i], got, SIZE, true), -EAGAIN);
		socket_close(receivers[i]);
	}
	socket_close(sender);
}

/* The softirq may be late. */
static bool arrives(struct socket *sock, unsigned drops)
{
	ktime_t end = ktime_get() + 10 * NSEC_PER_SEC;

	while (READ_ONCE(to_sk(sock)->drops) < drops && ktime_get() < end)
		msleep(1);
	return READ_ONCE(to_sk(sock)->drops) == drops;
}

/*
 * Thread 1 closes the socket at which the first batch ends; then the next one, at which it ends
 * then. Thread 0 broadcasts until it has closed all.
 */
static void broadcast_or_close(void *arg, unsigned index)
{
	struct closing *c = arg;

	if (index) {
		for (unsigned i = 0; i < CLOSED; i++)
			socket_close(receivers[BATCH - 1 + i]);
		WRITE_ONCE(c->closed, true);
		return;
	}
	do {
		c->failed +=
			broadcast(c->sender) != SIZE || !arrives(receivers[SOCKETS - 1], c->sent);
		c->sent++;
	} while (!READ_ONCE(c->closed) && !c->failed);
}

SELFTEST(udp, broadcast_reaches_each_socket_once_while_those_between_its_batches_are_closed)
{
	struct closing c = { .sender = socket_new(SOCK_DGRAM) };

	lo_up();
	ASSERT(c.sender);
	c.sender->broadcast = true;
	for (unsigned i = 0; i < SOCKETS; i++)
		ASSERT((receivers[i] = new_receiver()));
	EXPECT(run_threads(2, EACH_CPU, broadcast_or_close, &c));
	EXPECT(c.sent && !c.failed);
	for (unsigned i = 0; i < SOCKETS; i++) {
		if (i >= BATCH - 1 && i < BATCH - 1 + CLOSED)
			continue;
		EXPECT_EQ(to_sk(receivers[i])->drops, c.sent - 1); /* only the first had room */
		socket_close(receivers[i]);
	}
	socket_close(c.sender);
}
