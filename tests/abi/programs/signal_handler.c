/* sigaction(2), kill(2): a handler runs, with its mask and siginfo; SA_RESETHAND; SIG_IGN. */
#include "abi.h"

static volatile int calls;

static void handler(int sig, siginfo_t *info, void *context)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	show("signal %d code %d from me: %d; blocked: USR1 %d USR2 %d", sig, info->si_code, info->si_pid == getpid(),
	     sigismember(&now, SIGUSR1), sigismember(&now, SIGUSR2));
	calls++;
	TRUTH(context != NULL);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO }, old;
	sigset_t set;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	CALL(sigaction(SIGUSR1, &action, NULL));
	CALL(kill(getpid(), SIGUSR1));
	show("calls %d", calls);
	CALL(sigaction(SIGUSR1, NULL, &old));
	TRUTH(old.sa_sigaction == handler);
	CALL(sigaction(SIGKILL, &action, NULL));
	CALL(sigaction(65, &action, NULL));
	action.sa_flags = SA_SIGINFO | SA_RESETHAND;
	CALL(sigaction(SIGUSR1, &action, NULL));
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &old);
	TRUTH(old.sa_handler == SIG_DFL);
	signal(SIGUSR1, SIG_IGN);
	CALL(kill(getpid(), SIGUSR1));

	action.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CALL(sigprocmask(SIG_BLOCK, &set, NULL));
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	show("calls %d", calls);
	sigpending(&set);
	TRUTH(sigismember(&set, SIGUSR1));
	sigemptyset(&set);
	CALL(sigprocmask(SIG_SETMASK, &set, NULL));
	show("calls %d", calls);
	CALL(kill(getpid(), 0));
	CALL(kill(getpid(), 65));
	CALL(kill(0x3fffffff, 0));
	return 0;
}
