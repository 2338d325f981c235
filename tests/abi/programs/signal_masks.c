/* Signals: masks in handlers, sigaltstack(2), SA_NODEFER, SA_RESTART, EINTR, sigsuspend(2), the order of delivery. */
#include "abi.h"

static volatile int depth, deepest, calls;
static char order[64];

static void nested(int sig)
{
	if (++depth > deepest)
		deepest = depth;
	if (++calls < 4)
		raise(sig);
	depth--;
}

static void note(int sig)
{
	snprintf(order + strlen(order), sizeof(order) - strlen(order), " %d", sig);
}

static char alternate[65536];

static void on_stack(int sig)
{
	char here;
	stack_t ss;

	sigaltstack(NULL, &ss);
	show("on the alternate stack: %d, flags %d", &here >= alternate && &here < alternate + sizeof(alternate), ss.ss_flags);
	ss.ss_flags = 0;
	CALL(sigaltstack(&ss, NULL));
}

static void set(int sig, void (*fn)(int), int flags)
{
	struct sigaction action = { .sa_handler = fn, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

static void read_with(const char *name, int flags)
{
	int p[2];
	char c = 0;
	pid_t me = getpid(), child;
	long n;

	pipe(p);
	order[0] = 0;
	set(SIGUSR1, note, flags);
	child = fork();
	if (!child) {
		until_asleep(me, me);
		kill(me, SIGUSR1);
		until_asleep(me, me);
		write(p[1], "x", 1);
		_exit(0);
	}
	n = read(p[0], &c, 1);
	show("%s: %ld %s;%s", name, n, n < 0 ? error_name(errno) : "", order);
	waitpid(child, NULL, 0);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	sigset_t mask, empty, old;
	stack_t ss = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	pid_t me = getpid();

	set(SIGUSR1, nested, 0);
	raise(SIGUSR1);
	show("calls %d deepest %d", calls, deepest);
	calls = depth = deepest = 0;
	set(SIGUSR1, nested, SA_NODEFER);
	raise(SIGUSR1);
	show("calls %d deepest %d", calls, deepest);

	set(SIGUSR1, on_stack, SA_ONSTACK);
	CALL(sigaltstack(&ss, NULL));
	raise(SIGUSR1);
	CALL(sigaltstack(NULL, &ss));
	show("flags %d", ss.ss_flags);
	ss.ss_size = 100;
	CALL(sigaltstack(&ss, NULL));
	ss.ss_flags = 1234;
	ss.ss_size = sizeof(alternate);
	CALL(sigaltstack(&ss, NULL));
	ss.ss_flags = SS_DISABLE;
	CALL(sigaltstack(&ss, NULL));

	sigfillset(&mask);
	sigemptyset(&empty);
	CALL(sigprocmask(SIG_SETMASK, &mask, NULL));
	CALL(sigprocmask(SIG_SETMASK, NULL, &old));
	show("KILL %d STOP %d TERM %d", sigismember(&old, SIGKILL), sigismember(&old, SIGSTOP), sigismember(&old, SIGTERM));
	CALL(sigprocmask(77, &mask, NULL));
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 4));
	set(SIGUSR1, note, 0);
	set(SIGUSR2, note, 0);
	set(SIGTERM, note, 0);
	set(SIGHUP, note, 0);
	kill(me, SIGTERM);
	kill(me, SIGUSR2);
	kill(me, SIGUSR1);
	kill(me, SIGHUP);
	kill(me, SIGUSR1);
	sigdelset(&mask, SIGUSR2);
	order[0] = 0;
	CALL(sigsuspend(&mask));
	show("%s", order);
	sigpending(&old);
	show("pending HUP %d USR1 %d USR2 %d TERM %d", sigismember(&old, SIGHUP), sigismember(&old, SIGUSR1),
	     sigismember(&old, SIGUSR2), sigismember(&old, SIGTERM));
	sigprocmask(SIG_SETMASK, NULL, &old);
	show("USR2 blocked %d", sigismember(&old, SIGUSR2));
	set(SIGHUP, SIG_IGN, 0);
	sigpending(&old);
	show("pending HUP %d", sigismember(&old, SIGHUP));
	order[0] = 0;
	CALL(sigprocmask(SIG_SETMASK, &empty, NULL));
	/* The handlers run in the reverse order of the frames: the last frame first. */
	show("%s", order);

	read_with("read with SA_RESTART", SA_RESTART);
	read_with("read without", 0);
	set(SIGUSR1, SIG_IGN, 0);
	return 0;
}
