/* See regset.h. */
#include "arch/user/regset.h"

#include "arch/cpu/ptrace.h"
#include "kernel/sched/task.h"

void regset_get_general(const struct task_struct *task, struct user_regs_struct *regs)
{
	const struct pt_regs *from = task_pt_regs(task);
	const struct thread_struct *thread = &task->thread;

	*regs = (struct user_regs_struct){
		.r15 = from->r15,
		.r14 = from->r14,
		.r13 = from->r13,
		.r12 = from->r12,
		.bp = from->bp,
		.bx = from->bx,
		.r11 = from->r11,
		.r10 = from->r10,
		.r9 = from->r9,
		.r8 = from->r8,
		.ax = from->ax,
		.cx = from->cx,
		.dx = from->dx,
		.si = from->si,
		.di = from->di,
		.orig_ax = from->orig_ax,
		.ip = from->ip,
		.cs = from->cs,
		.flags = from->flags,
		.sp = from->sp,
		.ss = from->ss,
		.fs_base = thread->fsbase,
		.gs_base = thread->gsbase,
		.ds = thread->segments.ds,
		.es = thread->segments.es,
		.fs = thread->segments.fs,
		.gs = thread->segments.gs,
	};
}
