/* Unwinding by frame pointers, across interrupt frames and IST stacks. */
#pragma once

#include "arch/ptrace.h"
#include "kernel/compiler.h"

struct task_struct;

/*
 * Of the trace room, which replaces return addresses: what the address ret, found at slot on task's
 * stack, was. idx: 0 at the innermost frame, then the hook's. NULL: all addresses are true ones.
 * Any context.
 */
extern unsigned long (*unwind_return_hook)(struct task_struct *task, int *idx, unsigned long ret,
					   unsigned long *slot);
/* Where the function that this stands in returns to. */
#define _RET_IP_ real_return_address((unsigned long *)__builtin_frame_address(0) + 1)
/* The same of the running task's frame whose return address is at slot. Any context. */
void *real_return_address(unsigned long *slot);

/*
 * Return addresses, innermost first, into entries; how many. skip leaves out that many callers of
 * stack_trace_save(). A running task other than current gives 0. Any context.
 */
unsigned stack_trace_save_regs(struct pt_regs *regs, unsigned long *entries, unsigned max);
unsigned stack_trace_save(unsigned long *entries, unsigned max, unsigned skip);
unsigned stack_trace_save_task(struct task_struct *task, unsigned long *entries, unsigned max);
/* Does any function on the stack satisfy is_wanted, which is given its return address? Likewise. */
bool stack_trace_find_regs(struct pt_regs *regs, bool (*is_wanted)(unsigned long ip));
/*
 * Give consume each return address on task's stack, innermost first: the call stands before it, at
 * ip - 1. Of current, or of a task that is kept from running meanwhile. 0 when that were all, and
 * beyond doubt; what consume returned, if that was not 0; -EINVAL when somebody might be missing:
 * the task was interrupted, is in a trampoline, or something is not as it should be. As Linux's
 * arch_stack_walk_reliable(). Any context.
 */
int arch_stack_walk_reliable(struct task_struct *task, int (*consume)(void *arg, unsigned long ip),
			     void *arg);
/* Whether addr lies on that task's own stack (and not on an interrupt stack, say). Any context. */
bool stack_is_of_task(const struct task_struct *task, const void *addr);
/* Print "Call Trace:" with symbols. regs NULL: from here. */
void show_stack_regs(struct pt_regs *regs);
void show_stack_task(struct task_struct *task);
void show_regs(struct pt_regs *regs);
void dump_stack(void);
