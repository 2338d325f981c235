/*
 * cpu_timers TIMERS THREADS: how long interrupts are off in a program with timers of CPU time. The tracer irqsoff is on. Prints
 * the longest section in microseconds, while no timer is due; while all of them become due at once; and while the program
 * takes the signals of periodic ones that have waited for some time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_LATENCY     "/sys/kernel/tracing/tracing_max_latency"
#define MAX_TAKEN       10000 /* the timers may fire faster than this */
#define PROCESS_VIRTUAL ((clockid_t)(~0U << 3 | 1))
#define THREAD_VIRTUAL  ((clockid_t)(~0U << 3 | 4 | 1))

static void *wait_for_end(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void compute(int ms)
{
	struct timespec now;
	long end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end);
}

static void take_all(sigset_t *set)
{
	int taken = 0;

	while (sigtimedwait(set, NULL, &(struct timespec){ 0, 0 }) > 0 && taken < MAX_TAKEN)
		taken++;
	printf("taken %d\n", taken);
}

/* set: of the signals to take, or NULL. */
static void measure(const char *what, sigset_t *set)
{
	char text[32] = "";
	int fd = open(MAX_LATENCY, O_RDWR);

	write(fd, "0", 1);
	if (set)
		take_all(set);
	else
		compute(40);
	pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	printf("%s %d\n", what, atoi(text));
}

static void set_all(timer_t *timers, int n, struct timespec after, struct timespec interval)
{
	const struct itimerspec time = { interval, after };

	for (int i = 0; i < n; i++)
		timer_settime(timers[i], 0, &time, NULL);
}

int main(int argc, char **argv)
{
	static const clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, PROCESS_VIRTUAL, THREAD_VIRTUAL };
	int n = argc > 2 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 1, fired = 0;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	const struct timespec never = { 0, 0 };
	timer_t *timers = calloc(n, sizeof(*timers));
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, wait_for_end, NULL))
			return 1;
	for (int i = 0; i < n; i++)
		if (timer_create(clocks[i % 4], &event, &timers[i]))
			return 1;
	usleep(20000); /* the threads sleep */
	set_all(timers, n, (struct timespec){ 1000, 0 }, never);
	measure("waiting", NULL);
	set_all(timers, n, (struct timespec){ 0, 20000000 }, never);
	measure("due", NULL);
	while (sigtimedwait(&set, NULL, &(struct timespec){ 0, 0 }) > 0)
		fired++;
	printf("fired %d\n", fired);
	set_all(timers, n, (struct timespec){ 0, 20000000 }, (struct timespec){ 0, 20000000 });
	compute(60);
	usleep(10000);
	measure("taking", &set);
	return 0;
}
