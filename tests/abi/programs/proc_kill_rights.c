/* kill(2): the permission to send a signal, groups, and numbers that name nothing. */
#include "abi.h"

static pid_t target;

static void to(const char *name, uid_t uid, uid_t euid, int signal)
{
	pid_t pid = fork();

	if (!pid) {
		setresuid(uid, euid, euid);
		errno = 0;
		show("%s: %d %s", name, kill(target, signal), errno ? error_name(errno) : "");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static pid_t victim(uid_t real, uid_t effective, uid_t saved)
{
	int gate[2];
	char c;
	pid_t pid;

	pipe(gate);
	pid = fork();
	if (!pid) {
		setresuid(real, effective, saved);
		write(gate[1], "x", 1);
		for (;;)
			pause();
	}
	read(gate[0], &c, 1);
	close(gate[0]);
	close(gate[1]);
	return pid;
}

static void end(void)
{
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
}

int main(void)
{
	pid_t child;
	int status;

	target = victim(1001, 1002, 1003);
	to("root", 0, 0, 0);
	to("its real user", 1001, 1001, 0);
	to("its effective user", 1002, 1002, 0);
	to("its saved user", 1003, 1003, 0);
	to("real user of the sender", 1001, 5000, 0);
	to("effective user of the sender", 5000, 1003, 0);
	to("another", 5000, 5000, 0);
	to("another, SIGCONT", 5000, 5000, SIGCONT);
	to("bad signal", 0, 0, 65);
	to("negative signal", 0, 0, -1);
	end();

	target = 1;
	to("init", 1001, 1001, 0);
	CALL(kill(999999, 0));
	CALL(kill(-999999, 0));
	CALL(kill(INT32_MIN, 0));
	CALL(syscall(SYS_tkill, 0, 0));
	CALL(syscall(SYS_tkill, -1, 0));
	CALL(syscall(SYS_tkill, 999999, 0));
	CALL(syscall(SYS_tgkill, getpid(), 999999, 0));
	CALL(syscall(SYS_tgkill, 1, getpid(), 0));
	CALL(syscall(SYS_tgkill, 0, getpid(), 0));
	CALL(syscall(SYS_tgkill, getpid(), getpid(), 0));

	child = fork();
	if (!child) {
		setpgid(0, 0);
		if (!fork())
			for (;;)
				pause();
		kill(0, SIGTERM);
		_exit(1);
	}
	waitpid(child, &status, 0);
	show_status("kill(0, …) of a group", status);
	child = fork();
	if (!child)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	CALL(kill(child, 0));
	CALL(kill(child, SIGKILL));
	waitpid(child, &status, 0);
	show_status("a zombie", status);
	return 0;
}
