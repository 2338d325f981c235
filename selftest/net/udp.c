/* Self-tests of UDP: what a broadcast to many sockets costs. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/inet.h"
#include "selftest/net/sockets.h"
#include "selftest/selftest.h"
#include "selftest/trace/refuse.h"

#define SOCKETS 600U /* more than inet_for_each() does in one piece */
#define PORT    20001U
#define SIZE    3000U
#define NEVER   1000000U /* no allocation is refused, but all are counted */

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
