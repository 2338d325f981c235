/* The registers of a program, in the layout that debuggers know: Linux's user_regs_struct. */
#pragma once

#include "kernel/types.h"

struct task_struct;

struct user_regs_struct {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	u64 ip, cs, flags, sp, ss, fs_base, gs_base, ds, es, fs, gs;
};

/*
 * task does not run, or is current and has called fpu_sync() since it has entered the kernel. Task
 * context.
 */
void regset_get_general(const struct task_struct *task, struct user_regs_struct *regs);
