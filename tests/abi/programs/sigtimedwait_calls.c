/* rt_sigtimedwait: time-outs, order, siginfo, other signals, errors. */
#include "abi.h"

static sigset_t set;

static long take(siginfo_t *info, const struct timespec *timeout)
{
	return syscall(SYS_rt_sigtimedwait, &set, info, timeout, 8);
}

static void handler(int sig)
{
}

int main(void)
{
	struct timespec none = { 0, 0 }, short_time = { 0, 20000000 }, bad = { 0, -1 }, start, end;
	struct itimerval soon = { { 0, 0 }, { 0, 10000 } };
	union sigval value;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, 40);
	sigaddset(&set, 50);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CALL(take(&info, &none));
	clock_gettime(CLOCK_MONOTONIC, &start);
	CALL(take(&info, &short_time));
	clock_gettime(CLOCK_MONOTONIC, &end);
	TRUTH((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 >= 19);
	CALL(take(&info, &bad));
	CALL(syscall(SYS_rt_sigtimedwait, &set, NULL, &none, 4));
	CALL(syscall(SYS_rt_sigtimedwait, 1, NULL, &none, 8));
	CALL(syscall(SYS_rt_sigtimedwait, &set, NULL, 1, 8));
	value.sival_int = 1;
	sigqueue(getpid(), 50, value);
	value.sival_int = 2;
	sigqueue(getpid(), 40, value);
	value.sival_int = 3;
	sigqueue(getpid(), 40, value);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGUSR1);
	for (int i = 0; i < 5; i++) {
		long sig = take(&info, &none);

		show("%ld: code %d value %d", sig, info.si_code, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
	}
	raise(SIGUSR1);
	CALL(syscall(SYS_rt_sigtimedwait, &set, 1, &none, 8));
	CALL(take(&info, &none));
	/* Another signal, with a handler. */
	signal(SIGALRM, handler);
	signal_when_asleep(SIGALRM);
	CALL(take(&info, NULL));
	wait(NULL);
	/* One that is ignored does not end the wait. */
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &soon, NULL);
	CALL(take(&info, &short_time));
	return 0;
}
