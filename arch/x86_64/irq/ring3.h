/*
 * What the entry code asks of the room of programs. arch/user/traps_user.c fills it at boot, before
 * the first program runs. Until then nothing enters from ring 3, and so nothing here is called.
 * Without programs all members stay NULL.
 */
#pragma once

#include "kernel/compiler.h"

struct pt_regs;

struct ring3_ops {
	/* The work before the return to ring 3. Interrupts off. return_to_user.asm: offset 0. */
	void (*exit_loop)(struct pt_regs *regs);
	/*
	 * An exception of the program: brings in a page, or sends a signal. address is CR2.
	 * Interrupts off, and maybe on at the end. entry.asm: offset 8.
	 */
	void (*exception)(struct pt_regs *regs, unsigned vector, unsigned long address);
	/*
	 * The kernel has accessed memory of the current program that is not there. 0: it is now;
	 * else the signal that the program would get. Interrupts on; may sleep.
	 */
	int (*kernel_access)(unsigned long address, unsigned long error_code, int *si_code);
	/* The same with the event and the hook of page faults (page_fault.h). Interrupts off. */
	int (*told_access)(struct pt_regs *regs, unsigned long address, int *si_code);
	/*
	 * The first instructions that SYSCALL leads to, in 64-bit and in 32-bit mode. Each #DB of
	 * the kernel is compared with them, also while they are NULL.
	 */
	const char *syscall_64, *syscall_compat;
};

extern struct ring3_ops ring3_ops;
