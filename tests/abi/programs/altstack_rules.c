/* sigaltstack(2): sizes, flags, state in a handler, overflow of the normal stack, fork and exec. */
#include "abi.h"

static char stack[65536] __attribute__((aligned(16)));

static void state(const char *when)
{
	stack_t now;

	sigaltstack(NULL, &now);
	show("%s: flags %x size %ld at %s", when, now.ss_flags, (long)now.ss_size, now.ss_sp == stack ? "stack" : now.ss_sp ? "other" : "0");
}

static void handler(int sig)
{
	stack_t off = { .ss_flags = SS_DISABLE };
	char here;

	state("in the handler");
	show("on it %d", &here > stack && &here < stack + sizeof(stack));
	CALL(sigaltstack(&off, NULL));
}

static int deep(int n)
{
	volatile char big[4096];

	big[0] = (char)n;
	return n < 100000 ? deep(n + 1) + big[0] : 0;
}

static void overflowed(int sig)
{
	show("the stack is full: signal %d", sig);
	_exit(3);
}

static void overflow(void)
{
	struct sigaction action = { .sa_handler = overflowed, .sa_flags = SA_ONSTACK };
	struct rlimit limit = { 1 << 20, RLIM_INFINITY };

	setrlimit(RLIMIT_STACK, &limit);
	state("in the child");
	sigaction(SIGSEGV, &action, NULL);
	deep(0);
}

static void without(void)
{
	struct rlimit limit = { 1 << 20, RLIM_INFINITY };

	setrlimit(RLIMIT_STACK, &limit);
	signal(SIGSEGV, overflowed);
	deep(0);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	stack_t new = { .ss_sp = stack, .ss_size = sizeof(stack) }, small = { .ss_sp = stack, .ss_size = 2047 };
	stack_t odd = { .ss_sp = stack, .ss_size = sizeof(stack), .ss_flags = 4 };

	state("first");
	CALL(syscall(SYS_sigaltstack, &small, NULL));
	CALL(syscall(SYS_sigaltstack, &odd, NULL));
	CALL(syscall(SYS_sigaltstack, 8, NULL));
	odd.ss_flags = SS_ONSTACK;
	CALL(syscall(SYS_sigaltstack, &odd, NULL));
	state("SS_ONSTACK");
	CALL(sigaltstack(&new, NULL));
	state("set");
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	CHILD(overflow);
	CHILD(without);
	new.ss_flags = (int)(1U << 31);
	CALL(sigaltstack(&new, NULL));
	state("SS_AUTODISARM");
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	state("after the handler");
	return 0;
}
