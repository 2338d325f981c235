/* epoll with EPOLLET and EPOLLONESHOT: when a file is reported again. */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "abi.h"

static int ep;

static void ready(const char *what)
{
	struct epoll_event got[4];
	int n = epoll_wait(ep, got, 4, 0);

	if (n > 0)
		show("%s: %x", what, got[0].events);
	else
		show("%s: %d", what, n);
}

static void set(int op, int fd, unsigned events)
{
	struct epoll_event event = { events, { .fd = fd } };

	if (epoll_ctl(ep, op, fd, &event))
		show("epoll_ctl: %s", error_name(errno));
}

int main(void)
{
	uint64_t value = 1;
	char buf[100];
	int p[2], e;

	pipe(p);
	ep = epoll_create1(0);
	write(p[1], "a", 1);
	set(EPOLL_CTL_ADD, p[0], EPOLLIN | EPOLLET);
	ready("edge: ready when added");
	ready("edge: no change");
	write(p[1], "b", 1);
	ready("edge: another byte");
	ready("edge: no change");
	read(p[0], buf, 1);
	ready("edge: a byte read, one left");
	set(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLET);
	ready("edge: armed again");
	read(p[0], buf, 10);
	write(p[1], "c", 1);
	read(p[0], buf, 10);
	ready("edge: written and read");
	write(p[1], "c", 1);
	write(p[1], "c", 1);
	ready("edge: written twice");
	ready("edge: no change");
	set(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLONESHOT);
	ready("once");
	ready("once: again");
	write(p[1], "d", 1);
	ready("once: another byte");
	set(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLONESHOT);
	ready("once: armed again");
	set(EPOLL_CTL_MOD, p[0], 0);
	ready("nothing asked for");
	close(p[1]);
	ready("nothing asked for: the writer has gone");
	set(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLET);
	ready("edge: the end");
	ready("edge: the end again");
	close(p[0]);
	ready("closed");

	e = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
	set(EPOLL_CTL_ADD, e, EPOLLIN | EPOLLET);
	ready("counter 0");
	value = 3;
	write(e, &value, 8);
	ready("counter 3");
	ready("counter 3 again");
	read(e, &value, 8);
	ready("counter 2 after a read");
	value = 1;
	write(e, &value, 8);
	ready("counter 3 after a write");
	set(EPOLL_CTL_MOD, e, EPOLLIN | EPOLLOUT | EPOLLET);
	ready("both");
	read(e, &value, 8);
	ready("both after a read");
	return 0;
}
