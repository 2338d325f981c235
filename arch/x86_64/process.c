/* Prepares the stack of a new task for the first switch to it. */
#include "arch/switch.h"

#include "kernel/sched/sched.h"

BUILD_BUG_ON(offsetof(struct task_struct, sp) != 0);
BUILD_BUG_ON(offsetof(struct task_struct, stack) != 8);
BUILD_BUG_ON(THREAD_SIZE != 16384);

void ret_from_fork(void);

void arch_setup_new_task(struct task_struct *p, void (*entry)(void))
{
	u8 *top = (u8 *)p->stack + THREAD_SIZE;
	/*
	 * The 16 bytes above the frame stay 0. They are the return address of the outermost frame,
	 * where backtraces end.
	 */
	struct switch_frame *frame = (struct switch_frame *)(top - 16) - 1;

	*(u64 *)(top - 16) = 0;
	*(u64 *)(top - 8) = 0;
	*frame = (struct switch_frame){
		.bx = (u64)entry,
		.return_address = (u64)ret_from_fork,
	};
	p->sp = frame;
}
