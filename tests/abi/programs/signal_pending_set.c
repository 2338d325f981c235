/* rt_sigpending(2) and rt_sigsuspend(2): the set of waiting signals, and waiting with another mask. */
#include "abi.h"

static int order[10], count;

static void handler(int sig)
{
	order[count++] = sig;
}

static void pending(const char *when)
{
	sigset_t set;
	char line[200] = "";

	sigemptyset(&set);
	sigpending(&set);
	for (int sig = 1; sig < 64; sig++)
		if (sigismember(&set, sig) > 0)
			sprintf(line + strlen(line), " %d", sig);
	show("%s:%s", when, line);
}

static void child(void)
{
	pending("a child has its own");
}

int main(void)
{
	sigset_t block, old, suspend;
	int signals[] = { SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, 40 };
	uint64_t raw;

	sigemptyset(&block);
	for (int i = 0; i < 5; i++) {
		signal(signals[i], handler);
		sigaddset(&block, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &block, &old);
	pending("none");
	raise(SIGUSR2);
	kill(getpid(), SIGUSR1);
	raise(SIGUSR1);
	kill(getpid(), 40);
	pending("three");
	CHILD(child);
	signal(SIGUSR2, SIG_IGN);
	pending("SIGUSR2 ignored");
	signal(SIGUSR2, handler);
	pending("and handled again");
	suspend = block;
	sigdelset(&suspend, 40);
	CALL(sigsuspend(&suspend));
	show("%d handled, first %d", count, order[0]);
	pending("40 taken");
	sigdelset(&suspend, SIGUSR1);
	raise(SIGTERM);
	sigdelset(&suspend, SIGTERM);
	CALL(sigsuspend(&suspend));
	show("%d handled: %d %d", count, order[1], order[2]);
	sigprocmask(SIG_SETMASK, NULL, &old);
	TRUTH(sigismember(&old, SIGUSR1) == 1 && sigismember(&old, 40) == 1);
	CALL(syscall(SYS_rt_sigpending, &raw, 9));
	CALL(syscall(SYS_rt_sigpending, &raw, 4));
	CALL(syscall(SYS_rt_sigpending, 8, 8));
	CALL(syscall(SYS_rt_sigsuspend, &raw, 4));
	CALL(syscall(SYS_rt_sigsuspend, 8, 8));
	return 0;
}
