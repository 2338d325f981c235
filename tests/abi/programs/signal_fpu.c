/* The registers of the FPU and a handler: they survive it, it starts with fresh ones, it can change them in its frame. */
#include <sched.h>
#include <ucontext.h>

#include "abi.h"

static volatile int depth;
static double seen;
static unsigned mxcsr_in_handler, fcw_in_handler;

static unsigned get_mxcsr(void)
{
	unsigned value;

	__asm__ volatile("stmxcsr %0" : "=m"(value));
	return value;
}

static void set_mxcsr(unsigned value)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(value));
}

static unsigned get_fcw(void)
{
	unsigned short value;

	__asm__ volatile("fnstcw %0" : "=m"(value));
	return value;
}

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	mxcsr_in_handler = get_mxcsr();
	fcw_in_handler = get_fcw();
	/* Destroys the registers. */
	__asm__ volatile("pcmpeqd %%xmm7, %%xmm7\n\tfldz\n\tfld1" : : : "xmm7");
	set_mxcsr(0x1f80);
	if (sig == SIGUSR2 && uc->uc_mcontext.fpregs)
		memcpy((char *)uc->uc_mcontext.fpregs + 160 + 7 * 16, &(double){ 42.5 }, sizeof(double));
	if (sig == SIGUSR1 && !depth++)
		kill(getpid(), SIGURG);
}

static void check(const char *name, int sig)
{
	double in = 1.25, out = 0;
	unsigned mxcsr;

	set_mxcsr(0x3f80);
	__asm__ volatile("movq %1, %%xmm7\n\t"
			 "mov %2, %%rdi\n\tmov %3, %%rsi\n\tmov $62, %%eax\n\tsyscall\n\t"
			 "movq %%xmm7, %0"
			 : "=r"(out)
			 : "r"(in), "r"((long)getpid()), "r"((long)sig)
			 : "rax", "rdi", "rsi", "rcx", "r11", "xmm7", "memory");
	mxcsr = get_mxcsr();
	set_mxcsr(0x1f80);
	show("%s: %g, mxcsr %x, in the handler %x, fcw %x", name, out, mxcsr, mxcsr_in_handler, fcw_in_handler);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pid_t pid;

	(void)seen;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGURG, &action, NULL);
	check("nested", SIGUSR1);
	check("changed in the frame", SIGUSR2);
	check("plain", SIGURG);
	pid = fork();
	if (!pid) {
		for (volatile double x = 0;; x += 1.5)
			;
		_exit(0);
	}
	for (int i = 0; i < 3; i++)
		sched_yield();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check("again", SIGUSR2);
	return 0;
}
