/*
 * The registers of an interrupted context, as the entry stubs push them (Linux's struct pt_regs).
 */
#pragma once

#include "kernel/types.h"

struct pt_regs {
	u64 r15, r14, r13, r12, bp, bx;
	u64 r11, r10, r9, r8, ax, cx, dx, si, di;
	u64 orig_ax;               /* error code or vector */
	u64 ip, cs, flags, sp, ss; /* pushed by the CPU */
};

/* The registers of a program, while its task is in the kernel: at the top of the kernel stack. */
#define task_pt_regs(task) ((struct pt_regs *)((char *)(task)->stack + THREAD_SIZE) - 1)
