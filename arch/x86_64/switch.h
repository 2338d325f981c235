/* Context switch between kernel stacks (arch/x86_64/switch.asm). */
#pragma once

#include "kernel/types.h"

struct task_struct;

/* What __switch_to() leaves at task->sp, lowest address first. */
struct switch_frame {
	u64 bp, bx, r12, r13, r14, r15;
	u64 return_address;
};

/*
 * Save callee-saved registers and the stack pointer of prev, load next's; returns on next's stack
 * the task that ran before. Interrupts off, run-queue lock held; sets current_task and TSS.rsp0.
 */
struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next);
/*
 * Prepare a new task's stack so that its first switch enters ret_from_fork, which calls
 * schedule_tail(prev) and fn(arg).
 */
void arch_setup_new_task(struct task_struct *p, void (*entry)(void));
