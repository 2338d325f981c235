/* kill(2), tkill(2) and tgkill(2): numbers of signals and processes that do not exist, and signal 0. */
#include "abi.h"

static void as_nobody(void)
{
	setuid(65534);
	CALL(kill(getppid(), 0));
	CALL(kill(getppid(), SIGCONT));
	setsid();
	CALL(kill(getppid(), SIGCONT));
	CALL(kill(getpid(), 0));
}

int main(void)
{
	int status;
	pid_t pid;

	CALL(kill(getpid(), 0));
	CALL(kill(getpid(), 65));
	CALL(kill(getpid(), -1));
	CALL(kill(0x3fffffff, 0));
	CALL(kill(-0x3fffffff, SIGTERM));
	CALL(kill(INT32_MIN, 0));
	CALL(kill(0x3fffffff, 65));
	CALL(syscall(SYS_tkill, getpid(), 0));
	CALL(syscall(SYS_tkill, getpid(), 65));
	CALL(syscall(SYS_tkill, 0, SIGTERM));
	CALL(syscall(SYS_tkill, -1, SIGTERM));
	CALL(syscall(SYS_tgkill, getpid(), getpid(), 0));
	CALL(syscall(SYS_tgkill, 1, getpid(), 0));
	CALL(syscall(SYS_tgkill, 0, getpid(), 0));
	CALL(syscall(SYS_tgkill, getpid(), 0x3fffffff, 0));
	CHILD(as_nobody);
	pid = fork();
	if (!pid)
		_exit(0);
	waitid(P_PID, pid, NULL, WEXITED | WNOWAIT);
	CALL(kill(pid, SIGKILL)); /* a zombie takes signals */
	waitpid(pid, &status, 0);
	CALL(kill(pid, 0));
	return 0;
}
