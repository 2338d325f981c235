/* waitid(2) for the children in a process group: also in that of PID 1, and in the own one. */
#include "abi.h"

static void wait_for(const char *name, id_t group)
{
	siginfo_t info = { 0 };
	int ret;

	errno = 0;
	ret = waitid(P_PGID, group, &info, WEXITED | WNOHANG | WNOWAIT);
	show("%s: %d %s, a child: %s", name, ret, ret ? error_name(errno) : "", info.si_pid > 0 ? "yes" : "no");
}

int main(void)
{
	pid_t pid;
	siginfo_t info;

	setpgid(0, 0);
	pid = fork();
	if (!pid)
		_exit(3);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT); /* it has ended */
	wait_for("group 1", 1);
	wait_for("group 0", 0);
	wait_for("the own group", getpid());
	wait_for("a group that does not exist", 30000);
	wait_for("group -1", -1);
	CALL(waitpid(-30000, NULL, WNOHANG));
	TRUTH(waitpid(0, NULL, 0) == pid);
	CALL(waitpid(-1, NULL, 0));
	return 0;
}
