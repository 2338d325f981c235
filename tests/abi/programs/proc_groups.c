/* setpgid(2), getpgid(2), getsid(2), setsid(2): who may change what, and when. */
#include "abi.h"

static void new_session(void)
{
	TRUTH(setsid() == getpid());
	CALL(setsid());
	CALL(setpgid(0, 0));
	TRUTH(getpgrp() == getpid() && getsid(0) == getpid());
}

static void leader_of_a_group(void)
{
	CALL(setpgid(0, 0));
	CALL(setsid());
}

int main(int argc, char **argv)
{
	int gate[2], ready[2], status;
	char c;
	pid_t pid;

	if (argc > 1) {
		write(atoi(argv[1]), "x", 1);
		for (;;)
			pause();
	}
	CHILD(new_session);
	CHILD(leader_of_a_group);
	CALL(setpgid(0, 999999));
	CALL(setpgid(0, 1));
	CALL(setpgid(1, 0));
	CALL(setpgid(0, -1));
	CALL(setpgid(999999, 0));
	CALL(getpgid(999999));
	CALL(getsid(999999));
	CALL(getpgid(-1));
	pipe(gate);
	pipe(ready);
	pid = fork();
	if (!pid) {
		char number[12];

		read(gate[0], &c, 1);
		snprintf(number, sizeof(number), "%d", ready[1]);
		execl("/proc/self/exe", "again", number, NULL);
	}
	CALL(setpgid(pid, pid));
	TRUTH(getpgid(pid) == pid);
	CALL(setpgid(pid, getpgrp()));
	TRUTH(getsid(pid) == getsid(0));
	write(gate[1], "g", 1);
	read(ready[0], &c, 1);
	errno = 0;
	show("after the child's exec: %d %s", setpgid(pid, pid), error_name(errno));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	errno = 0;
	show("a waited-for child: %d %s", setpgid(pid, pid), error_name(errno));
	return 0;
}
