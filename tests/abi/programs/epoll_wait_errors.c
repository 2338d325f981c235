/* epoll_wait, epoll_pwait, epoll_pwait2: errors, time-outs, many events and little room. */
#include <sys/epoll.h>

#include "abi.h"

static long pwait2(int ep, struct epoll_event *events, int max, const struct timespec *timeout)
{
	return syscall(441, ep, events, max, timeout, NULL, 0L);
}

int main(void)
{
	struct timespec short_time = { 0, 10000000 }, bad = { 0, 1000000000 }, zero = { 0, 0 }, start, end;
	struct epoll_event got[8], event = { EPOLLIN, { 0 } };
	int ep = epoll_create1(0), p[6][2], file = open("f", O_RDWR | O_CREAT, 0600);
	unsigned seen;

	CALL(epoll_wait(ep, got, 0, 0));
	CALL(epoll_wait(ep, got, -1, 0));
	CALL(syscall(SYS_epoll_wait, ep, got, 0x7fffffff, 0));
	CALL(epoll_wait(99, got, 1, 0));
	CALL(epoll_wait(file, got, 1, 0));
	CALL(syscall(SYS_epoll_wait, ep, (void *)0xffffffff00000000, 1, 0));
	CALL(epoll_wait(ep, got, 8, 0));
	clock_gettime(CLOCK_MONOTONIC, &start);
	CALL(epoll_wait(ep, got, 8, 20));
	clock_gettime(CLOCK_MONOTONIC, &end);
	TRUTH((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 >= 19);
	CALL(pwait2(ep, got, 8, &short_time));
	CALL(pwait2(ep, got, 8, &zero));
	CALL(pwait2(ep, got, 8, &bad));
	CALL(pwait2(ep, got, 8, (void *)1));
	CALL(syscall(SYS_epoll_pwait, ep, got, 8, 0, &got, 4L));
	CALL(syscall(SYS_epoll_pwait, ep, got, 8, 0, (void *)1, 8L));
	for (int i = 0; i < 6; i++) {
		pipe(p[i]);
		event.data.u32 = (uint32_t)i;
		epoll_ctl(ep, EPOLL_CTL_ADD, p[i][0], &event);
		write(p[i][1], "x", 1);
	}
	CALL(epoll_wait(ep, got, 8, -1));
	for (int i = 0; i < 6; i++)
		show("%u", got[i].data.u32);
	/* Level-triggered files take turns. */
	seen = 0;
	for (int i = 0; i < 3; i++) {
		int n = epoll_wait(ep, got, 2, -1);

		show("%d: %u %u", n, got[0].data.u32, got[1].data.u32);
		seen |= 1U << got[0].data.u32 | 1U << got[1].data.u32;
	}
	show("seen %x", seen);
	CALL(syscall(SYS_epoll_wait, ep, (void *)1, 8, 0));
	CALL(epoll_wait(ep, got, 8, 0));
	return 0;
}
