/*
 * Processes of several threads crash, with core files, while others kill them, stop them, and look at them. Each ends, by one of
 * two signals, and none leaves a thread behind.
 */
#include "abi.h"

#include <pthread.h>

#define ROUNDS    12
#define PROCESSES 4
#define THREADS   6
#define MEMORY    (2 << 20)

static void *spin_or_exit(void *kind)
{
	if ((long)kind % 3 == 0)
		return NULL;
	if ((long)kind % 3 == 1)
		pause();
	for (;;)
		syscall(SYS_getppid);
}

/* Two threads crash at once. */
static void *crash(void *unused)
{
	*(volatile int *)16 = 0;
	return unused;
}

static void be_victim(int n)
{
	pthread_t thread;
	char directory[20];

	snprintf(directory, sizeof(directory), "%d", n);
	mkdir(directory, 0755);
	if (chdir(directory))
		_exit(1);
	memset(mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), n, MEMORY);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, spin_or_exit, (void *)i);
	pthread_create(&thread, NULL, crash, NULL);
	crash(NULL);
}

static void look_at(pid_t pid)
{
	char path[50], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	read(fd, text, sizeof(text));
	close(fd);
}

int main(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	int ended = 0, expected = 0;

	setrlimit(RLIMIT_CORE, &limit);
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[PROCESSES];

		for (int i = 0; i < PROCESSES; i++)
			if (!(pids[i] = fork()))
				be_victim(i);
		for (int i = 0; i < PROCESSES; i++) {
			usleep((useconds_t)(round * 400 + i * 150));
			look_at(pids[i]);
			if (i % 2)
				kill(pids[i], i == 1 ? SIGKILL : SIGSTOP);
			if (i == 3)
				kill(pids[i], SIGCONT);
		}
		for (int i = 0; i < PROCESSES; i++) {
			int status, signal;

			ended += waitpid(pids[i], &status, 0) == pids[i];
			signal = WTERMSIG(status);
			expected += signal == SIGSEGV || (signal == SIGKILL && i == 1);
		}
	}
	show("ended: %d of %d, by a signal that was sent: %d", ended, ROUNDS * PROCESSES, expected);
	CALL(waitpid(-1, NULL, 0));
	for (int i = 0; i < PROCESSES; i++) {
		char path[30];

		snprintf(path, sizeof(path), "%d/core", i);
		unlink(path);
		*strchr(path, '/') = '\0';
		rmdir(path);
	}
	return 0;
}
