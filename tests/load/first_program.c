/*
 * A first program, for rdinit=: a lack of memory while it waits in vfork() for a child, and exec by a thread that does not lead it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1UL << 20)

/* Takes all memory when it is told to. */
static void hog(int order)
{
	char c;

	read(order, &c, 1);
	for (;;)
		memset(mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, MIB);
}

/* The child in vfork() would be the first victim. Its memory is that of this process. */
static void lack_memory(void)
{
	int order[2], end[2], status;
	char c;
	pid_t pid;

	pipe(order);
	pipe(end);
	if (!fork()) {
		close(end[0]);
		hog(order[0]);
	}
	close(end[1]);
	pid = vfork();
	if (!pid) {
		int fd = open("/proc/self/oom_score_adj", O_WRONLY);

		if (write(fd, "1000", 4) != 4)
			_exit(1);
		write(order[1], "", 1);
		_exit(read(end[0], &c, 1) == 0 ? 7 : 2); /* end of file: the hog has ended */
	}
	waitpid(pid, &status, 0);
	printf("child in vfork: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	wait(&status);
	printf("hog: signal %d\n", WTERMSIG(status));
}

static void *calls_exec(void *self)
{
	execl(self, self, "again", NULL);
	return NULL;
}

/* A process whose parent ends goes to this one. */
static void adopt(void)
{
	pid_t child, parent = fork();
	int status, adopted = 0;

	if (!parent) {
		parent = getpid();
		if (!fork()) {
			while (getppid() == parent)
				usleep(1000);
			_exit(getppid() == 1 ? 7 : 2);
		}
		_exit(0);
	}
	while ((child = wait(&status)) > 0)
		if (child != parent)
			adopted = WEXITSTATUS(status);
	printf("after exec by a thread: adopted %d\n", adopted);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) {
		adopt();
		printf("first program: done\n");
		for (;;)
			pause();
	}
	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	lack_memory();
	pthread_create(&thread, NULL, calls_exec, argv[0]);
	for (;;)
		pause();
}
