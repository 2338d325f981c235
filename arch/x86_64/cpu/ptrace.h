/*
 * The registers of an interrupted context, as the entry stubs push them (Linux's struct pt_regs).
 */
#pragma once

#include "kernel/mm/thread_size.h"
#include "kernel/types.h"

struct pt_regs {
	u64 r15, r14, r13, r12, bp, bx;
	u64 r11, r10, r9, r8, ax, cx, dx, si, di;
	u64 orig_ax;               /* error code, vector, or the number of a system call */
	u64 ip, cs, flags, sp, ss; /* pushed by the CPU */
};

/* Flags (Intel SDM 1 3.4.3). */
#define X86_EFLAGS_TF   (1UL << 8)
#define X86_EFLAGS_IF   (1UL << 9)
#define X86_EFLAGS_DF   (1UL << 10)
#define X86_EFLAGS_IOPL (3UL << 12)
#define X86_EFLAGS_NT   (1UL << 14)
#define X86_EFLAGS_RF   (1UL << 16)
#define X86_EFLAGS_AC   (1UL << 18)
/* The flags that a program may choose, for code that writes regs->flags. */
#define X86_EFLAGS_USER 0x50dd5UL /* CF PF AF ZF SF TF DF OF RF AC */

/* Whether regs are of a program, and not of the kernel. Any context. */
static inline bool user_mode(const struct pt_regs *regs)
{
	return regs->cs & 3;
}

/* Whether the CPU traps after each instruction of the code that regs are of. Any context. */
static inline bool single_stepped(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_TF;
}

/* The result of a function that has returned with these registers. Any context. */
static inline unsigned long regs_return_value(const struct pt_regs *regs)
{
	return regs->ax;
}

/*
 * The registers with which the program of task p has entered the kernel: at the top of the stack of
 * p. A kernel task has the same place, with zeros. p is current, or does not run.
 */
#define task_pt_regs(p) ((struct pt_regs *)((char *)(p)->stack + THREAD_SIZE) - 1)
