/* waitid(2) and wait4(2): WNOWAIT, WCONTINUED, __WCLONE, groups, and times of children. */
#include "abi.h"

static pid_t start(int code)
{
	pid_t pid = fork();

	if (!pid) {
		if (code >= 0)
			_exit(code);
		for (;;)
			pause();
	}
	return pid;
}

int main(void)
{
	siginfo_t info;
	struct rusage usage;
	int status;
	pid_t pid;

	CALL(waitpid(-1, &status, 0));
	pid = start(5);
	CALL(waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	show("code %d status %d", info.si_code, info.si_status);
	CALL(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG));
	show("code %d status %d", info.si_code, info.si_status);
	CALL(waitpid(pid, &status, 0x80000000 | WNOHANG)); /* __WCLONE */
	CALL(wait4(pid, &status, 0x40000000, &usage) == pid); /* __WALL */
	show_status("child", status);
	TRUTH(usage.ru_utime.tv_sec == 0 && usage.ru_maxrss > 0);
	CALL(waitpid(pid, &status, 0));
	pid = start(-1);
	memset(&info, 0x55, sizeof(info));
	CALL(waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG));
	show("signo %d pid %d", info.si_signo, info.si_pid);
	CALL(waitpid(-1, &status, WNOHANG));
	kill(pid, SIGSTOP);
	CALL(waitid(P_PID, pid, &info, WSTOPPED));
	show("code %d status %d", info.si_code, info.si_status);
	CALL(waitpid(pid, &status, WUNTRACED | WNOHANG));
	kill(pid, SIGCONT);
	CALL(waitpid(pid, &status, WCONTINUED) == pid);
	show_status("child", status);
	CALL(waitpid(-getpgrp(), &status, WNOHANG));
	CALL(waitpid(-12345678, &status, WNOHANG));
	CALL(waitpid(0, &status, WNOHANG));
	CALL(waitid(P_PGID, getpgrp(), &info, WEXITED | WNOHANG));
	CALL(waitid(P_PID, pid, &info, 0));
	CALL(waitid(P_PID, pid, &info, WNOHANG));
	CALL(waitid(9, pid, &info, WEXITED));
	CALL(waitid(P_PID, 0, &info, WEXITED));
	CALL(waitpid(pid, &status, 0x1000));
	CALL(waitpid(INT32_MIN, &status, 0));
	kill(pid, SIGTERM);
	CALL(syscall(SYS_wait4, pid, 8, 0, NULL));
	CALL(waitpid(pid, &status, 0));
	return 0;
}
