/* epoll files that watch epoll files: from a file only so many paths lead up, by their length. */
#include <sys/epoll.h>
#include <sys/resource.h>

#include "abi.h"

static int add(int ep, int fd)
{
	struct epoll_event event = { EPOLLIN, { .fd = fd } };

	return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
}

static int pipe_end(void)
{
	int p[2];

	pipe(p);
	return p[0];
}

static int between;

/* How many epoll files can watch the end of a chain of `between` epoll files above a pipe. */
static void limit(void)
{
	int below = pipe_end(), n = 0;

	for (int i = 0; i < between; i++) {
		int ep = epoll_create1(0);

		CALL(add(ep, below));
		below = ep;
	}
	while (n < 1100 && !add(epoll_create1(0), below))
		n++;
	show("%d between: %d", between, n);
	if (n < 1100)
		CALL(add(epoll_create1(0), below));
}

/* Two ways up from each epoll file of a layer to each one of the next. */
static void layers(void)
{
	int layer[5][4], end = pipe_end(), refused = 0;

	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 4; k++)
			layer[i][k] = epoll_create1(0);
	for (int i = 0; i < 4; i++)
		for (int a = 0; a < 4; a++)
			for (int b = 0; b < 4; b++)
				refused += add(layer[i + 1][b], layer[i][a]) != 0;
	show("nothing below: %d refused", refused);
	for (int k = 0; k < 4; k++)
		CALL(add(layer[0][k], end));
	/* What was refused is not there. */
	CALL(epoll_ctl(layer[0][0], EPOLL_CTL_DEL, end, NULL));
	CALL(add(layer[2][0], end));
	CALL(add(layer[3][0], end));
	CALL(add(layer[4][0], end));
}

/* A path that ends makes room. */
static void again(void)
{
	int below, top, extra = epoll_create1(0), end = pipe_end();

	below = epoll_create1(0);
	add(below, end);
	top = epoll_create1(0);
	add(top, below);
	for (int i = 0; i < 499; i++)
		add(epoll_create1(0), below);
	CALL(add(extra, below));
	CALL(epoll_ctl(extra, EPOLL_CTL_DEL, below, NULL));
	CALL(epoll_ctl(top, EPOLL_CTL_DEL, below, NULL));
	CALL(add(extra, below));
	close(extra);
	CALL(add(top, below));
}

int main(void)
{
	struct rlimit files = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &files);
	for (between = 0; between <= 5; between++)
		CHILD(limit);
	CHILD(layers);
	CHILD(again);
	return 0;
}
