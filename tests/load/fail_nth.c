/*
 * Runs a program again and again: the first time the first allocation that it makes in the kernel fails, then the second, and so on
 * until it ends before the N-th one. Its own failures do not matter: the kernel must survive them, and keep nothing.
 *
 *	fail_nth FIRST LAST PROGRAM [ARG ...]
 *
 * Prints how many failures there were, and each slab cache that has more objects after them than after the same number of runs
 * without a failure. The first allocations of each program are those of execve(2): FIRST leaves them out.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CACHES      128
#define LIMIT_MS    8000
#define SPARE_MS    1000 /* besides four times as long as a run without a failure */

static struct {
	char name[32];
	long objects;
} before[CACHES], after[CACHES];

static void count_objects(void *into)
{
	typeof(before[0]) *cache = into;
	FILE *f = fopen("/proc/slabinfo", "r");
	char line[256];

	memset(into, 0, sizeof(before));
	while (f && fgets(line, sizeof(line), f) && cache < (typeof(before[0]) *)into + CACHES)
		if (sscanf(line, "%31s %ld", cache->name, &cache->objects) == 2)
			cache++;
	if (f)
		fclose(f);
}

/* Of a run, at most: a program may wait for ever for what has failed. */
static long limit_ms = LIMIT_MS;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void set_alarm(long ms)
{
	struct itimerval timer = { .it_value = { ms / 1000, ms % 1000 * 1000 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* What a program leaves to grace periods and workers goes within a second. */
static void settle(void)
{
	sync();
	usleep(300000);
}

static long read_number(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return atol(text);
}

static void run_child(long nth, char **argv)
{
	char text[16];
	int null = open("/dev/null", O_RDWR), fd;

	setsid();
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	close(null);
	if (nth) {
		fd = open("/proc/self/fail-nth", O_WRONLY | O_CLOEXEC);
		write(fd, text, snprintf(text, sizeof(text), "%ld", nth));
	}
	execv(argv[0], argv);
	_exit(127);
}

static void nothing(int sig)
{
	(void)sig;
}

/* Runs the program. Returns whether its nth allocation has failed. */
static int run(long nth, char **argv)
{
	char path[64];
	siginfo_t info;
	pid_t child = fork();
	long left;

	if (!child)
		run_child(nth, argv);
	if (child < 0)
		return 1;
	set_alarm(limit_ms);
	while (waitid(P_PID, child, &info, WEXITED | WNOWAIT)) {
		printf("# killed after %ld ms in run %ld\n", limit_ms, nth);
		kill(-child, SIGKILL);
	}
	set_alarm(0);
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", child);
	left = read_number(path); /* a zombie still has it */
	kill(-child, SIGKILL);	  /* what it has left behind */
	waitpid(child, NULL, 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return !left;
}

int main(int argc, char **argv)
{
	long first = argc > 3 ? atol(argv[1]) : 0, last = argc > 3 ? atol(argv[2]) : 0, nth;
	struct sigaction action = { .sa_handler = nothing };
	long grown = 0, begin = now_ms();

	if (first < 1 || last < first) {
		fprintf(stderr, "usage: fail_nth FIRST LAST PROGRAM [ARG ...]\n");
		return 2;
	}
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 3; i++)
		run(0, argv + 3);
	limit_ms = (now_ms() - begin) * 4 / 3 + SPARE_MS;
	if (limit_ms > LIMIT_MS)
		limit_ms = LIMIT_MS;
	settle();
	count_objects(before);
	for (nth = first; nth <= last && run(nth, argv + 3); nth++)
		;
	settle();
	count_objects(after);
	printf("%s: %ld failures\n", argv[3], nth - first);
	for (int i = 0; i < CACHES && after[i].name[0]; i++) {
		grown = after[i].objects - before[i].objects;
		if (grown > 0)
			printf("  %s +%ld\n", after[i].name, grown);
	}
	return 0;
}
