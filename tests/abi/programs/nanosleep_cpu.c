/* clock_nanosleep on the clock of the process: another thread's time ends it; a signal interrupts it, with the rest. */
#include <pthread.h>

#include "abi.h"

static volatile int stop;

static void *burn(void *arg)
{
	while (!stop)
		;
	return NULL;
}

static void handler(int sig)
{
}

int main(void)
{
	struct timespec t = { 0, 50000000 }, rest = { 0, 0 }, hour = { 3600, 0 }, before, after;
	struct sigaction action = { .sa_handler = handler };
	pthread_t thread;

	sigaction(SIGALRM, &action, NULL);
	/* No thread runs: only the signal ends it. */
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_clock_nanosleep, CLOCK_PROCESS_CPUTIME_ID, 0, &hour, &rest));
	TRUTH(rest.tv_sec >= 3500 && rest.tv_sec <= 3600);
	signal_when_asleep(SIGALRM);
	CALL(syscall(SYS_clock_nanosleep, CLOCK_PROCESS_CPUTIME_ID, TIMER_ABSTIME, &hour, NULL));
	pthread_create(&thread, NULL, burn, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	CALL(syscall(SYS_clock_nanosleep, CLOCK_PROCESS_CPUTIME_ID, 0, &t, &rest));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	TRUTH((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 50000000);
	t = after;
	t.tv_sec++;
	t.tv_nsec = 0;
	CALL(syscall(SYS_clock_nanosleep, CLOCK_PROCESS_CPUTIME_ID, TIMER_ABSTIME, &t, NULL));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	TRUTH(after.tv_sec >= t.tv_sec);
	stop = 1;
	pthread_join(thread, NULL);
	return 0;
}
