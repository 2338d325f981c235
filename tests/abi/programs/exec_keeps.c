/* What exec(2) keeps and what it resets: signals, masks, timers, alternate stack, limits, ids, directory. */
#include "abi.h"

static void handler(int sig)
{
}

static int after(void)
{
	struct sigaction action;
	struct itimerval timer;
	sigset_t mask, pending;
	stack_t stack;
	char name[20] = { 0 };

	sigaction(SIGUSR1, NULL, &action);
	show("handled signal: default %d", action.sa_handler == SIG_DFL);
	sigaction(SIGUSR2, NULL, &action);
	show("ignored signal: ignored %d", action.sa_handler == SIG_IGN);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	show("mask %d pending %d", sigismember(&mask, SIGTERM), sigismember(&pending, SIGTERM));
	sigaltstack(NULL, &stack);
	show("alternate stack %d", stack.ss_flags == SS_DISABLE);
	getitimer(ITIMER_REAL, &timer);
	show("timer runs %d", timer.it_value.tv_sec > 0);
	show("umask %o", umask(0));
	show("nice %d", getpriority(PRIO_PROCESS, 0));
	syscall(SYS_prctl, 16, name, 0, 0, 0);
	show("name %s", name);
	show("descriptors %d %d", fcntl(10, F_GETFD), fcntl(11, F_GETFD));
	show("no new privileges %ld", syscall(SYS_prctl, 39, 0, 0, 0, 0));
	return 0;
}

int main(int argc, char **argv)
{
	struct itimerval timer = { { 0, 0 }, { 100, 0 } };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	sigset_t block;

	if (argc > 1)
		return after();
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_SETMASK, &block, NULL);
	raise(SIGTERM);
	sigaltstack(&stack, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	umask(027);
	setpriority(PRIO_PROCESS, 0, 5);
	dup2(1, 10);
	fcntl(1, F_DUPFD_CLOEXEC, 11);
	syscall(SYS_prctl, 15, "changed", 0, 0, 0);
	syscall(SYS_prctl, 38, 1, 0, 0, 0);
	execl("/proc/self/exe", "program", "again", NULL);
	show("exec: %s", error_name(errno));
	return 1;
}
