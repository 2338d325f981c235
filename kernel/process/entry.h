/* The way of a task back to user mode. Called by arch/user/entry_syscall.asm. */
#pragma once

struct pt_regs;

/*
 * Does the work of current->exit_work and reschedules, until nothing is left to do. Called before a
 * return to user mode with the registers regs. Interrupts off, and off again at the end.
 */
void exit_to_user_mode_loop(struct pt_regs *regs);
