/* Unwinding by frame pointers, across interrupt frames and IST stacks. */
#pragma once

#include "arch/x86_64/ptrace.h"
#include "kernel/compiler.h"

struct task_struct;

/*
 * Return addresses, innermost first, into entries; how many. skip leaves out that many callers of
 * stack_trace_save(). A running task other than current gives 0. Any context.
 */
unsigned stack_trace_save_regs(struct pt_regs *regs, unsigned long *entries, unsigned max);
unsigned stack_trace_save(unsigned long *entries, unsigned max, unsigned skip);
unsigned stack_trace_save_task(struct task_struct *task, unsigned long *entries, unsigned max);
/* Whether addr lies on that task's own stack (and not on an interrupt stack, say). Any context. */
bool stack_is_of_task(const struct task_struct *task, const void *addr);
/* Print "Call Trace:" with symbols. regs NULL: from here. */
void show_stack_regs(struct pt_regs *regs);
void show_stack_task(struct task_struct *task);
void show_regs(struct pt_regs *regs);
void dump_stack(void);
