/* timerfd: errors of its calls, EAGAIN, interrupted reads, what a child has of it. */
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "abi.h"

static void handler(int sig)
{
}

int main(void)
{
	struct itimerspec bad = { { 0, 0 }, { 0, 1000000000 } }, negative = { { 0, 0 }, { -1, 0 } };
	struct itimerspec good = { { 0, 0 }, { 0, 30000000 } }, far = { { 0, 0 }, { 1000, 0 } };
	struct itimerval soon = { { 0, 0 }, { 0, 10000 } };
	struct sigaction action = { .sa_handler = handler };
	struct epoll_event event = { EPOLLIN | EPOLLET, { 0 } };
	uint64_t ticks = 0;
	int fd, p[2], ep, status;
	char small[4];

	CALL(timerfd_create(2, 0));
	CALL(timerfd_create(99, 0));
	CALL(timerfd_create(-1, 0));
	CALL(timerfd_create(CLOCK_MONOTONIC_RAW, 0));
	CALL(timerfd_create(CLOCK_MONOTONIC, 1));
	OK(fd = timerfd_create(CLOCK_BOOTTIME, 0));
	close(fd);
	OK(fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
	CALL(read(fd, &ticks, 8));
	CALL(read(fd, small, 4));
	CALL(write(fd, &ticks, 8));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(timerfd_settime(fd, 0, &bad, NULL));
	CALL(timerfd_settime(fd, 0, &negative, NULL));
	CALL(timerfd_settime(fd, 4, &good, NULL));
	CALL(timerfd_settime(fd, 0, (void *)1, NULL));
	CALL(timerfd_settime(fd, 0, &good, (void *)1));
	CALL(timerfd_settime(99, 0, &good, NULL));
	pipe(p);
	CALL(timerfd_settime(p[0], 0, &good, NULL));
	CALL(timerfd_gettime(p[0], &good));
	CALL(timerfd_gettime(99, &good));
	CALL(timerfd_gettime(fd, (void *)1));
	/* A signal ends a read. */
	sigaction(SIGALRM, &action, NULL);
	fcntl(fd, F_SETFL, 0);
	CALL(timerfd_settime(fd, 0, &far, NULL));
	signal_when_asleep(SIGALRM);
	CALL(read(fd, &ticks, 8));
	wait(NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	CALL(timerfd_settime(fd, 0, &good, NULL));
	setitimer(ITIMER_REAL, &soon, NULL);
	CALL(read(fd, &ticks, 8));
	/* Parent and child share it. */
	ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	CALL(timerfd_settime(fd, 0, &good, NULL));
	CALL(epoll_wait(ep, &event, 1, -1));
	CALL(epoll_wait(ep, &event, 1, 0));
	if (!fork()) {
		CALL(read(fd, &ticks, 8));
		_exit((int)ticks);
	}
	wait(&status);
	show_status("child", status);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	CALL(read(fd, &ticks, 8));
	return 0;
}
