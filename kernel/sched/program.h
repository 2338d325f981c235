/*
 * What the scheduler asks of programs. A task is a program while it has an mm; without programs
 * none has, and nothing here is called. arch/user/fpu.c fills it, before the first program runs.
 */
#pragma once

#include "kernel/compiler.h"

struct task_struct;

struct program_ops {
	/*
	 * The CPU switches from prev to next, and one of them is a program: loads the address
	 * space, and saves and loads the registers that only programs use. Before __switch_to(). R
	 * held, interrupts off.
	 */
	void (*switch_to)(struct task_struct *prev, struct task_struct *next);
};

extern struct program_ops program_ops;
