/* A task as the machine sees it: its first registers, and those at the start of a program. */
#include "arch/cpu/switch.h"

#include "arch/irq/descriptors.h"
#include "arch/user/fpu.h"
#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/signal/signal.h"

/* The assembly files use these offsets. */
BUILD_BUG_ON(offsetof(struct task_struct, sp) != 0);
BUILD_BUG_ON(offsetof(struct task_struct, stack) != 8);
BUILD_BUG_ON(offsetof(struct task_struct, quiescent_work) != 18);
BUILD_BUG_ON(offsetof(struct task_struct, user_work) != 20);
BUILD_BUG_ON(THREAD_SIZE != 16384);
BUILD_BUG_ON(sizeof(struct pt_regs) != 168);

void ret_from_fork(void);

/*
 * The stack of a new task, from the top: its pt_regs, which the return to user mode loads; one word
 * that aligns the stack; the frame that __switch_to() pops.
 */
static void setup_stack(struct task_struct *p, u64 function, u64 bp)
{
	u64 *pad = (u64 *)task_pt_regs(p) - 1;
	struct switch_frame *frame = (struct switch_frame *)pad - 1;

	*pad = 0;
	*frame = (struct switch_frame){
		.bx = function,
		.bp = bp,
		.return_address = (u64)ret_from_fork,
	};
	p->sp = frame;
}

void arch_setup_new_task(struct task_struct *p, void (*entry)(void))
{
	*task_pt_regs(p) = (struct pt_regs){ 0 };
	setup_stack(p, (u64)entry, 0);
}

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
	if (sp)
		regs->sp = sp;
	setup_stack(p, 0, (u64)regs + 1);
	return 0;
}

void arch_free_task(struct task_struct *p)
{
	fpu_free(p);
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
