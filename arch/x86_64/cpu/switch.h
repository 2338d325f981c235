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
 * Prepares the stack of a new kernel task. The first switch to the task enters ret_from_fork, which
 * calls schedule_tail(prev) and then entry(). entry() may return only if the task has become a
 * program: start_thread() has written its registers.
 */
void arch_setup_new_task(struct task_struct *p, void (*entry)(void));
/*
 * The stack of a new task, from the top: its pt_regs, which the return to user mode loads; one word
 * that aligns the stack; the frame that __switch_to() pops. function: called by ret_from_fork, or
 * 0: the task is a program. bp: where the backtraces of the task go on, or 0.
 */
void arch_setup_stack(struct task_struct *p, u64 function, u64 bp);
