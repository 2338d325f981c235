/* See syscall_regs.h. */
#include "arch/user/syscall_regs.h"

#include "arch/cpu/ptrace.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/syscalls/unistd.h"

long arch_make_syscall(struct pt_regs *regs)
{
	typedef long syscall_fn(u64 di, u64 si, u64 dx, u64 r10, u64 r8, u64 r9);
	int nr = (int)regs->orig_ax;

	if (nr == -1)
		return (long)regs->ax;
	if ((unsigned)nr >= NR_SYSCALLS)
		return __x64_sys_ni_syscall();
	return ((syscall_fn *)sys_call_table[nr])(regs->di, regs->si, regs->dx, regs->r10, regs->r8,
						  regs->r9);
}

void arch_syscall_args(const struct pt_regs *regs, u64 args[6])
{
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->r10;
	args[4] = regs->r8;
	args[5] = regs->r9;
}
