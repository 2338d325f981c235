/* The switch between kernel stacks (switch.asm). */
#pragma once

#include "kernel/types.h"

struct task_struct;

/*
 * The words at task->sp of a task that does not run, lowest address first. __switch_to() pushes
 * them.
 */
struct switch_frame {
	u64 bp, bx, r12, r13, r14, r15;
	u64 return_address;
};

/*
 * Saves prev's callee-saved registers and stack pointer and loads those of next. Returns, on next's
 * stack, the task that ran before. Sets current_task and TSS.rsp0. Interrupts off, run-queue lock
 * held.
 */
struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next);
/*
 * Prepares the stack of a new task. The first switch to the task enters ret_from_fork, which calls
 * schedule_tail(prev) and then entry().
 */
void arch_setup_new_task(struct task_struct *p, void (*entry)(void));
