/* An orphan that clone(2) has made without a signal for its end: its new parent finds it by wait(2). */
#include "abi.h"
#include <sys/prctl.h>

static volatile int signals;

static void count(int sig)
{
	signals++;
}

static void orphan(int exit_signal)
{
	int status = 0, fds[2], go[2];
	pid_t middle, found;
	char byte;

	pipe(fds);
	pipe(go);
	signals = 0;
	middle = fork();
	if (!middle) {
		pid_t parent = getpid();

		if (!syscall(SYS_clone, exit_signal, 0, 0, 0, 0)) {
			while (getppid() == parent)
				usleep(1000);
			write(fds[1], "x", 1);
			read(go[0], &byte, 1);
			_exit(9);
		}
		_exit(1);
	}
	while (waitpid(middle, &status, 0) < 0)
		;
	show_status("middle", status);
	read(fds[0], &byte, 1);
	while (!signals)
		usleep(1000);
	signals = 0;
	write(go[1], "x", 1);
	do
		found = waitpid(-1, &status, 0);
	while (found < 0 && errno == EINTR);
	show("signal %d, the orphan: %s", exit_signal, found > 0 ? "found" : error_name(errno));
	if (found > 0)
		show_status("the orphan", status);
	TRUTH(signals == 1);
}

int main(void)
{
	struct sigaction action = { .sa_handler = count };

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigaction(SIGCHLD, &action, NULL);
	orphan(SIGCHLD);
	orphan(SIGUSR1);
	orphan(0);
	return 0;
}
