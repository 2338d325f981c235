/*
 * The machine's part of ptrace(2): registers of a tracee, single steps, system calls. Unless a
 * function says something else, task is frozen: kernel/ptrace/ptrace.h.
 */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/sched/sched.h"

/* Requests of this machine. -EIO: none has that number. */
long arch_ptrace(struct task_struct *task, long request, unsigned long addr, unsigned long data);

/*
 * The task traps after its next instruction, or not any more. disable: also the current task, or
 * one that has stopped.
 */
void user_enable_single_step(struct task_struct *task);
void user_disable_single_step(struct task_struct *task);

/* A set of registers of PTRACE_GETREGSET. 0 or a negative errno; buf has all of the set. */
struct user_regset {
	size_t (*size)(void);
	long (*get)(struct task_struct *task, void *buf);
	/* The first len bytes are new. */
	long (*set)(struct task_struct *task, const void *buf, size_t len);
};
/* NULL: no set has that type (NT_*). */
const struct user_regset *arch_regset(unsigned type);
extern const struct user_regset fpu_regset, xstate_regset;

/* Debug register i, 0 to 7. The errors are those of PTRACE_POKEUSER; -ENOSPC: none is free. */
u64 ptrace_get_debugreg(struct task_struct *task, unsigned i);
long ptrace_set_debugreg(struct task_struct *task, unsigned i, u64 value);
/*
 * The task executes one instruction, or not any more. May sleep only if on; not on: also of the
 * current task.
 */
void ptrace_step_debugregs(struct task_struct *task, bool on);
