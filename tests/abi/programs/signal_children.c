/* SIGCHLD: siginfo of each kind of end, SA_NOCLDSTOP, SA_NOCLDWAIT, ignored children. */
#include "abi.h"

static siginfo_t last;
static volatile int count;

static void handler(int sig, siginfo_t *info, void *context)
{
	last = *info;
	count++;
}

static pid_t start(int how)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (how == 1)
		_exit(7);
	if (how == 2)
		raise(SIGKILL);
	if (how == 3)
		raise(SIGABRT);
	for (;;)
		pause();
}

/* A wait begins again if the signal comes before it sleeps. */
static void flags(int f)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | f };

	sigaction(SIGCHLD, &action, NULL);
	count = 0;
}

static void await(int n)
{
	while (count < n)
		usleep(1000);
}

int main(void)
{
	struct rlimit core = { 0, 0 };
	int status;
	pid_t pid;

	setrlimit(RLIMIT_CORE, &core);
	flags(0);
	for (int how = 1; how <= 3; how++) {
		pid = start(how);
		await(how);
		show("code %d status %d pid %d uid %d", last.si_code, last.si_status, last.si_pid == pid, last.si_uid);
		waitpid(pid, &status, 0);
		show_status("child", status);
	}
	flags(0);
	pid = start(0);
	kill(pid, SIGSTOP);
	await(1);
	show("code %d status %d", last.si_code, last.si_status);
	kill(pid, SIGCONT);
	await(2);
	show("code %d status %d", last.si_code, last.si_status);
	flags(SA_NOCLDSTOP);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	show_status("child", status);
	show("signals %d", count);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	flags(SA_NOCLDWAIT);
	pid = start(1);
	CALL(waitpid(pid, &status, 0));
	show("signals %d", count);
	signal(SIGCHLD, SIG_IGN);
	pid = start(1);
	CALL(wait(&status));
	signal(SIGCHLD, SIG_DFL);
	pid = start(1);
	CALL(waitpid(pid, &status, 0) == pid);
	return 0;
}
