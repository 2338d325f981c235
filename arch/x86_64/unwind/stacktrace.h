/* Stack traces by frame pointers, across interrupt frames and IST stacks. */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/compiler.h"

/*
 * Whether a frame pointer is that of the code that calls callbacks of ftrace. Its frame has three
 * words: rbp at the call site, the address behind the site, and the return address of the traced
 * function. Frames of functions, which have one return address, are at multiples of 16. In the
 * first word, the bit FTRACE_ALL_SAVED tells ftrace_get_regs() that all registers are saved.
 */
#define IS_SITE_FRAME(bp) ((bp)&8)
#define SITE_FRAME_SIZE   24
#define FTRACE_ALL_SAVED  2UL

struct task_struct;

/*
 * Set by trace/fgraph, which replaces return addresses by unwind_replaced. Returns the original of
 * the address ret, which is at slot on task's stack. *idx is 0 at the innermost frame and belongs
 * to the hook afterwards. NULL: no address is replaced. Any context.
 */
extern unsigned long (*unwind_return_hook)(struct task_struct *task, int *idx, unsigned long ret,
					   unsigned long *slot);
extern unsigned long unwind_replaced;
/*
 * Set by the part of the kernel whose generated code calls traced functions: whether ip is behind
 * such a call. The code has a frame, and no callback runs. NULL: there is no such code. Any
 * context.
 */
extern bool (*is_generated_call)(unsigned long ip);
/* The return address of the current function. */
#define _RET_IP_ real_return_address((unsigned long *)__builtin_frame_address(0) + 1)
/* The return address of the function that has called the current one, which is noinline. */
#define _CALLER_RET_IP_ real_return_address(*(unsigned long **)__builtin_frame_address(0) + 1)
/* Returns the original return address at slot, in a frame of the current task. Any context. */
void *real_return_address(unsigned long *slot);

/*
 * Store return addresses in entries, innermost first, and return their number. skip omits that many
 * callers of stack_trace_save(). A task that runs and is not current gives 0. Any context.
 */
unsigned stack_trace_save_regs(struct pt_regs *regs, unsigned long *entries, unsigned max);
unsigned stack_trace_save(unsigned long *entries, unsigned max, unsigned skip);
unsigned stack_trace_save_task(struct task_struct *task, unsigned long *entries, unsigned max);
/*
 * The same for the program of the current task: the address at which it entered the kernel, and the
 * return addresses that its frame pointers lead to. 0 for a kernel task, and where a switch has
 * loaded the memory of the next program. Does not wait for pages. Preemption off; any context but
 * NMI.
 */
unsigned stack_trace_save_user(unsigned long *entries, unsigned max);
/*
 * As stack_trace_save_user() for given registers of the current program: those of an interrupt, or
 * task_pt_regs(). Others give 0. The caller knows that the memory of the program is loaded, which
 * is not so at the end of a switch. Any context but NMI.
 */
unsigned stack_trace_save_user_regs(const struct pt_regs *regs, unsigned long *entries,
				    unsigned max);
/*
 * Returns whether is_wanted() is true for the return address of any function on the stack. Any
 * context.
 */
bool stack_trace_find_regs(struct pt_regs *regs, bool (*is_wanted)(unsigned long ip));
/*
 * Calls consume with each return address on task's stack, innermost first. The call instruction
 * ends at ip - 1. task is current, or the caller keeps it from running. Like Linux's function of
 * the same name. Any context.
 *
 *	0		the trace is complete and reliable
 *	not 0		the value that consume returned, which ended the walk
 *	-EINVAL		a function may be missing: the task was interrupted, is in a
 *			trampoline, or its stack is damaged
 */
int arch_stack_walk_reliable(struct task_struct *task, int (*consume)(void *arg, unsigned long ip),
			     void *arg);
/* Returns whether addr lies on task's own stack, and not on an interrupt stack. Any context. */
bool stack_is_of_task(const struct task_struct *task, const void *addr);
/* Prints "Call Trace:" with symbols, from regs, or from the caller if regs is NULL. */
void show_stack_regs(struct pt_regs *regs);
void show_stack_task(struct task_struct *task);
void show_regs(struct pt_regs *regs);
void dump_stack(void);
