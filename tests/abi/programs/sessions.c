/* setsid(2), setpgid(2) and what forbids them; orphaned process groups. */
#include "abi.h"

static void session(void)
{
	TRUTH(setsid() == getpid());
	TRUTH(getsid(0) == getpid());
	TRUTH(getpgrp() == getpid());
	CALL(setsid());
	CALL(setpgid(0, 0));
	CALL(setpgid(0, getppid()));
}

static void group_leader(void)
{
	CALL(setpgid(0, 0));
	CALL(setsid());
	TRUTH(getpgid(0) == getpid());
	CALL(setpgid(0, 999999));
	CALL(setpgid(0, 1));
	CALL(setpgid(0, -1));
	CALL(setpgid(1, 0));
	CALL(setpgid(-1, 0));
	CALL(setpgid(getppid(), 0));
}

static void children(void)
{
	int fds[2], out[2], status;
	pid_t pid, second;
	char c;

	pipe(fds);
	pipe(out);
	pid = fork();
	if (!pid) {
		read(fds[0], &c, 1);
		execl("/bin/busybox", "cat", NULL);
		_exit(1);
	}
	second = fork();
	if (!second) {
		pause();
		_exit(0);
	}
	CALL(setpgid(pid, 0));
	TRUTH(getpgid(pid) == pid);
	CALL(setpgid(second, pid));
	CALL(setpgid(pid, getpgrp()));
	CALL(setpgid(second, getpgrp()));
	kill(second, SIGKILL);
	waitpid(second, &status, 0);
	/* The number of a group is not free while the group has a member. */
	TRUTH(getpgid(second) == -1 && errno == ESRCH);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	CALL(getsid(999999));
	CALL(getpgid(999999));
	CALL(getsid(-1));
}

static volatile sig_atomic_t hups, conts;

static void count(int sig)
{
	if (sig == SIGHUP)
		hups++;
	else
		conts++;
}

/* A stopped process whose group becomes an orphan gets SIGHUP and SIGCONT. */
static void orphaned_group(void)
{
	int fds[2];
	char c;
	pid_t pid;

	pipe(fds);
	pid = fork();
	if (!pid) {
		pid_t member;

		setpgid(0, 0);
		signal(SIGHUP, count);
		signal(SIGCONT, count);
		member = fork();
		if (!member) {
			raise(SIGSTOP);
			while (!hups)
				usleep(1000);
			c = '0' + hups + 2 * conts;
			write(fds[1], &c, 1);
			_exit(0);
		}
		waitpid(member, NULL, WUNTRACED);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	TRUTH(read(fds[0], &c, 1) == 1);
	show("SIGHUP + 2 * SIGCONT: %c", c);
}

/* In an orphaned group the stop signals of the terminal do nothing; SIGSTOP does. */
static void no_stop_for_orphans(void)
{
	setsid();
	raise(SIGTSTP);
	show("SIGTSTP did not stop");
	raise(SIGTTIN);
	show("SIGTTIN did not stop");
}

int main(void)
{
	CHILD(session);
	CHILD(group_leader);
	CHILD(children);
	CHILD(orphaned_group);
	CHILD(no_stop_for_orphans);
	return 0;
}
