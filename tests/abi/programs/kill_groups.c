/* kill: groups, everybody, permissions, signal 0, zombies, numbers that do not exist. */
#include "abi.h"

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

static pid_t child_in(pid_t group)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			pause();
	}
	setpgid(pid, group);
	return pid;
}

static void end(const char *name, pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	show_status(name, status);
}

static void nobody(void)
{
	pid_t parent = getppid();

	setresuid(65534, 65534, 65534);
	CALL(kill(parent, 0));
	CALL(kill(parent, SIGTERM));
	CALL(kill(1, 0));
	CALL(kill(getpid(), 0));
	CALL(kill(-parent, 0));
	CALL(kill(999999, 0));
	/* SIGCONT is allowed within a session. */
	CALL(kill(parent, SIGCONT));
	CALL(syscall(SYS_tgkill, parent, parent, SIGTERM));
}

int main(void)
{
	pid_t a, b, zombie;

	setsid();
	signal(SIGUSR1, handler);
	a = child_in(0);
	b = child_in(a);
	CALL(kill(-a, 0));
	CALL(kill(-a, SIGTERM));
	end("a", a);
	end("b", b);
	CALL(kill(-a, 0));
	CALL(kill(a, 0));
	CALL(kill(getpid(), 65));
	CALL(kill(getpid(), -1));
	CALL(kill(999999, SIGTERM));
	CALL(kill(-999999, SIGTERM));
	zombie = fork();
	if (!zombie)
		_exit(3);
	waitid(P_PID, (id_t)zombie, NULL, WEXITED | WNOWAIT);
	CALL(kill(zombie, 0));
	CALL(kill(zombie, SIGKILL));
	end("zombie", zombie);
	CALL(kill(zombie, 0));
	CALL(kill(0, SIGUSR1));
	CALL(kill(getpid(), SIGUSR1));
	show("handled %d", handled);
	CALL(syscall(SYS_tkill, getpid(), SIGUSR1));
	CALL(syscall(SYS_tkill, 0, SIGUSR1));
	CALL(syscall(SYS_tkill, 999999, SIGUSR1));
	CALL(syscall(SYS_tgkill, getpid(), 1, SIGUSR1));
	CALL(syscall(SYS_tgkill, -1, getpid(), SIGUSR1));
	show("handled %d", handled);
	CHILD(nobody);
	return 0;
}
