/* Unwinding by frame pointers, across interrupt frames and IST stacks. */
#pragma once

#include "arch/x86_64/ptrace.h"
#include "kernel/compiler.h"

struct task_struct;

/* Return addresses, innermost first, into entries; how many. A running task other than current gives 0. Any context. */
unsigned stack_trace_save_regs(struct pt_regs *regs, unsigned long *entries, unsigned max);
unsigned stack_trace_save(unsigned long *entries, unsigned max, unsigned skip);
unsigned stack_trace_save_task(struct task_struct *task, unsigned long *entries, unsigned max);
/* Print "Call Trace:" with symbols. regs NULL: from here. */
void show_stack_regs(struct pt_regs *regs);
void show_stack_task(struct task_struct *task);
void show_regs(struct pt_regs *regs);
void dump_stack(void);
