/* The registers of a program, in the layout that debuggers know: Linux's user_regs_struct. */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/lib/string.h"
#include "kernel/sched/task.h"

struct user_regs_struct {
	struct pt_regs regs;
	u64 fs_base, gs_base, ds, es, fs, gs;
};
BUILD_BUG_ON(sizeof(struct user_regs_struct) != 27 * sizeof(u64));

/*
 * task does not run, or is current and has called fpu_sync() since it has entered the kernel. Task
 * context.
 */
static inline struct user_regs_struct regset_get_general(const struct task_struct *task)
{
	const struct thread_struct *thread = &task->thread;

	return (struct user_regs_struct){
		.regs = *task_pt_regs(task),
		.fs_base = thread->fsbase,
		.gs_base = thread->gsbase,
		.ds = thread->segments.ds,
		.es = thread->segments.es,
		.fs = thread->segments.fs,
		.gs = thread->segments.gs,
	};
}
