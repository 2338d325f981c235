/* The stack of a new task, as the machine sees it: the frame that the first switch to it pops. */
#include "arch/cpu/switch.h"

#include "arch/cpu/ptrace.h"
#include "kernel/sched/sched.h"

/* The assembly files use these offsets. */
BUILD_BUG_ON(offsetof(struct task_struct, sp) != 0);
BUILD_BUG_ON(offsetof(struct task_struct, stack) != 8);
BUILD_BUG_ON(offsetof(struct task_struct, quiescent_work) != 18);
BUILD_BUG_ON(offsetof(struct task_struct, user_work) != 20);
BUILD_BUG_ON(THREAD_SIZE != 16384);
BUILD_BUG_ON(sizeof(struct pt_regs) != 168);

void ret_from_fork(void);

void arch_setup_stack(struct task_struct *p, u64 function, u64 bp)
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
	arch_setup_stack(p, (u64)entry, 0);
}
