/* POSIX timers on the clocks of CPU time: of the process and of a thread; a sleeping program's do not expire. */
#include "abi.h"

#define MS 1000000L

static volatile int handled, code;

static void handler(int sig, siginfo_t *info, void *context)
{
	handled++;
	code = info->si_code;
}

static long cpu_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000 + now.tv_nsec / MS;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 40 };
	struct itimerspec never = { 0 }, soon = { { 0, 0 }, { 0, 30 * MS } }, periodic = { { 0, 10 * MS }, { 0, 10 * MS } }, left;
	clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };
	long start;
	int id, quiet;

	sigaction(40, &action, NULL);
	for (int i = 0; i < 2; i++) {
		handled = 0;
		CALL(syscall(SYS_timer_create, clocks[i], &event, &id));
		CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
		/* A machine that stands still looks like a program that computes, but not each time. */
		quiet = 0;
		for (int try = 0; try < 5; try++) {
			handled = 0;
			syscall(SYS_timer_settime, id, 0, &soon, NULL);
			usleep(60000);
			syscall(SYS_timer_gettime, id, &left);
			quiet += !handled && left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 30 * MS;
		}
		TRUTH(quiet > 0);
		syscall(SYS_timer_settime, id, 0, &never, NULL); /* it might expire after the next line */
		handled = 0;
		start = cpu_ms(clocks[i]);
		syscall(SYS_timer_settime, id, 0, &soon, NULL);
		while (!handled && cpu_ms(clocks[i]) < start + 2000)
			;
		TRUTH(cpu_ms(clocks[i]) - start >= 20);
		show("handled %d code %d", handled, code);
		syscall(SYS_timer_gettime, id, &left);
		show("%ld %ld", (long)left.it_value.tv_sec, left.it_value.tv_nsec);
		CALL(syscall(SYS_timer_settime, id, 0, &periodic, NULL));
		handled = 0;
		start = cpu_ms(clocks[i]);
		while (handled < 3 && cpu_ms(clocks[i]) < start + 2000)
			;
		TRUTH(handled >= 3);
		CALL(syscall(SYS_timer_delete, id));
	}
	return 0;
}
