/*
 * A tracer that dies while its tracee makes a single step must leave no trap behind, which would end the tracee:
 *
 *     orphaned_steps TURNS
 *
 * The tracee computes, gets signals, and makes system calls. The tracer steps it, and dies: while the tracee is stopped, before or
 * after wait(2) has reported that, while it runs, or while it sleeps in a call. (Linux leaves the flag TF, and the tracee ends.)
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WALL      0x40000000
#define STEP      9
#define SEIZE     0x4206
#define INTERRUPT 0x4207

enum end { WAITED, NOT_WAITED, RUNNING, IN_CALL, ENDS };

static volatile int *stop;
static volatile int caught;
static int fds[2];

static void note(int sig)
{
	caught = sig;
}

static void tracee(enum end end)
{
	char c;

	signal(SIGUSR1, note);
	if (end == IN_CALL && read(fds[0], &c, 1) != 1)
		_exit(1);
	while (!*stop)
		if (end != IN_CALL && end != WAITED)
			kill(getpid(), SIGUSR1);
	_exit(0);
}

static char state(pid_t pid)
{
	char path[32], line[256] = "", *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file) {
		fgets(line, sizeof(line), file);
		fclose(file);
	}
	at = strrchr(line, ')');
	return at ? at[2] : '-';
}

static void step(pid_t pid)
{
	if (syscall(SYS_ptrace, STEP, pid, 0, 0))
		_exit(2);
}

/* Steps until the tracee sleeps in its call. */
static void step_into_call(pid_t pid)
{
	for (;;) {
		char c;

		step(pid);
		while ((c = state(pid)) != 'S' && c != 't')
			usleep(100);
		if (c == 'S')
			return;
		waitpid(pid, NULL, WALL);
	}
}

static void tracer(pid_t pid, enum end end, int steps)
{
	siginfo_t info;

	if (syscall(SYS_ptrace, SEIZE, pid, 0, 0) || syscall(SYS_ptrace, INTERRUPT, pid, 0, 0) || waitpid(pid, NULL, WALL) != pid)
		_exit(1);
	while (end != IN_CALL && steps--) {
		step(pid);
		waitpid(pid, NULL, WALL);
	}
	if (end == IN_CALL)
		step_into_call(pid);
	else if (end != WAITED)
		step(pid);
	if (end == NOT_WAITED)
		waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT | WALL);
	kill(getpid(), SIGKILL);
}

/* Whether the tracee has ended by itself. */
static int survives(enum end end, int steps)
{
	pid_t pid, other;
	int status;

	*stop = 0;
	pid = fork();
	if (!pid)
		tracee(end);
	while (end == IN_CALL && state(pid) != 'S')
		usleep(100);
	other = fork();
	if (!other)
		tracer(pid, end, steps);
	waitpid(other, &status, 0);
	if (!WIFSIGNALED(status))
		printf("the tracer failed: %x\n", status);
	usleep(1000);
	*stop = 1;
	if (end == IN_CALL)
		write(fds[1], "x", 1);
	waitpid(pid, &status, 0);
	if (status)
		printf("end %d after %d steps: status %x\n", end, steps, status);
	return !status;
}

int main(int argc, char **argv)
{
	int left = 0, turns = argc > 1 ? atoi(argv[1]) : 1;

	stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pipe(fds);
	for (int i = 0; i < turns * ENDS; i++)
		left += survives((enum end)(i % ENDS), i / ENDS % 7);
	printf("%d of %d tracees went on\n", left, turns * ENDS);
	return 0;
}
