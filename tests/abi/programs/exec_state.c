/* What survives exec, and what does not. */
#include "abi.h"
#include <sys/auxv.h>
#include <sys/prctl.h>

static void handler(int sig)
{
}

static void after(void)
{
	struct sigaction action;
	sigset_t set;
	stack_t stack;
	char name[17] = "";
	struct itimerval timer;

	prctl(PR_GET_NAME, name);
	show("comm %s", name);
	sigaction(SIGUSR1, NULL, &action);
	TRUTH(action.sa_handler == SIG_DFL);
	TRUTH(action.sa_flags == 0);
	sigaction(SIGUSR2, NULL, &action);
	TRUTH(action.sa_handler == SIG_IGN);
	sigprocmask(SIG_SETMASK, NULL, &set);
	TRUTH(sigismember(&set, SIGTERM));
	sigpending(&set);
	TRUTH(sigismember(&set, SIGTERM));
	sigaltstack(NULL, &stack);
	TRUTH(stack.ss_flags == SS_DISABLE);
	CALL(fcntl(10, F_GETFD));
	CALL(fcntl(11, F_GETFD));
	getitimer(ITIMER_REAL, &timer);
	TRUTH(timer.it_value.tv_sec > 50);
	CALL(waitpid(-1, NULL, 0) > 0);
	TRUTH(getpid() == atoi(getenv("PID")));
	TRUTH(getppid() == atoi(getenv("PPID")));
	TRUTH(getpgrp() == getpid());
	CALL(umask(0));
	CALL(prctl(PR_GET_PDEATHSIG, &(int){ 0 }));
	CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_GET_KEEPCAPS));
	CALL(getpriority(PRIO_PROCESS, 0));
}

static void first(void)
{
	char pid[32], ppid[32], path[200] = "";
	char *args[] = { "again", "after", NULL }, *env[] = { pid, ppid, NULL };
	struct itimerval timer = { { 0, 0 }, { 100, 0 } };
	static char altstack[16384];
	stack_t stack = { altstack, 0, sizeof(altstack) };
	sigset_t set;

	readlink("/proc/self/exe", path, sizeof(path) - 1);
	symlink(path, "a_rather_long_name_of_it");
	setpgid(0, 0);
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	sigaltstack(&stack, NULL);
	dup2(1, 10);
	dup2(1, 11);
	fcntl(11, F_SETFD, FD_CLOEXEC);
	setitimer(ITIMER_REAL, &timer, NULL);
	umask(027);
	nice(3);
	prctl(PR_SET_NAME, "other name");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_KEEPCAPS, 1);
	snprintf(pid, sizeof(pid), "PID=%d", getpid());
	snprintf(ppid, sizeof(ppid), "PPID=%d", getppid());
	if (!fork())
		_exit(0);
	execve("./a_rather_long_name_of_it", args, env);
	show("%s", error_name(errno));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		after();
	else
		CHILD(first);
	return 0;
}
