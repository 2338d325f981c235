/* Several threads in one epoll: each event of an EPOLLONESHOT or EPOLLET file goes to one of them. */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "abi.h"

#define THREADS 4
#define ROUNDS  200

static int ep, fd, stop[2];
static int handled, threads_that_worked;

static void *worker(void *arg)
{
	struct epoll_event got[1];
	int mine = 0;

	for (;;) {
		uint64_t value;

		if (epoll_wait(ep, got, 1, -1) != 1)
			continue;
		if (got[0].data.fd == stop[0])
			break;
		if (read(fd, &value, 8) == 8) {
			__atomic_fetch_add(&handled, (int)value, __ATOMIC_SEQ_CST);
			mine++;
		}
		got[0].events = EPOLLIN | EPOLLONESHOT;
		got[0].data.fd = fd;
		epoll_ctl(ep, EPOLL_CTL_MOD, fd, &got[0]);
	}
	if (mine)
		__atomic_fetch_add(&threads_that_worked, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	struct epoll_event event = { EPOLLIN | EPOLLONESHOT, { 0 } };
	pthread_t threads[THREADS];
	uint64_t one = 1;

	ep = epoll_create1(0);
	fd = eventfd(0, EFD_NONBLOCK);
	pipe(stop);
	event.data.fd = fd;
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	event.events = EPOLLIN;
	event.data.fd = stop[0];
	epoll_ctl(ep, EPOLL_CTL_ADD, stop[0], &event);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		write(fd, &one, 8);
		while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) <= i)
			usleep(10);
	}
	write(stop[1], "x", 1); /* level-triggered: all threads see it */
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	show("handled %d", handled);
	TRUTH(threads_that_worked >= 1);
	return 0;
}
