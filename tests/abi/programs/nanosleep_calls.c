/* nanosleep and clock_nanosleep: the rest, absolute times, errors, a stop in between, the past. */
#include "abi.h"

static void handler(int sig)
{
}

static long ms_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static void stopped(void)
{
	struct timespec t = { 0, 100000000 }, rest = { 7, 7 }, start;
	pid_t parent = getpid();

	if (!fork()) {
		usleep(20000);
		kill(parent, SIGSTOP);
		usleep(20000);
		kill(parent, SIGCONT);
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	CALL(nanosleep(&t, &rest));
	TRUTH(ms_since(&start) >= 99);
	wait(NULL);
}

int main(void)
{
	struct timespec t = { 100, 0 }, rest = { 0, 0 }, start;
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	signal_when_asleep(SIGALRM);
	CALL(nanosleep(&t, &rest));
	TRUTH(rest.tv_sec > 90 && rest.tv_sec < 100);
	signal_when_asleep(SIGALRM);
	rest.tv_sec = 77;
	CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){ 1 << 30, 0 }, &rest));
	show("rest %ld", (long)rest.tv_sec);
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_nanosleep, &t, 1));
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &t, &rest));
	TRUTH(rest.tv_sec > 90 && rest.tv_sec < 100);
	t = (struct timespec){ 0, 1000000000 };
	CALL(nanosleep(&t, NULL));
	t = (struct timespec){ -1, 0 };
	CALL(nanosleep(&t, NULL));
	CALL(syscall(SYS_nanosleep, 1, NULL));
	CALL(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL));
	t = (struct timespec){ 0, 0 };
	CALL(nanosleep(&t, NULL));
	CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	CALL(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL));
	clock_gettime(CLOCK_MONOTONIC, &start);
	t = start;
	t.tv_nsec += 30000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	TRUTH(ms_since(&start) >= 29);
	clock_gettime(CLOCK_BOOTTIME, &t);
	CALL(syscall(SYS_clock_nanosleep, CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL));
	while (wait(NULL) > 0)
		;
	CHILD(stopped);
	return 0;
}
