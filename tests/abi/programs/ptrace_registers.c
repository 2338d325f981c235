/* ptrace(2): registers one by one and in sets, what is refused, single steps. */
#include "ptrace.h"
#include <sys/uio.h>

#define REG(name) offsetof(struct user_regs_struct, name)

static void trap(void)
{
	__asm__ volatile("movq $0x1111, %%rbx; movq $0x2222, %%r15; movq $0x3333, %%rdx; movq %%rdx, %%xmm3; int3; nop; nop" ::: "rbx", "r15", "rdx", "xmm3");
}

static void peek(pid_t pid, const char *name, unsigned long offset)
{
	unsigned long value = 0;

	if (trace(PEEKUSER, pid, offset, P(&value)))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %lx", name, value);
}

static void poke(pid_t pid, const char *name, unsigned long offset, unsigned long value)
{
	if (trace(POKEUSER, pid, offset, value))
		show("%s = %lx: %s", name, value, error_name(errno));
	else
		show("%s = %lx", name, value);
}

static void registers(void)
{
	pid_t pid = traced_child(trap, 0);
	struct user_regs_struct regs, back;
	struct user_fpregs_struct fp;
	struct iovec iov = { &regs, sizeof(regs) };
	static unsigned char area[16384] __attribute__((aligned(64)));
	siginfo_t info;
	unsigned long xcr0;

	trace(CONT, pid, 0, 0);
	wait_for("int3", pid);
	trace(GETSIGINFO, pid, 0, P(&info));
	show("siginfo %d code %#x", info.si_signo, info.si_code);
	peek(pid, "rbx", REG(rbx));
	peek(pid, "r15", REG(r15));
	peek(pid, "orig_rax", REG(orig_rax));
	peek(pid, "cs", REG(cs));
	peek(pid, "ss", REG(ss));
	peek(pid, "ds", REG(ds));
	peek(pid, "u_tsize", 736);
	peek(pid, "not aligned", 4);
	peek(pid, "the last word", 920);
	peek(pid, "behind", 928);
	poke(pid, "rbx", REG(rbx), 0x4444);
	poke(pid, "u_tsize", 736, 1);
	poke(pid, "behind", 928, 1);
	poke(pid, "fs_base", REG(fs_base), 1UL << 63);
	poke(pid, "ds", REG(ds), 0x28); /* of the kernel */
	poke(pid, "ds", REG(ds), 0x2b);
	poke(pid, "ds", REG(ds), 0);
	poke(pid, "eflags", REG(eflags), ~0UL & ~0x100UL);
	show("flags that a program may set: %llx", (long long)regs_of(pid).eflags & 0x3f8dd5);
	poke(pid, "eflags", REG(eflags), 0x202);

	CALL(trace(GETREGSET, pid, 1, P(&iov)));
	show("NT_PRSTATUS: %zu bytes, rbx %llx", iov.iov_len, (long long)regs.rbx);
	iov.iov_len = 16;
	CALL(trace(GETREGSET, pid, 1, P(&iov)));
	show("a part: %zu bytes", iov.iov_len);
	iov.iov_len = 15;
	CALL(trace(GETREGSET, pid, 1, P(&iov)));
	iov.iov_len = 100000;
	iov.iov_base = area;
	CALL(trace(GETREGSET, pid, 1, P(&iov)));
	show("too much: %zu bytes", iov.iov_len);
	CALL(trace(GETREGSET, pid, 0x999, P(&iov)));
	CALL(trace(GETREGSET, pid, 1, 8));
	regs.rbx = 0x5555;
	iov = (struct iovec){ &regs, sizeof(regs) };
	CALL(trace(SETREGSET, pid, 1, P(&iov)));
	back = regs_of(pid);
	show("rbx %llx, all the same: %s", (long long)back.rbx, !memcmp(&back, &regs, sizeof(regs)) ? "yes" : "no");

	CALL(trace(GETFPREGS, pid, 0, P(&fp)));
	show("cwd %x, xmm3 %x", fp.cwd, fp.xmm_space[12]);
	fp.xmm_space[12] = 0x6666;
	CALL(trace(SETFPREGS, pid, 0, P(&fp)));
	fp.mxcsr = ~0U;
	CALL(trace(SETFPREGS, pid, 0, P(&fp)));
	iov = (struct iovec){ &fp, sizeof(fp) };
	CALL(trace(GETREGSET, pid, 2, P(&iov)));
	show("NT_PRFPREG: %zu bytes, xmm3 %x", iov.iov_len, fp.xmm_space[12]);
	iov.iov_len = 8;
	CALL(trace(SETREGSET, pid, 2, P(&iov)));
	iov = (struct iovec){ area, sizeof(area) };
	CALL(trace(GETREGSET, pid, 0x202, P(&iov)));
	memcpy(&xcr0, area + 464, 8);
	show("NT_X86_XSTATE: x87 and SSE %s, xmm3 %x", (xcr0 & 3) == 3 && iov.iov_len >= 576 ? "yes" : "no", *(unsigned *)(area + 160 + 48));
	*(unsigned *)(area + 160 + 48) = 0x7777;
	CALL(trace(SETREGSET, pid, 0x202, P(&iov)));
	area[512 + 7] = 0xff; /* unknown components */
	CALL(trace(SETREGSET, pid, 0x202, P(&iov)));
	area[512 + 7] = 0;
	area[512 + 8] = 1; /* a compacted state */
	CALL(trace(SETREGSET, pid, 0x202, P(&iov)));
	area[512 + 8] = 0;
	iov.iov_len = 512;
	CALL(trace(SETREGSET, pid, 0x202, P(&iov)));
	trace(GETFPREGS, pid, 0, P(&fp));
	show("xmm3 %x", fp.xmm_space[12]);

	/* One step over nop: what was written is in the registers of the program then. */
	CALL(trace(STEP, pid, 0, 0));
	wait_for("step", pid);
	trace(GETFPREGS, pid, 0, P(&fp));
	show("rbx %llx, xmm3 %x", (long long)regs_of(pid).rbx, fp.xmm_space[12]);
	CALL(trace(KILL_IT, pid, 0, 0));
	wait_for("killed", pid);
}

