/* Addresses that a program gives to the CPU: bases of FS and GS above its memory, return addresses that are not canonical. */
#include <linux/sched.h>
#include <sys/socket.h>
#include <ucontext.h>

#include "abi.h"

#define SETS_TLS (SIGCHLD | CLONE_SETTLS)

static int clone_tls(unsigned long tls)
{
	pid_t pid = (pid_t)syscall(SYS_clone, (long)SETS_TLS, 0, 0, 0, tls);

	if (!pid)
		syscall(SYS_exit_group, 0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid > 0 ? 0 : -1;
}

static void (*change)(ucontext_t *);

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	change(context);
}

static void bad_ip(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RIP] = 0x8000000000000000;
}

static void bad_sp(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RSP] = 0x8000000000000000;
}

static void top_ip(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RIP] = 0x7ffffffff000;
}

static void kernel_ip(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)0xffffffff81000000;
}

static void returns(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	show("went on");
}

static void with(const char *name, void (*fn)(ucontext_t *))
{
	change = fn;
	show("%s", name);
	CHILD(returns);
}

static void receive_times(void)
{
	int pair[2];
	struct timeval times[] = { { -1, 0 }, { -1, 999999 }, { 0, -1 }, { 0, 1000000 } }, got;
	socklen_t len;
	char c;

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	for (int i = 0; i < 4; i++) {
		len = sizeof(got);
		CALL(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &times[i], sizeof(got)));
		CALL(getsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &got, &len));
		show("%ld %ld", (long)got.tv_sec, (long)got.tv_usec);
		CALL((int)read(pair[0], &c, 1));
	}
}

int main(void)
{
	CALL(clone_tls(0x7fffffffe000));
	CALL(clone_tls(0x8000000000000000));
	CALL(clone_tls(0xffff800000000000));
	CALL(clone_tls(~0UL));
	CALL((int)syscall(SYS_arch_prctl, 0x1001, 0x8000000000000000)); /* ARCH_SET_GS */
	CALL((int)syscall(SYS_arch_prctl, 0x1001, 0xffffffff81000000));
	CALL((int)syscall(SYS_arch_prctl, 0x1002, 0x8000000000000000)); /* ARCH_SET_FS */
	CALL((int)syscall(SYS_set_robust_list, 0x8000000000000000, 24));
	CALL((int)syscall(SYS_set_robust_list, 0, 24));
	with("ip", bad_ip);
	with("sp", bad_sp);
	with("top", top_ip);
	with("kernel", kernel_ip);
	receive_times();
	return 0;
}
