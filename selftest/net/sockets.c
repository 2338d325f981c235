/* Sockets for self-tests of the network: selftest/net/sockets.h. */
#include "selftest/net/sockets.h"

#include "net/core/dev.h"
#include "net/ipv4/devinet.h"

void lo_up(void)
{
	mutex_lock(&rtnl_mutex);
	dev_change_flags(&loopback_dev, loopback_dev.flags | IFF_UP);
	mutex_unlock(&rtnl_mutex);
}

struct socket *socket_new(unsigned type)
{
	struct socket *sock = sock_create(AF_INET, type, 0);

	return IS_ERR(sock) ? NULL : sock;
}

void socket_close(struct socket *sock)
{
	sock->ops->release(sock);
}

void socket_reset(struct socket *sock)
{
	if (!sock)
		return;
	sock->linger = true;
	sock->linger_seconds = 0;
	socket_close(sock);
}

static union sockname local(u16 port)
{
	return (union sockname){ .in = { .sin_family = AF_INET,
					 .sin_port = htons(port),
					 .sin_addr = INADDR_LOOPBACK } };
}

int socket_bind(struct socket *sock, u16 port)
{
	union sockname name = local(port);

	return sock->ops->bind(sock, &name, sizeof(name.in));
}

int socket_connect(struct socket *sock, u16 port, bool nonblock)
{
	union sockname name = local(port);

	return sock->ops->connect(sock, &name, sizeof(name.in), nonblock);
}

int socket_disconnect(struct socket *sock)
{
	union sockname name = { .addr = { .sa_family = AF_UNSPEC } };

	return sock->ops->connect(sock, &name, sizeof(name.in), false);
}

u16 socket_port(struct socket *sock)
{
	union sockname name;

	return sock->ops->getname(sock, &name, NAME_OF_SOCKET) < 0 ? 0 : ntohs(name.in.sin_port);
}

ssize_t socket_send(struct socket *sock, void *data, size_t size, bool nonblock)
{
	struct msghdr msg = { .flags = MSG_NOSIGNAL };

	iov_iter_kernel(&msg.iter, data, size);
	return sock_sendmsg(sock, &msg, nonblock);
}

ssize_t socket_recv(struct socket *sock, void *data, size_t size, bool nonblock)
{
	struct msghdr msg = { .flags = 0 };

	iov_iter_kernel(&msg.iter, data, size);
	return sock_recvmsg(sock, &msg, nonblock);
}

/* The first socket that waits for its timer, counted; or NULL. */
static struct tcp_sock *next_time_wait(void)
{
	struct sock *sk = inet_table_nth(tcp_prot.table, 0), *next;

	for (u64 pos = 1; sk; pos++) {
		if (READ_ONCE(sk->dead) && del_timer(&tcp_sk(sk)->timer))
			return tcp_sk(sk);
		next = inet_table_next(tcp_prot.table, sk, pos);
		sock_put(sk);
		sk = next;
	}
	return NULL;
}

unsigned expire_time_wait(void)
{
	struct tcp_sock *tp;
	unsigned n = 0;

	for (; (tp = next_time_wait()); n++) {
		tcp_timer(&tp->timer);
		sock_put(&tp->sk);
	}
	return n;
}
