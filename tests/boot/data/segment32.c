/*
 * An instruction with a uprobe, executed in a 64-bit and then in a 32-bit code segment.
 *
 *     segment32 offset    prints its place in the file
 *
 * Linked without PIE, so that its address has 32 bits.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

#define USER32_CS 0x23

extern const char __executable_start[], probed[];
int call_probed(int value);

__asm__(".pushsection .text\n"
	"call_probed:\n"
	"probed:	movl %edi, %eax\n"
	"	ret\n"
	".popsection\n");

static void on_signal(int sig, siginfo_t *info, void *context)
{
	const greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	printf("signal %d, probed+%ld\n", sig, (long)regs[REG_RIP] - (long)probed);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	const struct {
		unsigned address;
		unsigned short segment;
	} __attribute__((packed)) target = { (unsigned)(unsigned long)probed, USER32_CS };
	static char stack[16384];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	(void)argv;
	if (argc > 1) {
		printf("0x%lx\n", (unsigned long)(probed - __executable_start));
		return 0;
	}
	printf("64 bits: %d\n", call_probed(7));
	fflush(stdout);
	sigaltstack(&other, NULL);
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	/* No far return: QEMU 7.2 would read the stack as the kernel, which SMAP forbids. */
	__asm__ __volatile__("ljmpl *%0" : : "m"(target) : "memory");
	return 1;
}
