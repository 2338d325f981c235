/* epoll: hang-ups and errors come unasked; FIFOs, /dev/null, directories, event and timer files as targets. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "abi.h"

static int ep;

static long add(int fd, unsigned events)
{
	struct epoll_event event = { events, { .fd = fd } };

	return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
}

/* ms: how long it waits; -1: until something is ready */
static void ready_within(int ms, const char *what)
{
	struct epoll_event got[8];
	int n = epoll_wait(ep, got, 8, ms);

	show("%s: %d %x", what, n, n > 0 ? got[0].events : 0);
}

static void ready(const char *what)
{
	ready_within(0, what);
}

int main(void)
{
	struct itimerspec past = { { 0, 0 }, { 0, 1 } };
	int p[2], fifo, writer, fd;
	uint64_t value = 1;
	char c;

	ep = epoll_create1(0);
	pipe(p);
	CALL(add(p[0], 0));
	write(p[1], "x", 1);
	ready("asks for nothing, a byte is there");
	close(p[1]);
	ready("the writer has gone");
	close(p[0]);
	pipe(p);
	CALL(add(p[1], 0));
	close(p[0]);
	ready("the reader has gone");
	close(p[1]);
	pipe(p);
	CALL(add(p[0], EPOLLIN | EPOLLRDHUP | EPOLLPRI));
	write(p[1], "x", 1);
	close(p[1]);
	ready("a byte and the end");
	read(p[0], &c, 1);
	ready("the end");
	close(p[0]);
	mkfifo("fifo", 0600);
	fifo = open("fifo", O_RDONLY | O_NONBLOCK);
	CALL(add(fifo, EPOLLIN | EPOLLET));
	ready("a FIFO that never had a writer");
	writer = open("fifo", O_WRONLY);
	ready("a writer");
	write(writer, "x", 1);
	ready("a byte");
	close(writer);
	ready("closed again");
	read(fifo, &c, 1);
	writer = open("fifo", O_RDWR);
	ready("another writer");
	close(writer);
	ready("and closed");
	close(fifo);
	CALL(add(open("/dev/null", O_RDWR), EPOLLIN));
	CALL(add(open(".", O_RDONLY | O_DIRECTORY), EPOLLIN));
	CALL(add(open("/dev/zero", O_RDONLY), EPOLLIN));
	fd = eventfd(0, 0);
	CALL(add(fd, EPOLLIN | EPOLLOUT));
	ready("counter 0");
	write(fd, &value, 8);
	ready("counter 1");
	close(fd);
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	CALL(add(fd, EPOLLIN | EPOLLET));
	ready("timer off");
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL);
	ready_within(-1, "timer expired");
	ready("timer not read");
	read(fd, &value, 8);
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL);
	ready_within(-1, "expired again");
	return 0;
}
