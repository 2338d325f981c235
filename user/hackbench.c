/* hackbench: groups of processes that pass messages through pipes, after the program of rt-tests. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAIRS      20  /* a group has so many senders, and so many receivers */
#define MESSAGE    100 /* bytes */
#define GROUPS_MAX 1000

static long loops = 100;
static int ready[2], start[2]; /* each process writes to `ready`, and then waits for the end of `start` */

static bool receive(int fd, char *message)
{
	ssize_t n = 1;

	for (size_t done = 0; done < MESSAGE && n > 0; done += (size_t)n)
		n = read(fd, message + done, MESSAGE - done);
	return n > 0;
}

/* Process `number` < PAIRS receives from the pipe with its number. Each other one writes to all pipes of the group. */
static int run_process(int pipes[][2], unsigned number)
{
	bool sender = number >= PAIRS, ok = true;
	char message[MESSAGE] = { 0 };

	/* An unused end that stays open would hide that the other processes have closed theirs. */
	for (unsigned i = 0; i < PAIRS; i++) {
		if (i != number)
			close(pipes[i][0]);
		if (!sender)
			close(pipes[i][1]);
	}
	close(start[1]);
	prctl(PR_SET_NAME, sender ? "hackbench-send" : "hackbench-recv");
	ok = write(ready[1], "", 1) == 1 && read(start[0], message, 1) == 0;
	for (long loop = 0; loop < loops && ok; loop++)
		for (unsigned i = 0; i < PAIRS && ok; i++)
			ok = sender ? write(pipes[i][1], message, MESSAGE) == MESSAGE : receive(pipes[number][0], message);
	return !ok;
}

/* Makes the pipes and processes of a group, and closes its own descriptors of the pipes. Returns the number of processes. */
static unsigned start_group(void)
{
	int pipes[PAIRS][2];
	unsigned made = 0, processes = 0;

	while (made < PAIRS && pipe(pipes[made]) == 0)
		made++;
	for (pid_t pid = 1; made == PAIRS && processes < 2 * PAIRS; processes++) {
		pid = fork();
		if (pid == 0)
			_exit(run_process(pipes, processes));
		if (pid < 0)
			break;
	}
	for (int error = errno; made--; errno = error) {
		close(pipes[made][0]);
		close(pipes[made][1]);
	}
	return processes;
}

/* Waits for all children. Returns how many have failed. */
static unsigned wait_for_children(void)
{
	unsigned failures = 0;
	int status;

	while (wait(&status) > 0)
		failures += status != 0;
	return failures;
}

static int hackbench(long groups)
{
	struct timespec begin, end;
	unsigned wanted = 0, made = 0;
	long ms;
	char c;

	if (pipe(ready) || pipe(start)) {
		perror("hackbench: can't make the tasks");
		return 1;
	}
	for (long i = 0; i < groups && made == wanted; i++) {
		wanted += 2 * PAIRS;
		made += start_group();
	}
	if (made < wanted) {
		perror("hackbench: can't make the tasks");
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
		wait_for_children();
		return 1;
	}
	while (made--)
		if (read(ready[0], &c, 1) != 1)
			return 1;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	close(start[1]);
	if (wait_for_children())
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
	printf("Time: %ld.%03ld\n", ms / 1000, ms % 1000);
	return 0;
}

int main(int argc, char **argv)
{
	long groups = 10;
	int option;

	while ((option = getopt(argc, argv, "g:l:")) > 0 && option != '?')
		*(option == 'g' ? &groups : &loops) = atol(optarg);
	if (option > 0 || optind < argc || groups < 1 || groups > GROUPS_MAX) {
		fprintf(stderr, "Usage: hackbench [-g GROUPS] [-l LOOPS]\n");
		return 2;
	}
	printf("Running with %ld groups using %d file descriptors each (== %ld tasks)\n", groups, 2 * PAIRS,
	       groups * 2 * PAIRS);
	printf("Each sender will pass %ld messages of %d bytes\n", loops, MESSAGE);
	fflush(stdout);
	return hackbench(groups);
}
