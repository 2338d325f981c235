/* The registers of a program's task: at fork, at exec, at the return to ring 3. */
#pragma once

#include "arch/user/fpu.h"
#include "kernel/sched/user_work.h"
#include "kernel/types.h"

struct task_struct;

/*
 * Prepares p, which is new, to return to user mode as a copy of the current task: with the same
 * registers, but with 0 as the result of the system call. sp: its stack pointer, or 0 for the same.
 * tls: its FS base if set_tls is true. 0 or -ENOMEM. Task context.
 */
int copy_thread(struct task_struct *p, unsigned long sp, bool set_tls, unsigned long tls);
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
