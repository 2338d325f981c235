/* Exceptions of a program: which signal, si_code, si_addr and trap number a handler gets. */
#include "abi.h"

#include <setjmp.h>
#include <ucontext.h>

static sigjmp_buf back;
static volatile char *start; /* the instruction that traps */

static void handler(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	long ip = (long)uc->uc_mcontext.gregs[REG_RIP] - (long)start;

	show("  signal %d code %d trap %lld error %lld", sig, info->si_code,
	     (long long)uc->uc_mcontext.gregs[REG_TRAPNO],
	     (long long)uc->uc_mcontext.gregs[REG_ERR]);
	if (ip >= 0 && ip < 64)
		show("  rip at %ld", ip);
	else
		show("  rip elsewhere");
	if (info->si_addr == start + ip)
		show("  si_addr is rip");
	else
		show("  si_addr is %s", info->si_addr ? "another address" : "0");
	siglongjmp(back, 1);
}

#define TRAP(name, code)                                                      \
	do {                                                                  \
		show("%s", name);                                             \
		if (!sigsetjmp(back, 1)) {                                    \
			__asm__ __volatile__("leaq 1f(%%rip), %%rax\n\t"      \
					     "movq %%rax, %0\n\t"             \
					     "1: " code                       \
					     : "=m"(start)                    \
					     :                                \
					     : "rax", "rcx", "rdx", "r11",    \
					       "memory", "cc");               \
			show("  none");                                       \
		}                                                             \
	} while (0)

int main(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	TRAP("division by 0", "xorl %%ecx, %%ecx; xorl %%edx, %%edx; divl %%ecx");
	TRAP("division overflow", "movl $2, %%ecx; movl $5, %%edx; divl %%ecx");
	TRAP("x87 division by 0",
	     "pushq $0x37b; fldcw (%%rsp); popq %%rax; fld1; fldz; fdivrp %%st, %%st(1); fwait; fninit");
	TRAP("x87 invalid operation",
	     "fninit; pushq $0x37e; fldcw (%%rsp); popq %%rax; fldz; fldz; fdivp %%st, %%st(1); fwait");
	__asm__ __volatile__("fninit");
	TRAP("ud2", "ud2");
	TRAP("int3", "int3");
	TRAP("int $3 of two bytes", ".byte 0xcd, 3");
	TRAP("int $4", "int $4");
	TRAP("int $0x0d", "int $0x0d");
	TRAP("int $0xff", "int $0xff");
	TRAP("hlt", "hlt");
	TRAP("cli", "cli");
	TRAP("in", "inb $0x60, %%al");
	TRAP("mov to cr3", "movq %%rax, %%cr3");
	TRAP("rdmsr", "rdmsr");
	TRAP("read 0", "xorl %%eax, %%eax; movl (%%rax), %%eax");
	TRAP("write 0", "xorl %%eax, %%eax; movl %%eax, (%%rax)");
	TRAP("write to code", "movb $0x90, 1b(%%rip)");
	TRAP("read the kernel", "movq $0xffffffff81000000, %%rax; movl (%%rax), %%eax");
	TRAP("read a hole", "movq $0x8000000000000000, %%rax; movl (%%rax), %%eax");
	TRAP("jump to 0", "xorl %%eax, %%eax; jmp *%%rax");
	TRAP("jump to data", "leaq 8(%%rsp), %%rax; jmp *%%rax");
	TRAP("jump to a hole", "movq $0x8000000000000000, %%rax; jmp *%%rax");
	TRAP("null selector in ss", "xorl %%eax, %%eax; movw %%ax, %%ss");
	TRAP("wrong selector", "movl $0x1230, %%eax; movw %%ax, %%ds");
	TRAP("single step", "pushfq; orl $0x100, (%%rsp); popfq; nop; nop; nop");
	TRAP("single step into a system call",
	     "movl $39, %%eax; pushfq; orl $0x100, (%%rsp); popfq; syscall; nop; nop; nop");
	return 0;
}
