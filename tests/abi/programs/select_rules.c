/* select(2) and pselect6(2): sets, numbers out of range, time-outs, masks. */
#include "abi.h"

#include <sys/select.h>

static void handler(int sig)
{
	show("handler %d", sig);
}

int main(void)
{
	struct timeval tv = { 0, 20000 }, negative = { -1, 0 }, zero = { 0, 0 }, odd = { 0, 2000000 };
	struct timespec ts = { 5, 0 }, bad = { 0, -1 };
	fd_set r, w, x;
	sigset_t block, none;
	int p[2];

	pipe(p);
	FD_ZERO(&r);
	FD_SET(p[0], &r);
	CALL(syscall(SYS_select, p[0] + 1, &r, NULL, NULL, &tv));
	show("set %d, left %ld", FD_ISSET(p[0], &r), (long)tv.tv_usec);
	write(p[1], "x", 1);
	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_ZERO(&x);
	FD_SET(p[0], &r);
	FD_SET(p[1], &r);
	FD_SET(p[0], &w);
	FD_SET(p[1], &w);
	FD_SET(p[0], &x);
	CALL(select(p[1] + 1, &r, &w, &x, NULL));
	show("%d%d %d%d %d", FD_ISSET(p[0], &r), FD_ISSET(p[1], &r), FD_ISSET(p[0], &w), FD_ISSET(p[1], &w), FD_ISSET(p[0], &x));
	FD_ZERO(&w);
	FD_SET(p[1], &w);
	CALL(select(p[1], NULL, &w, NULL, &zero));
	FD_ZERO(&r);
	FD_SET(60, &r);
	CALL(select(61, &r, NULL, NULL, &zero));
	CALL(syscall(SYS_select, -1, NULL, NULL, NULL, &zero));
	CALL(syscall(SYS_select, 0, NULL, NULL, NULL, &negative));
	CALL(syscall(SYS_select, 0, NULL, NULL, NULL, &odd));
	CALL(syscall(SYS_select, 5, 8, NULL, NULL, &zero));
	CALL(syscall(SYS_select, 0, NULL, NULL, NULL, 8));
	CALL(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &bad, NULL));
	sigemptyset(&none);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, NULL);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	CALL(pselect(0, NULL, NULL, NULL, &ts, &none));
	return 0;
}
