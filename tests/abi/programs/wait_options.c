/* wait4(2) and waitid(2): options, groups, stops, and what the siginfo says. */
#include "abi.h"
#include <sched.h>

static void *stack(void)
{
	return (char *)malloc(65536) + 65536;
}

static int ends(void *code)
{
	_exit((int)(long)code);
}

static pid_t child(int code)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;) {
			if (code >= 0)
				_exit(code);
			pause();
		}
	}
	return pid;
}

static void show_info(const char *what, long ret, const siginfo_t *info, pid_t pid)
{
	show("%s = %ld: signo %d code %d status %d, its pid: %d uid %d", what, ret, info->si_signo,
	     info->si_code, info->si_status, info->si_pid == pid, (int)info->si_uid);
}
#define WAITID(type, id, options)                                   \
	do {                                                        \
		siginfo_t info;                                     \
		long ret;                                           \
		memset(&info, 0x55, sizeof(info));                  \
		ret = waitid(type, id, &info, options);             \
		if (ret < 0)                                        \
			show("waitid " #options ": %s", error_name(errno)); \
		else                                                \
			show_info("waitid " #options, ret, &info, pid);     \
	} while (0)

int main(void)
{
	int status;
	pid_t pid;

	CALL(waitpid(-1, &status, 0));
	CALL(waitpid(0, &status, 0));
	CALL(waitpid(-getpgrp(), &status, 0));
	CALL(wait4(-2147483647 - 1, &status, 0, NULL));
	CALL(waitid(P_ALL, 0, NULL, 0));
	CALL(waitid(P_ALL, 0, NULL, WEXITED));
	CALL(waitid(P_PID, 0, NULL, WEXITED));
	CALL(waitid(17, 0, NULL, WEXITED));
	CALL(waitid(P_ALL, 0, NULL, WEXITED | 0x100));

	pid = child(-1);
	CALL(waitpid(pid, &status, WNOHANG));
	WAITID(P_PID, pid, WEXITED | WNOHANG);
	kill(pid, SIGSTOP);
	TRUTH(waitpid(pid, &status, WUNTRACED) == pid);
	show_status("stopped", status);
	CALL(waitpid(pid, &status, WUNTRACED | WNOHANG));
	kill(pid, SIGCONT);
	TRUTH(waitpid(pid, &status, WCONTINUED) == pid);
	show_status("continued", status);
	kill(pid, SIGSTOP);
	WAITID(P_PID, pid, WSTOPPED | WNOWAIT);
	WAITID(P_PID, pid, WSTOPPED);
	kill(pid, SIGCONT);
	WAITID(P_ALL, 0, WCONTINUED);
	kill(pid, SIGTERM);
	WAITID(P_PID, pid, WEXITED | WNOWAIT);
	WAITID(P_PID, pid, WEXITED);
	WAITID(P_PID, pid, WEXITED);

	pid = child(0x1234);
	WAITID(P_PGID, getpgrp(), WEXITED);
	pid = child(-1);
	setpgid(pid, 0);
	CALL(waitpid(0, &status, WNOHANG));
	CALL(waitpid(-pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	TRUTH(waitpid(-pid, &status, 0) == pid);
	show_status("killed", status);

	/* A child that sends no SIGCHLD is only found by __WCLONE or __WALL. */
	pid = clone(ends, stack(), 0, (void *)5);
	CALL(waitpid(pid, &status, 0));
	TRUTH(waitpid(pid, &status, __WCLONE) == pid);
	show_status("clone", status);
	pid = clone(ends, stack(), SIGUSR2 & 0, (void *)6);
	TRUTH(waitpid(-1, &status, __WALL) == pid);
	pid = child(3);
	CALL(waitpid(pid, &status, __WCLONE));
	CALL(waitpid(pid, (int *)8, 0));
	CALL(waitpid(pid, &status, 0));
	return 0;
}
