/* The switch between kernel stacks (switch.asm). */
#pragma once

#include "arch/user/fpu.h"
#include "kernel/sched/user_work.h"
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
 * Prepares p, which is new, to return to user mode as a copy of the current task: with the same
 * registers, but with 0 as the result of the system call. sp: its stack pointer, or 0 for the same.
 * tls: its FS base if set_tls is true. 0 or -ENOMEM. Task context.
 */
int copy_thread(struct task_struct *p, unsigned long sp, bool set_tls, unsigned long tls);
/* Frees what copy_thread() has allocated for p, which does not run. Any context but NMI. */
void arch_free_task(struct task_struct *p);
/*
 * For exec: the current task returns to user mode at ip, with this stack pointer, and with all
 * other registers as at the start of a program. A kernel task that becomes a program gets SIGKILL
 * if memory is short. Task context.
 */
void start_thread(unsigned long ip, unsigned long sp);
/* The last step before p, the current task, returns to user mode by IRET. Interrupts off. */
static inline void arch_exit_to_user_mode(struct task_struct *p)
{
	if (test_user_work(p, USER_WORK_FPU))
		fpu_restore(p);
	if (test_user_work(p, USER_WORK_IRET))
		clear_user_work(p, USER_WORK_IRET);
}
