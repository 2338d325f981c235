/* The registers of a program's task: copied by fork, and set to those of a start by exec. */
#include "arch/cpu/ptrace.h"
#include "arch/cpu/switch.h"
#include "arch/irq/descriptors.h"
#include "arch/user/fpu.h"
#include "arch/user/process.h"
#include "arch/mm/uaccess.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/signal/signal.h"

int copy_thread(struct task_struct *p, unsigned long sp, bool set_tls, unsigned long tls)
{
	struct pt_regs *regs = task_pt_regs(p);
	int error;

	/* A base that is not canonical would fault in the kernel, at the switch to p. */
	if (set_tls && tls >= TASK_SIZE_MAX)
		return -EPERM;
	error = fpu_fork(p);
	if (error)
		return error;
	if (set_tls) {
		p->thread.fsbase = tls;
		p->thread.segments.fs = 0;
	}
	*regs = *task_pt_regs(current);
	regs->ax = 0;
	if (unlikely(current->syscall_trace & SYSCALL_WORK_FORCED_TF))
		regs->flags &= ~X86_EFLAGS_TF;
	if (sp)
		regs->sp = sp;
	arch_setup_stack(p, 0, (u64)regs + 1);
	return 0;
}

void start_thread(unsigned long ip, unsigned long sp)
{
	if (fpu_reset())
		force_sig(SIGKILL);
	*task_pt_regs(current) = (struct pt_regs){
		.ip = ip,
		.cs = __USER_CS,
		.flags = X86_EFLAGS_IF,
		.sp = sp,
		.ss = __USER_DS,
	};
	set_user_work(current, USER_WORK_IRET);
}
