/*
 * Floods that a user without rights can cause, and how late a real-time task on CPU 0 wakes meanwhile.
 *
 *     floods quiet    no flood
 *     floods crash    six processes of nobody whose children fault, again and again
 *     floods tty      a process that writes lines to the terminal without an end
 *     floods perf     a process that sleeps and wakes, with all perf events that five processes may open for it
 *     floods clock    a process that works, with a clock that comes every 10 us and takes no sample
 *
 * The task sleeps for 200 times 1 ms. Prints how late it woke at most, in microseconds of the machine.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOPS   6
#define PERIODS 200
#define PERIOD  1000000L
#define NOBODY  65534

static void crash_loop(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			*(volatile int *)16 = 0;
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void tty_loop(void)
{
	static char lines[64 * 64];

	memset(lines, 'y', sizeof(lines));
	for (size_t i = 63; i < sizeof(lines); i += 64)
		lines[i] = '\n';
	for (;;)
		write(1, lines, sizeof(lines));
}

static void open_events_for(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000,
		.exclude_kernel = 1,
	};

	while (syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0) >= 0)
		continue;
}

static long work(void)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 2000; i++)
		syscall(SYS_getppid);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000000L + (end.tv_nsec - begin.tv_nsec) / 1000;
}

static void perf_loop(void)
{
	struct rlimit files;
	pid_t self = getpid();

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; i < 4; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		open_events_for(self);
		pause();
	}
	open_events_for(self);
	for (;;)
		usleep(100);
}

/* Says how long the same work takes without the clock, and with it. */
static void clock_loop(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 10000,
		.exclude_kernel = 1,
		.exclude_user = 1,
	};
	long without = work(), with;

	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
		_exit(1);
	with = work();
	printf("clock: %ld us of work take %ld us\n", without, with);
	fflush(stdout);
	for (;;)
		work();
}

static pid_t start(void (*loop)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (setuid(NOBODY))
		_exit(1);
	loop();
	return 0;
}

static long lateness(struct timespec *next)
{
	struct timespec now;

	next->tv_nsec += PERIOD;
	if (next->tv_nsec >= 1000000000L) {
		next->tv_nsec -= 1000000000L;
		next->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - next->tv_sec) * 1000000L + (now.tv_nsec - next->tv_nsec) / 1000;
}

static long measure(void)
{
	struct sched_param param = { .sched_priority = 80 };
	struct timespec next;
	cpu_set_t cpu0;
	long worst = 0;

	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	if (sched_setaffinity(0, sizeof(cpu0), &cpu0) ||
	    syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &param)) /* musl's own does nothing */
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < PERIODS; i++) {
		long late = lateness(&next);

		if (late > worst)
			worst = late;
	}
	return worst;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pid_t loads[LOOPS] = { 0 };
	int n = 0;
	long worst;

	if (!strcmp(mode, "crash"))
		while (n < LOOPS)
			loads[n++] = start(crash_loop);
	else if (!strcmp(mode, "tty"))
		loads[n++] = start(tty_loop);
	else if (!strcmp(mode, "perf"))
		loads[n++] = start(perf_loop), sleep(2); /* until all are open */
	else if (!strcmp(mode, "clock"))
		loads[n++] = start(clock_loop);
	else if (strcmp(mode, "quiet"))
		return 2;
	worst = measure();
	for (int i = 0; i < n; i++)
		kill(loads[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("\n%s: late by %ld us at most\n", mode, worst);
	return 0;
}
