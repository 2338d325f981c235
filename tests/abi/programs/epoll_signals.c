/* epoll_wait, epoll_pwait, epoll_pwait2 and signals: EINTR in spite of SA_RESTART; the mask of the wait. */
#include <sys/epoll.h>

#include "abi.h"

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

static void blocked_now(const char *when)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	show("%s: USR1 %s", when, sigismember(&now, SIGUSR1) ? "blocked" : "open");
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct timespec second = { 100, 0 };
	struct epoll_event got[1], event = { EPOLLIN, { 0 } };
	int ep = epoll_create1(0), p[2];
	sigset_t usr1, none;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	signal_when_asleep(SIGALRM);
	CALL(epoll_wait(ep, got, 1, -1));
	show("handled %d", handled);
	signal_when_asleep(SIGALRM);
	CALL(epoll_wait(ep, got, 1, 50000));
	signal_when_asleep(SIGALRM);
	CALL(syscall(441, ep, got, 1, &second, NULL, 0L));
	show("handled %d", handled);
	sigemptyset(&usr1);
	sigemptyset(&none);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	raise(SIGUSR1);
	CALL(epoll_wait(ep, got, 1, 0));
	show("handled %d", handled);
	CALL(epoll_pwait(ep, got, 1, -1, &none));
	show("handled %d", handled);
	blocked_now("after the handler");
	/* An event that is ready comes before the signal. */
	pipe(p);
	epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &event);
	write(p[1], "x", 1);
	raise(SIGUSR1);
	CALL(epoll_pwait(ep, got, 1, -1, &none));
	show("handled %d", handled);
	blocked_now("after an event");
	read(p[0], got, 1);
	CALL(epoll_pwait(ep, got, 1, 0, &none));
	show("handled %d", handled);
	CALL(syscall(SYS_epoll_pwait, ep, got, 1, -1, &none, 8L));
	show("handled %d", handled);
	return 0;
}
