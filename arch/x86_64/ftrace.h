/* The machine's part of dynamic ftrace: what a call site calls, and what it saves
 * (ftrace_entry.asm). */
#pragma once

#include "kernel/types.h"

/* The traced function's arguments, as ftrace_caller saved them; what it must not clobber. */
struct ftrace_regs {
	u64 r11, r10, r9, r8, di, si, dx, cx, ax;
};

/* Argument n (0..5) of the traced function, if it is an integer or a pointer (System V ABI). */
static inline u64 ftrace_get_argument(const struct ftrace_regs *fregs, unsigned n)
{
	switch (n) {
	case 0:
		return fregs->di;
	case 1:
		return fregs->si;
	case 2:
		return fregs->dx;
	case 3:
		return fregs->cx;
	case 4:
		return fregs->r8;
	case 5:
		return fregs->r9;
	default:
		return 0;
	}
}

/*
 * Where the traced function's own return address lies on the stack: a callback may change it. Above
 * fregs are the stub's two frames (4 words) and the return address behind the site.
 */
static inline unsigned long *ftrace_regs_return_slot(struct ftrace_regs *fregs)
{
	return (unsigned long *)(fregs + 1) + 5;
}

/* What gcc -pg -mfentry has every function call, before it is made a nop: returns. */
void __fentry__(void);
/* What an enabled site calls; and the call in it that leads to the callback, patched like a site.
 */
void ftrace_caller(void);
extern const char ftrace_call[];
/* The ops that ftrace_caller hands to its callback. */
extern struct ftrace_ops *function_trace_op;
