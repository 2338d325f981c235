/* A handler changes the frame: registers, the address to return to, the mask of signals, the stack. */
#include "abi.h"

#include <ucontext.h>

static void set_result(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gregs[REG_RBX] = 4711;
	uc->uc_mcontext.gregs[REG_R12] = 4712;
}

static void set_mask(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	sigaddset(&uc->uc_sigmask, SIGUSR2);
	sigaddset(&uc->uc_sigmask, SIGKILL);
}

static void skip(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
	uc->uc_mcontext.gregs[REG_EFL] |= 0x401; /* carry, direction */
}

static void bad_ip(int sig, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (long)0x8000000000000000;
}

static void kernel_ip(int sig, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (long)0xffffffff80100000;
}

/* The handler of a SIGSEGV at an address that is not canonical: tells it, and goes back to where the program was. */
static greg_t good[NGREG];

static void go_far(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	memcpy(good, uc->uc_mcontext.gregs, sizeof(good));
	uc->uc_mcontext.gregs[REG_RIP] = 0x4000000000000000;
	uc->uc_mcontext.gregs[REG_RCX] = 0x4000000000000000;
}

static void come_back(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	show("SIGSEGV code %d at %llx", info->si_code, (unsigned long long)uc->uc_mcontext.gregs[REG_RIP]);
	memcpy(uc->uc_mcontext.gregs, good, sizeof(good));
}

static void bad_fp(int sig, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.fpregs = (void *)8;
}

static void set(int sig, void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO };

	sigaction(sig, &action, NULL);
}

static void return_to_bad_ip(void)
{
	set(SIGUSR1, bad_ip);
	raise(SIGUSR1);
}

static void return_to_kernel(void)
{
	set(SIGUSR1, kernel_ip);
	raise(SIGUSR1);
}

static void return_with_bad_fp(void)
{
	set(SIGUSR1, bad_fp);
	raise(SIGUSR1);
}

static void no_frame(void)
{
	__asm__ volatile("mov $8, %%rsp; mov $15, %%eax; syscall" ::: "memory");
}

int main(void)
{
	register long pid __asm__("r13") = getpid();
	long rbx, r12, flags;
	sigset_t now;

	set(SIGUSR1, set_result);
	__asm__ volatile("mov $1, %%rbx; mov $2, %%r12; mov $62, %%eax; mov %%r13, %%rdi; mov $10, %%esi; syscall\n\t"
			 "mov %%rbx, %0; mov %%r12, %1"
			 : "=&r"(rbx), "=&r"(r12)
			 : "r"(pid)
			 : "rax", "rbx", "rcx", "rdi", "rsi", "r11", "r12", "memory");
	show("rbx %ld r12 %ld", rbx, r12);
	set(SIGUSR1, set_mask);
	raise(SIGUSR1);
	sigprocmask(SIG_BLOCK, NULL, &now);
	show("USR1 %d USR2 %d KILL %d", sigismember(&now, SIGUSR1), sigismember(&now, SIGUSR2), sigismember(&now, SIGKILL));
	set(SIGILL, skip);
	__asm__ volatile("clc; ud2; pushfq; pop %0; cld" : "=r"(flags) : : "memory", "cc");
	show("flags %lx", flags & 0x401);
	set(SIGUSR1, go_far);
	set(SIGSEGV, come_back);
	raise(SIGUSR1);
	show("back");
	signal(SIGSEGV, SIG_DFL);
	CHILD(return_to_bad_ip);
	CHILD(return_to_kernel);
	CHILD(return_with_bad_fp);
	CHILD(no_frame);
	return 0;
}