static volatile int handled;

static void handler(int sig)
{
	handled = sig;
}

extern char step_begin[], step_call[], step_after[], step_end[];

static void stepped(void)
{
	signal(SIGUSR1, handler);
	__asm__ volatile(".globl step_begin, step_call, step_after, step_end\n"
			 "step_begin: int3\n\tmovl $110, %%eax\n"
			 "step_call: syscall\n"
			 "step_after: pushf\n\tpop %%rdx\n\tmovl $77777, %%eax\n\tcld\n"
			 "step_end: nop" ::: "rax", "rdx", "rcx", "r11", "memory");
	show("tracee: handled %d", handled);
}

static void steps(void)
{
	pid_t pid = traced_child(stepped, 0);
	siginfo_t info;
	struct user_regs_struct regs;

	trace(CONT, pid, 0, 0);
	wait_for("int3", pid);
	for (int i = 0; i < 6; i++) {
		trace(STEP, pid, 0, 0);
		wait_for("step", pid);
		regs = regs_of(pid);
		trace(GETSIGINFO, pid, 0, P(&info));
		show("  at begin + %lld, code %d, address %s, TF %llu", (long long)regs.rip - (long long)P(step_begin), info.si_code,
		     P(info.si_addr) == regs.rip ? "yes" : "no", (long long)regs.eflags >> 8 & 1);
	}
	kill(pid, SIGUSR1);
	CALL(trace(STEP, pid, 0, 0));
	wait_for("a signal", pid);
	CALL(trace(STEP, pid, 0, SIGUSR1));
	wait_for("in the handler", pid);
	trace(GETSIGINFO, pid, 0, P(&info));
	show("  at the first instruction: %s, code %d, TF %llu", regs_of(pid).rip == P(handler) ? "yes" : "no", info.si_code,
	     (long long)regs_of(pid).eflags >> 8 & 1);
	trace(CONT, pid, 0, 0);
	wait_for("the end", pid);
}

static void nothing(void)
{
}

/* A program goes on at any address, and gets the fault that it gets there. */
static void goes_on_at(const char *what, unsigned long ip)
{
	pid_t pid = traced_child(nothing, 0);
	siginfo_t info;

	poke(pid, what, REG(rip), ip);
	trace(CONT, pid, 0, 0);
	wait_for("then", pid);
	trace(GETSIGINFO, pid, 0, P(&info));
	show("  code %d, address %lx, ip the same: %s", info.si_code, P(info.si_addr), regs_of(pid).rip == ip ? "yes" : "no");
	trace(KILL_IT, pid, 0, 0);
	waitpid(pid, NULL, ANY);
}

int main(void)
{
	registers();
	steps();
	goes_on_at("rip, the first page", 8);
	goes_on_at("rip, of the kernel", 0xffffffff81000000);
	goes_on_at("rip, not canonical", 1UL << 63);
	return 0;
}
