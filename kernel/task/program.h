/*
 * What the core asks of programs. arch/user/fpu.c (switch_to) and kernel/process/exit.c (the
 * others) fill it at boot, before the first program runs. Without programs all members stay NULL:
 * the kernel has kernel threads alone, and PID 1, a task that is no kernel thread, but has no mm.
 */
#pragma once

#include "kernel/compiler.h"

struct signal_struct;
struct task_struct;

struct program_ops {
	/*
	 * The CPU switches from prev to next, and one of them is a program: loads the address
	 * space, and saves and loads the registers that only programs use. Before __switch_to(). R
	 * held, interrupts off. Not called while it is NULL: no task has an mm.
	 */
	void (*switch_to)(struct task_struct *prev, struct task_struct *next);
	/*
	 * do_exit() of the current task, which is no kernel thread. Does not return. NULL: PID 1
	 * must not end.
	 */
	void (*exit)(int status);
	/*
	 * father, a kernel thread that ends, has children: they get another parent. Not called
	 * while it is NULL: only kernel/process makes children.
	 */
	void (*forget_children)(struct task_struct *father);
	/* The last reference to signal goes: frees the signals that wait there. NULL: none wait. */
	void (*free_signals)(struct signal_struct *signal);
	/* The current task has exceeded a limit, which only a program has: sig is sent to it. */
	void (*send_sig)(int sig);
};

extern struct program_ops program_ops;
