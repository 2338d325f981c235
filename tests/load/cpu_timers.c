/*
 * cpu_timers TIMERS THREADS: how long interrupts are off in a program with timers of CPU time. The tracer irqsoff is on. Prints
 * the longest section in microseconds, while no timer is due; and while all of them become due at once.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_LATENCY     "/sys/kernel/tracing/tracing_max_latency"
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

static void measure(const char *what)
{
	char text[32] = "";
	int fd = open(MAX_LATENCY, O_RDWR);

	write(fd, "0", 1);
	compute(40);
	pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	printf("%s %d\n", what, atoi(text));
}

static void set_all(timer_t *timers, int n, struct timespec after)
{
	const struct itimerspec time = { .it_value = after };

	for (int i = 0; i < n; i++)
		timer_settime(timers[i], 0, &time, NULL);
}

int main(int argc, char **argv)
{
	static const clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, PROCESS_VIRTUAL, THREAD_VIRTUAL };
	int n = argc > 2 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 1, fired = 0;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
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
	set_all(timers, n, (struct timespec){ 1000, 0 });
	measure("waiting");
	set_all(timers, n, (struct timespec){ 0, 20000000 });
	measure("due");
	while (sigtimedwait(&set, NULL, &(struct timespec){ 0, 0 }) > 0)
		fired++;
	printf("fired %d\n", fired);
	return 0;
}
