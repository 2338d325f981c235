/* poll, ppoll, select, pselect6 and signals: EINTR in spite of SA_RESTART; masks; what is left of the time. */
#include <poll.h>
#include <sys/select.h>

#include "abi.h"

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

static void stop_and_go(void)
{
	pid_t parent = getppid();

	usleep(20000);
	kill(parent, SIGSTOP);
	usleep(20000);
	kill(parent, SIGCONT);
}

static void stopped(void)
{
	struct timespec start, end;
	long ms;

	if (!fork()) {
		stop_and_go();
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	CALL(poll(NULL, 0, 100));
	clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000;
	TRUTH(ms >= 99);
	wait(NULL);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct timespec second = { 100, 0 };
	struct timeval tv = { 100, 0 };
	sigset_t usr1, none, now;
	struct {
		const sigset_t *mask;
		size_t size;
	} pack;
	int p[2];
	fd_set set;

	pipe(p);
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	signal_when_asleep(SIGALRM);
	CALL(poll(NULL, 0, 50000));
	signal_when_asleep(SIGALRM);
	CALL(poll(NULL, 0, -1));
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_ppoll, NULL, 0, &second, NULL, 0));
	TRUTH(second.tv_sec > 90 && second.tv_sec < 100 && second.tv_nsec > 0);
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_select, p[0] + 1, &set, NULL, NULL, &tv));
	TRUTH(tv.tv_sec > 90 && tv.tv_sec < 100);
	TRUTH(FD_ISSET(p[0], &set));
	second = (struct timespec){ 100, 0 };
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_pselect6, p[0] + 1, &set, NULL, NULL, &second, NULL));
	TRUTH(second.tv_sec > 90 && second.tv_sec < 100 && second.tv_nsec > 0);
	show("handled %d", handled);
	sigemptyset(&usr1);
	sigemptyset(&none);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	raise(SIGUSR1);
	CALL(poll(NULL, 0, 10));
	show("handled %d", handled);
	CALL(ppoll(NULL, 0, NULL, &none));
	show("handled %d", handled);
	raise(SIGUSR1);
	CALL(pselect(0, NULL, NULL, NULL, NULL, &none));
	show("handled %d", handled);
	sigprocmask(SIG_BLOCK, NULL, &now);
	TRUTH(sigismember(&now, SIGUSR1));
	pack.mask = &none;
	pack.size = 4;
	CALL(syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, &pack));
	CALL(syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, 1));
	CALL(syscall(SYS_ppoll, NULL, 0, NULL, &none, 4));
	second.tv_nsec = -1;
	CALL(syscall(SYS_ppoll, NULL, 0, &second, NULL, 0));
	while (wait(NULL) > 0)
		;
	CHILD(stopped);
	return 0;
}
