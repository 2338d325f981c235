/* Handlers in handlers: masks, SA_NODEFER, SA_RESETHAND, and the order of waiting signals. */
#include "abi.h"

static char trace[200];
static int depth;

static void note(const char *what, int sig)
{
	sprintf(trace + strlen(trace), " %s%d", what, sig);
}

static void nested(int sig)
{
	note("<", sig);
	if (sig == SIGUSR1 && depth++ < 2) {
		raise(SIGUSR1);
		raise(SIGUSR2);
		note("!", 0);
	}
	note(">", sig);
}

static void once(int sig)
{
	note("=", sig);
}

static void done(const char *what)
{
	show("%s:%s", what, trace);
	trace[0] = 0;
	depth = 0;
}

static void set(int sig, void (*fn)(int), int flags, int also)
{
	struct sigaction action = { .sa_handler = fn, .sa_flags = flags };

	if (also)
		sigaddset(&action.sa_mask, also);
	sigaction(sig, &action, NULL);
}

int main(void)
{
	struct sigaction action;
	sigset_t all, none;
	int order[] = { 45, SIGTERM, 40, SIGHUP, SIGUSR2, 40, SIGSEGV, SIGUSR1 };

	set(SIGUSR2, nested, 0, 0);
	set(SIGUSR1, nested, 0, 0);
	raise(SIGUSR1);
	done("plain");
	set(SIGUSR1, nested, 0, SIGUSR2);
	raise(SIGUSR1);
	done("USR2 blocked");
	set(SIGUSR1, nested, SA_NODEFER, 0);
	raise(SIGUSR1);
	done("NODEFER");
	set(SIGUSR1, once, SA_RESETHAND, 0);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &action);
	show("default now %d, flags %x", action.sa_handler == SIG_DFL, action.sa_flags & SA_RESETHAND);
	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 8; i++) {
		set(order[i], once, 0, 0);
		raise(order[i]);
	}
	/* Each handler runs at once, in front of the one before it: the highest number first. */
	sigprocmask(SIG_SETMASK, &none, NULL);
	done("order");
	return 0;
}
