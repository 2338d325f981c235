/* epoll and the end of watched files: duplicates keep a file watched, the last close removes it. */
#include <sys/epoll.h>

#include "abi.h"

static int add(int ep, int fd, unsigned events)
{
	struct epoll_event event = { events, { .fd = fd } };

	return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
}

int main(void)
{
	int ep = epoll_create1(0), p[2], q[2], seen[2], d, copy, status;
	struct epoll_event got[8];
	pid_t pid;
	char c;

	pipe(p);
	write(p[1], "x", 1);
	CALL(add(ep, p[0], EPOLLIN));
	d = dup(p[0]);
	CALL(add(ep, d, EPOLLIN));
	CALL(epoll_wait(ep, got, 8, 0));
	close(p[0]);
	CALL(epoll_wait(ep, got, 8, 0));
	CALL(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	CALL(epoll_ctl(ep, EPOLL_CTL_DEL, d, NULL));
	CALL(epoll_wait(ep, got, 8, 0));
	close(d);
	CALL(epoll_wait(ep, got, 8, 0));
	/* The number is free for another file. */
	pipe(q);
	CALL(add(ep, q[0], EPOLLIN));
	CALL(epoll_wait(ep, got, 8, 0));
	close(q[1]);
	CALL(epoll_wait(ep, got, 8, 0));
	show("%x", got[0].events);
	close(q[0]);
	/* A child has the same epoll, and keeps the watched file until this process has got its event. */
	pipe(q);
	pipe(seen);
	CALL(add(ep, q[0], EPOLLIN));
	pid = fork();
	if (!pid) {
		until_asleep(getppid(), getppid());
		write(q[1], "x", 1);
		read(seen[0], &c, 1);
		_exit(epoll_wait(ep, got, 8, -1));
	}
	close(q[0]);
	CALL(epoll_wait(ep, got, 8, -1));
	write(seen[1], "x", 1);
	waitpid(pid, &status, 0);
	show_status("child", status);
	CALL(epoll_wait(ep, got, 8, 0));
	/* A copy of the epoll file is the same epoll. */
	copy = dup(ep);
	pipe(q);
	CALL(add(copy, q[1], EPOLLOUT));
	CALL(epoll_wait(ep, got, 8, 0));
	close(ep);
	CALL(epoll_wait(copy, got, 8, 0));
	close(copy);
	return 0;
}
