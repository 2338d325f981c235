/* EPOLLEXCLUSIVE: which files and flags it takes; at least one of several waiters gets the event. */
#include <sys/epoll.h>

#include "abi.h"

static int ctl(int ep, int op, int fd, unsigned events)
{
	struct epoll_event event = { events, { .fd = fd } };

	return epoll_ctl(ep, op, fd, &event);
}

int main(void)
{
	int ep = epoll_create1(0), other = epoll_create1(0), p[2], sync_pipe[2], result[2], awake = 0;
	struct epoll_event got[4];
	pid_t pids[3];
	char c;

	pipe(p);
	CALL(ctl(ep, EPOLL_CTL_ADD, p[0], EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT));
	CALL(ctl(ep, EPOLL_CTL_ADD, p[0], EPOLLIN | EPOLLEXCLUSIVE | EPOLLPRI));
	CALL(ctl(ep, EPOLL_CTL_ADD, other, EPOLLIN | EPOLLEXCLUSIVE));
	CALL(ctl(ep, EPOLL_CTL_ADD, p[0], EPOLLIN | EPOLLEXCLUSIVE | EPOLLET));
	CALL(ctl(ep, EPOLL_CTL_MOD, p[0], EPOLLIN));
	CALL(ctl(ep, EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLEXCLUSIVE));
	CALL(ctl(ep, EPOLL_CTL_DEL, p[0], 0));
	pipe(sync_pipe);
	pipe(result);
	for (int i = 0; i < 3; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			int mine = epoll_create1(0);

			ctl(mine, EPOLL_CTL_ADD, p[0], EPOLLIN | EPOLLEXCLUSIVE);
			write(sync_pipe[1], "r", 1);
			if (epoll_wait(mine, got, 4, 20000) == 1)
				write(result[1], "w", 1);
			_exit(0);
		}
	}
	for (int i = 0; i < 3; i++)
		read(sync_pipe[0], &c, 1);
	usleep(50000);
	write(p[1], "x", 1);
	read(result[0], &c, 1);
	awake++;
	show("one is awake");
	read(p[0], &c, 1);
	/* The others get the next one, one after the other. */
	for (int i = 0; i < 2; i++) {
		usleep(20000);
		write(p[1], "x", 1);
	}
	for (int i = 0; i < 3; i++)
		waitpid(pids[i], NULL, 0);
	fcntl(result[0], F_SETFL, O_NONBLOCK);
	while (read(result[0], &c, 1) == 1)
		awake++;
	TRUTH(awake >= 2);
	return 0;
}
