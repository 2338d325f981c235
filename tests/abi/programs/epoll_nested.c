/* epoll files that watch epoll files: readiness passes through, rings and deep nests give ELOOP. */
#include <poll.h>
#include <sys/epoll.h>

#include "abi.h"

static int add(int ep, int fd)
{
	struct epoll_event event = { EPOLLIN, { .fd = fd } };

	return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
}

static void polls(const char *what, int fd)
{
	struct pollfd one = { fd, POLLIN | POLLOUT, 0 };
	int n = poll(&one, 1, 0);

	show("%s: %d %x", what, n, one.revents);
}

int main(void)
{
	int inner = epoll_create1(0), outer = epoll_create1(0), p[2], chain[8];
	struct epoll_event got[4];
	char c;

	pipe(p);
	CALL(add(inner, p[0]));
	CALL(add(outer, inner));
	polls("inner", inner);
	CALL(epoll_wait(outer, got, 4, 0));
	write(p[1], "x", 1);
	polls("inner", inner);
	polls("outer", outer);
	CALL(epoll_wait(outer, got, 4, 0));
	show("%x %s", got[0].events, got[0].data.fd == inner ? "inner" : "?");
	CALL(epoll_wait(inner, got, 4, 0));
	show("%x %s", got[0].events, got[0].data.fd == p[0] ? "pipe" : "?");
	read(p[0], &c, 1);
	CALL(epoll_wait(outer, got, 4, 0));
	polls("outer", outer);
	if (!fork()) {
		usleep(20000);
		write(p[1], "y", 1);
		_exit(0);
	}
	CALL(epoll_wait(outer, got, 4, -1));
	wait(NULL);
	CALL(add(inner, outer));
	CALL(add(inner, inner));
	for (int i = 0; i < 8; i++)
		chain[i] = epoll_create1(0);
	CALL(add(chain[0], chain[1]));
	CALL(add(chain[1], chain[2]));
	CALL(add(chain[2], chain[0]));
	CALL(add(chain[2], chain[3]));
	CALL(add(chain[3], chain[4]));
	/* A chain whose far end is added last, and whose near end is. */
	close(chain[0]);
	CALL(add(chain[4], chain[5]));
	CALL(add(chain[5], chain[6]));
	CALL(add(chain[7], chain[1]));
	/* Closing the inner file removes it from the outer one. */
	close(inner);
	CALL(epoll_wait(outer, got, 4, 0));
	return 0;
}
