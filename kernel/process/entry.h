/*
 * The way of a task back to user mode. arch/irq/return_to_user.asm calls it, through
 * ring3_ops.exit_loop.
 */
#pragma once

struct pt_regs;

/*
 * Does what user_work and quiescent_work of the current task ask for, and reschedules, until
 * nothing is left to do. Called before a return to user mode with the registers regs. Interrupts
 * off, and off again at the end.
 */
void exit_to_user_mode_loop(struct pt_regs *regs);
