/* fcntl(2) F_SETLKW: circles of processes, on one file and on several; how long a circle is found; open files make none. */
#include "abi.h"

#define MOST 16

static int fds[MOST];
static volatile char *waits; /* in memory that all share: the process is about to wait */

static int lock(int file, int cmd, int type)
{
	struct flock l = { .l_type = (short)type, .l_start = 0, .l_len = 1 };

	return fcntl(fds[file], cmd, &l);
}

/* Each of n processes has a file, and waits for that of the next; the last one closes the circle. */
static void circle(int n)
{
	pid_t pids[MOST];
	int ready[2], go[2], last, status;
	char c;

	pipe(ready);
	pipe(go);
	memset((char *)waits, 0, MOST);
	for (int i = 0; i < n - 1; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			lock(i, F_SETLK, F_WRLCK);
			write(ready[1], "", 1);
			read(go[0], &c, 1);
			waits[i] = 1;
			lock(i + 1, F_SETLKW, F_WRLCK);
			_exit(0);
		}
	}
	for (int i = 0; i < n - 1; i++)
		read(ready[0], &c, 1);
	last = fork();
	if (!last) {
		lock(n - 1, F_SETLK, F_WRLCK);
		for (int i = 0; i < n - 1; i++)
			write(go[1], "", 1);
		for (int i = 0; i < n - 1; i++) {
			while (!waits[i])
				usleep(1000);
			until_asleep(pids[i], pids[i]);
		}
		/* If the circle is too long to be found, it waits, until a signal ends it. */
		alarm(n > 11 ? 1 : 0);
		status = lock(0, F_SETLKW, F_WRLCK) ? errno : 0;
		_exit(status);
	}
	waitpid(last, &status, 0);
	if (WIFEXITED(status))
		show("a circle of %d: %s", n, WEXITSTATUS(status) ? error_name(WEXITSTATUS(status)) : "no error");
	else
		show("a circle of %d: signal %d", n, WTERMSIG(status));
	for (int i = 0; i < n - 1; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
}

/* A chain that does not close: the tasks go on one after the other. */
static void chain(void)
{
	int status, sum = 0;
	pid_t pids[5];

	lock(0, F_SETLK, F_WRLCK);
	for (int i = 0; i < 5; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(lock(0, F_SETLKW, F_WRLCK) || lock(0, F_SETLK, F_UNLCK));
		until_asleep(pids[i], pids[i]);
	}
	lock(0, F_SETLK, F_RDLCK); /* they still wait */
	for (int i = 0; i < 5; i++)
		until_asleep(pids[i], pids[i]);
	lock(0, F_SETLK, F_UNLCK);
	for (int i = 0; i < 5; i++) {
		waitpid(pids[i], &status, 0);
		sum += WIFEXITED(status) && !WEXITSTATUS(status);
	}
	show("went on: %d of 5", sum);
}

/* Readers wait for a writer; when it becomes a reader, all go on. */
static void readers(void)
{
	int status, sum = 0;
	pid_t pids[5];

	lock(0, F_SETLK, F_WRLCK);
	for (int i = 0; i < 5; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(lock(0, F_SETLKW, F_RDLCK));
		until_asleep(pids[i], pids[i]);
	}
	lock(0, F_SETLK, F_RDLCK);
	for (int i = 0; i < 5; i++) {
		waitpid(pids[i], &status, 0);
		sum += WIFEXITED(status) && !WEXITSTATUS(status);
	}
	show("readers went on: %d of 5", sum);
	lock(0, F_SETLK, F_UNLCK);
}

int main(void)
{
	waits = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < MOST; i++) {
		char name[8];

		snprintf(name, sizeof(name), "f%d", i);
		fds[i] = open(name, O_RDWR | O_CREAT, 0644);
	}
	circle(2);
	circle(3);
	circle(10);
	circle(11);
	circle(12);
	circle(13);
	circle(14);
	chain();
	readers();
	return 0;
}
