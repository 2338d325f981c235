/* The delivery of signals to a program. */
#pragma once

struct pt_regs;

/*
 * Acts on the pending signals of the current task, which is about to return to ring 3 with these
 * registers: calls a handler, stops or ends the program, or begins an interrupted system call
 * again. Task context, interrupts on.
 */
void arch_do_signal(struct pt_regs *regs);
