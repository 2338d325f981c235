/* rt_sigaction(2) and rt_sigprocmask(2): signals that have no handler, sizes, flags that are kept. */
#include "abi.h"

struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

int main(void)
{
	struct kernel_action a = { .handler = SIG_IGN, .flags = 0 }, old;
	uint64_t mask = ~0UL, before;
	int signals[] = { 0, -1, 65, SIGKILL, SIGSTOP, 64, SIGCHLD };

	for (int i = 0; i < 7; i++)
		show("signal %d: %s", signals[i], syscall(SYS_rt_sigaction, signals[i], &a, NULL, 8) ? error_name(errno) : "ok");
	CALL(syscall(SYS_rt_sigaction, SIGKILL, NULL, &old, 8));
	show("%d", old.handler == SIG_DFL);
	CALL(syscall(SYS_rt_sigaction, SIGUSR1, &a, NULL, 16));
	CALL(syscall(SYS_rt_sigaction, SIGUSR1, 8, NULL, 8));
	CALL(syscall(SYS_rt_sigaction, SIGUSR1, NULL, 8, 8));
	a.flags = ~0UL & ~0x04000000UL;
	a.mask = ~0UL;
	CALL(syscall(SYS_rt_sigaction, SIGUSR1, &a, NULL, 8));
	CALL(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &old, 8));
	show("flags %lx mask %lx", old.flags, (unsigned long)old.mask);
	CALL(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, 8));
	CALL(syscall(SYS_rt_sigprocmask, 7, &before, &mask, 8));
	CALL(syscall(SYS_rt_sigprocmask, 7, NULL, &mask, 8));
	show("mask %lx", (unsigned long)mask);
	CALL(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8));
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, 8, NULL, 8));
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, 8, 8));
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 4));
	return 0;
}
