/* The parent as all threads of a process see it, when it changes, and after one of them calls exec. */
#include "abi.h"
#include <pthread.h>
#include <sys/prctl.h>

static pid_t reaper;
static int go[2];

/* The field PPid of /proc/self/task/TID/status; -1: there is none. */
static int parent_in_proc(pid_t tid)
{
	char path[64], line[128];
	int ppid = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "PPid: %d", &ppid) == 1)
			break;
	if (file)
		fclose(file);
	return ppid;
}

/* Runs in a thread that was made while the process had another parent. */
static void *looks_and_calls_exec(void *arg)
{
	char *args[] = { "again", "after", NULL }, byte;

	while (getppid() != reaper)
		usleep(1000);
	read(go[0], &byte, 1); /* until main has printed its line */
	TRUTH(parent_in_proc(syscall(SYS_gettid)) == reaper);
	TRUTH(parent_in_proc(getpid()) == reaper);
	TRUTH(getpid() != syscall(SYS_gettid));
	execv("/proc/self/exe", args);
	return arg;
}

int main(int argc, char **argv)
{
	pid_t middle, found;
	int status, fds[2];

	if (argc > 1) {
		TRUTH(parent_in_proc(getpid()) == getppid());
		return 5;
	}
	reaper = getpid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pipe(fds);
	pipe(go);
	middle = fork();
	if (!middle) {
		char byte;

		if (!fork()) {
			pthread_t thread;

			pthread_create(&thread, NULL, looks_and_calls_exec, NULL);
			write(fds[1], "t", 1); /* the thread exists */
			for (;;)
				pause();
		}
		read(fds[0], &byte, 1);
		_exit(1);
	}
	waitpid(middle, &status, 0);
	show_status("middle", status);
	write(go[1], "x", 1);
	do
		found = waitpid(-1, &status, 0);
	while (found < 0 && errno == EINTR);
	TRUTH(found > 0 && found != middle);
	show_status("the process that called exec", status);
	CALL(waitpid(-1, &status, 0));
	return 0;
}
