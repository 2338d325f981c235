/* epoll: add, change and remove files; which events come back; errors of epoll_create and epoll_ctl. */
#include <sys/epoll.h>

#include "abi.h"

static void ready(const char *what, int ep)
{
	struct epoll_event got[4];
	int n = epoll_wait(ep, got, 4, 0);

	show("%s: %d", what, n);
	for (int i = 0; i < n; i++)
		show("  %x data %llx", got[i].events, (unsigned long long)got[i].data.u64);
}

int main(void)
{
	struct epoll_event event = { EPOLLIN, { .u64 = 0x1122334455667788 } };
	int ep, p[2], file;

	CALL(syscall(SYS_epoll_create, 0));
	CALL(syscall(SYS_epoll_create, -1));
	OK(ep = epoll_create(1));
	close(ep);
	CALL(epoll_create1(1));
	OK(ep = epoll_create1(EPOLL_CLOEXEC));
	CALL(fcntl(ep, F_GETFD));
	show("%x", fcntl(ep, F_GETFL));
	CALL(read(ep, &event, 8));
	CALL(write(ep, &event, 8));
	show("size %zu", sizeof(event));
	pipe(p);
	file = open("f", O_RDWR | O_CREAT, 0600);
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &event));
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &event));
	ready("empty pipe", ep);
	write(p[1], "x", 1);
	ready("a byte", ep);
	ready("still", ep);
	event.events = EPOLLOUT;
	CALL(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &event));
	ready("asks for room at the reading end", ep);
	event.events = EPOLLIN | EPOLLRDNORM;
	event.data.u64 = 5;
	CALL(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &event));
	ready("changed", ep);
	event.events = EPOLLOUT | EPOLLIN;
	event.data.u64 = 6;
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &event));
	ready("both ends", ep);
	CALL(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	CALL(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	CALL(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &event));
	ready("one end", ep);
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, file, &event));
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, ep, &event));
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, 99, &event));
	CALL(epoll_ctl(99, EPOLL_CTL_ADD, p[0], &event));
	CALL(epoll_ctl(p[0], EPOLL_CTL_ADD, p[1], &event));
	CALL(epoll_ctl(file, EPOLL_CTL_ADD, file, &event));
	CALL(epoll_ctl(ep, 77, p[0], &event));
	CALL(syscall(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, p[0], 1));
	CALL(syscall(SYS_epoll_ctl, 99, EPOLL_CTL_ADD, 98, 1));
	return 0;
}
