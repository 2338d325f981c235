/* waitid(2): WNOWAIT, WEXITED, WSTOPPED, WCONTINUED, and the fields of siginfo. */
#include "abi.h"

static void info(const char *name, idtype_t type, id_t id, int options)
{
	siginfo_t i;
	int result;

	memset(&i, 0xff, sizeof(i));
	result = waitid(type, id, &i, options);
	if (result)
		show("%s: %s", name, error_name(errno));
	else
		show("%s: signo %d code %d status %d pid %d uid %d", name, i.si_signo, i.si_code,
		     i.si_signo ? i.si_status : 0, i.si_pid > 0, i.si_signo ? (int)i.si_uid : 0);
}

static pid_t start(int how)
{
	pid_t pid = fork();

	if (!pid) {
		if (how == 1)
			raise(SIGSTOP);
		if (how == 2)
			for (;;)
				pause();
		_exit(42);
	}
	return pid;
}

int main(void)
{
	pid_t pid = start(0);

	info("no wait", P_PID, (id_t)pid, WEXITED | WNOWAIT);
	info("again", P_PID, (id_t)pid, WEXITED | WNOWAIT);
	info("by group", P_PGID, (id_t)getpgrp(), WEXITED | WNOWAIT);
	info("any", P_ALL, 0, WEXITED);
	info("gone", P_PID, (id_t)pid, WEXITED);
	pid = start(1);
	info("stopped", P_PID, (id_t)pid, WSTOPPED);
	info("stopped only once", P_PID, (id_t)pid, WSTOPPED | WNOHANG);
	kill(pid, SIGCONT);
	info("ended", P_PID, (id_t)pid, WEXITED | WNOWAIT);
	info("continued is over", P_PID, (id_t)pid, WCONTINUED | WNOHANG);
	info("reaped", P_PID, (id_t)pid, WEXITED);
	pid = start(2);
	info("nothing yet", P_PID, (id_t)pid, WEXITED | WNOHANG);
	kill(pid, SIGSTOP);
	info("stop", P_PID, (id_t)pid, WSTOPPED | WEXITED);
	kill(pid, SIGCONT);
	info("cont", P_PID, (id_t)pid, WCONTINUED);
	info("cont once", P_PID, (id_t)pid, WCONTINUED | WNOHANG);
	kill(pid, SIGKILL);
	info("killed", P_PID, (id_t)pid, WEXITED);
	pid = start(0);
	info("no options", P_PID, (id_t)pid, 0);
	info("bad options", P_PID, (id_t)pid, WEXITED | 0x100);
	info("bad type", 77, (id_t)pid, WEXITED);
	info("bad pid", P_PID, (id_t)-1, WEXITED);
	CALL(syscall(SYS_waitid, P_PID, pid, NULL, WEXITED, NULL));
	CALL(syscall(SYS_wait4, pid, NULL, 0x100, NULL));
	CALL(syscall(SYS_wait4, INT32_MIN, NULL, 0, NULL));
	CALL(syscall(SYS_wait4, -1, NULL, 0, NULL));
	return 0;
}
