/* Descriptors in messages that nobody has received: as many as RLIMIT_NOFILE of their sender, for each user (unix(7)). */
#include "user_limits.h"
#include "unix.h"

static int pair[2], other[2], fds[20];

static void limit_to(rlim_t n)
{
	struct rlimit limit = { n, n };

	setrlimit(RLIMIT_NOFILE, &limit);
}

static void get(int fd, int flags)
{
	char buf[1], control[512];
	struct iovec iov = { buf, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	int got[20], n = 0;

	CALL(recvmsg(fd, &msg, flags));
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		n = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(got, CMSG_DATA(c), (size_t)n * sizeof(int));
	}
	while (n)
		close(got[--n]);
}

static void sender(void)
{
	limit_to(40);
	for (int i = 0; i < 4; i++)
		CALL(send_fds(pair[0], "x", 1, fds, 15));
	CALL(send_fds(other[0], "x", 1, fds, 1));
	CALL(send(pair[0], "x", 1, 0));
}

static void again(void)
{
	limit_to(40);
	CALL(send_fds(other[0], "x", 1, fds, 1));
}


int main(void)
{
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, other);
	for (int i = 0; i < 20; i++)
		fds[i] = 0;
	as_user(1000, sender);
	show("another user");
	as_user(1001, again);
	get(other[1], 0);
	show("root");
	limit_to(40);
	CALL(send_fds(other[0], "x", 1, fds, 1));
	get(other[1], 0);
	show("the same user");
	as_user(1000, again);
	get(pair[1], MSG_PEEK);
	as_user(1000, again);
	get(pair[1], 0);
	as_user(1000, again);
	close(pair[0]);
	close(pair[1]);
	get(other[1], 0);
	show("given back");
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	as_user(1000, sender);
	return 0;
}
