/* Orphans, subreapers, parents that ignore SIGCHLD, the signal at the death of a parent. */
#include "abi.h"
#include <sys/prctl.h>

static void orphan_goes_to_a_subreaper(void)
{
	int status, fds[2];
	pid_t pid, reaper = getpid(), grandchild, seen;

	pipe(fds);
	CALL(prctl(PR_SET_CHILD_SUBREAPER, 1));
	pid = fork();
	if (!pid) {
		pid_t middle = getpid();

		grandchild = fork();
		if (!grandchild) {
			while (getppid() == middle)
				usleep(1000);
			seen = getppid();
			write(fds[1], &seen, sizeof(seen));
			_exit(9);
		}
		_exit(1);
	}
	waitpid(pid, &status, 0);
	show_status("middle", status);
	read(fds[0], &seen, sizeof(seen));
	TRUTH(seen == reaper);
	TRUTH(waitpid(-1, &status, 0) > 0);
	show_status("grandchild", status);
	CALL(waitpid(-1, &status, 0));
}

static void ignored_children_leave_nothing(void)
{
	int status;

	signal(SIGCHLD, SIG_IGN);
	if (!fork())
		_exit(3);
	CALL(waitpid(-1, &status, 0));
}

static volatile sig_atomic_t signals;

static void count(int sig)
{
	signals++;
}

static void no_cldwait_still_signals(void)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = SA_NOCLDWAIT };
	int status;

	sigaction(SIGCHLD, &action, NULL);
	if (!fork())
		_exit(3);
	while (waitpid(-1, &status, 0) != -1)
		show("a child was found");
	if (errno == EINTR)
		errno = 0, waitpid(-1, &status, 0);
	show("%s", error_name(errno));
	while (!signals)
		usleep(1000);
	show("signals %d", (int)signals);
}

static void signal_at_the_death_of_the_parent(void)
{
	int fds[2], sig = -1;
	char c = 0;
	pid_t pid;

	pipe(fds);
	pid = fork();
	if (!pid) {
		int ready[2];

		pipe(ready);
		if (!fork()) {
			sigset_t set;

			sigemptyset(&set);
			sigaddset(&set, SIGUSR1);
			sigprocmask(SIG_BLOCK, &set, NULL);
			CALL(prctl(PR_SET_PDEATHSIG, SIGUSR1));
			CALL(prctl(PR_GET_PDEATHSIG, &sig));
			show("pdeathsig %d", sig);
			write(ready[1], &c, 1);
			sigwait(&set, &sig);
			write(fds[1], &sig, sizeof(sig));
			_exit(0);
		}
		read(ready[0], &c, 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	read(fds[0], &sig, sizeof(sig));
	show("got signal %d", sig);
	CALL(prctl(PR_SET_PDEATHSIG, 65));
}

int main(void)
{
	CHILD(orphan_goes_to_a_subreaper);
	CHILD(ignored_children_leave_nothing);
	CHILD(no_cldwait_still_signals);
	CHILD(signal_at_the_death_of_the_parent);
	return 0;
}
