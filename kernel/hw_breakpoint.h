/*
 * Breakpoints in the debug registers of the CPUs: who has the registers. arch/cpu/debugreg.h loads
 * them.
 *
 * A breakpoint is of a task, on each CPU on which the task may run or on one of them; or of a CPU,
 * for all tasks. It needs a register for its whole life, wherever its task may be. So on each CPU
 * the breakpoints of the CPU and those of any one task are at most HBP_NUM together.
 */
#pragma once

#include "arch/cpu/debugreg.h"

struct pt_regs;
struct task_struct;

struct hw_breakpoint {
	struct debugreg reg; /* constant while a CPU has loaded it */
	/*
	 * The breakpoint was hit; the program or the kernel then goes on. False: a program gets a
	 * SIGTRAP. Any context but NMI, interrupts off, all registers of this CPU off. It starts
	 * and stops no breakpoint.
	 */
	bool (*hit)(struct hw_breakpoint *bp, struct pt_regs *regs);
	struct task_struct *task;   /* constant while reserved, counted; NULL: of a CPU */
	int cpu;                    /* the same; -1: all, of a task */
	struct hw_breakpoint *next; /* [hw_breakpoint_mutex] in task->breakpoints */
};

/*
 * Reserves a register for a breakpoint, whose task and cpu are set. 0; -ENOSPC: a CPU has none.
 * Task context.
 */
int hw_breakpoint_reserve(struct hw_breakpoint *bp);
/* Gives it back. The breakpoint is stopped. Task context. */
void hw_breakpoint_release(struct hw_breakpoint *bp);
