/* Stopped and continued children: waitpid(2) with WUNTRACED and WCONTINUED, waitid(2), SIGCHLD and its flags. */
#include "abi.h"

static volatile int chlds, last_code, last_status;

static void on_chld(int sig, siginfo_t *info, void *context)
{
	chlds++;
	last_code = info->si_code;
	last_status = info->si_status;
}

/* The signal may come after the status. */
static void await_chld(int count)
{
	while (chlds < count)
		usleep(1000);
	show("SIGCHLD %d code %d status %d", chlds, last_code, last_status);
}

static void next(pid_t pid, int flags)
{
	int status = 0;
	long got = waitpid(pid, &status, flags);

	if (got == pid)
		show_status("child", status);
	else
		show("%ld %s", got, got < 0 ? error_name(errno) : "");
}

/* A child in a group of its own. The group is not orphaned, because its parent is in the same session. */
static pid_t sleeper(void)
{
	pid_t pid = fork();

	setpgid(pid, pid);
	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void id(idtype_t type, pid_t pid, int flags)
{
	siginfo_t info = { 0 };
	int ret = waitid(type, (id_t)pid, &info, flags);

	show("waitid %d %s: mine %d signal %d code %d status %d", ret, ret ? error_name(errno) : "", info.si_pid == pid,
	     info.si_signo, info.si_code, info.si_status);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_chld, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct rusage usage;
	int status;
	pid_t pid;

	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, NULL);
	pid = sleeper();
	next(pid, WNOHANG | WUNTRACED | WCONTINUED);
	kill(pid, SIGSTOP);
	next(pid, WUNTRACED);
	await_chld(1);
	next(pid, WNOHANG | WUNTRACED);
	kill(pid, SIGCONT);
	next(pid, WCONTINUED);
	await_chld(2);
	next(pid, WNOHANG | WCONTINUED);
	kill(pid, SIGTSTP);
	next(pid, WUNTRACED);
	kill(pid, SIGTERM);
	next(pid, WNOHANG);
	kill(pid, SIGCONT);
	next(pid, 0);
	next(pid, 0);

	pid = sleeper();
	kill(pid, SIGSTOP);
	id(P_PID, pid, WSTOPPED | WNOWAIT);
	id(P_PID, pid, WSTOPPED);
	id(P_PID, pid, WSTOPPED | WNOHANG);
	kill(pid, SIGCONT);
	id(P_ALL, pid, WCONTINUED);
	kill(pid, SIGKILL);
	id(P_PID, pid, WEXITED | WNOWAIT);
	id(P_PID, pid, WEXITED);
	id(P_PID, pid, WEXITED | WNOHANG);
	next(pid, 0);
	id(P_PID, pid, 0);
	id(99, pid, WEXITED);

	/* A stopped child that is killed. */
	pid = sleeper();
	kill(pid, SIGSTOP);
	next(pid, WUNTRACED);
	kill(pid, SIGKILL);
	next(pid, 0);

	action.sa_flags |= SA_NOCLDSTOP;
	sigaction(SIGCHLD, &action, NULL);
	chlds = 0;
	pid = sleeper();
	kill(pid, SIGSTOP);
	next(pid, WUNTRACED);
	show("SIGCHLD %d", chlds);
	kill(pid, SIGKILL);
	TRUTH(wait4(pid, &status, 0, &usage) == pid);
	await_chld(1);

	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDWAIT;
	sigaction(SIGCHLD, &action, NULL);
	if (!fork())
		_exit(5);
	next(-1, 0);
	signal(SIGCHLD, SIG_IGN);
	if (!fork())
		_exit(5);
	next(-1, 0);
	return 0;
}
