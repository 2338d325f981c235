/* What system calls, signals and fork(2) keep: flags, vector registers, the bases of FS and GS. */
#include "abi.h"

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_GS 0x1004

static unsigned long flags_after(unsigned long set)
{
	unsigned long flags;

	__asm__ __volatile__("pushfq; orq %1, (%%rsp); popfq\n\t"
			     "movl $39, %%eax; syscall\n\t"
			     "pushfq; popq %0\n\t"
			     "pushfq; andq $~0x44400, (%%rsp); popfq"
			     : "=&r"(flags)
			     : "r"(set)
			     : "rax", "rcx", "r11", "memory", "cc");
	return flags & 0x44cd5;
}

static double vector(void)
{
	double value;

	__asm__ __volatile__("movq %%xmm9, %0" : "=r"(value));
	return value;
}

static void set_vector(double value)
{
	__asm__ __volatile__("movq %0, %%xmm9" ::"r"(value) : "xmm9");
}

static unsigned control(void)
{
	unsigned mxcsr;
	unsigned short fcw;

	__asm__ __volatile__("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(fcw));
	return mxcsr << 16 | fcw;
}

static void handler(int sig)
{
	show("handler: vector %g, control %#x", vector(), control());
	set_vector(99);
}

int main(void)
{
	unsigned mxcsr = 0x1f80 | 0x6000;
	unsigned long base = 0;
	unsigned short fcw = 0x27f;
	int status;

	show("flags %#lx %#lx %#lx", flags_after(0) & 0x44400, flags_after(0x40400) & 0x44400,
	     flags_after(0x4000) & 0x44400);
	show("control %#x", control());
	__asm__ __volatile__("ldmxcsr %0; fldcw %1" ::"m"(mxcsr), "m"(fcw));
	signal(SIGUSR1, handler);
	set_vector(1.5);
	syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGUSR1);
	show("after the handler: vector %g, control %#x", vector(), control());
	set_vector(2.5);
	if (!syscall(SYS_fork)) {
		show("child: vector %g, control %#x", vector(), control());
		_exit(0);
	}
	wait(&status);

	CALL(syscall(SYS_arch_prctl, ARCH_SET_GS, 0x123456789000));
	CALL(syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
	show("gs %#lx", base);
	if (!syscall(SYS_fork)) {
		base = 0;
		CALL(syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
		show("child: gs %#lx", base);
		CALL(syscall(SYS_arch_prctl, ARCH_SET_GS, 0x1000));
		_exit(0);
	}
	wait(&status);
	CALL(syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
	show("gs %#lx", base);
	CALL(syscall(SYS_arch_prctl, ARCH_SET_FS, 0x8000000000000000));
	CALL(syscall(SYS_arch_prctl, ARCH_GET_GS, 1));
	CALL(syscall(SYS_arch_prctl, 0x9999, 1));
	CALL(syscall(511, 1));
	CALL(syscall(-1, 1));
	CALL(syscall(0x40000000 + SYS_getpid));
	return 0;
}
