/* Stacks of programs in the trace (option userstacktrace). */
#pragma once

#include "trace/core/trace_array.h"

struct mm_struct;
struct trace_iterator;

/*
 * Writes a TRACE_USER_STACK entry: where the current task's program was when it entered the kernel.
 * The entry of a task without a program has no callers. Not in NMI: there it writes nothing.
 * Preemption off.
 */
void ftrace_trace_userstack(struct trace_array *tr, u32 ctx);

/*
 * Filled by user_program.c, which is linked with programs; NULL without. save() runs in any context
 * but NMI, the others in task context.
 */
struct user_stack_ops {
	/* Stores the stack of the current program. Returns the number of entries. */
	unsigned (*save)(unsigned long *entries, unsigned max);
	/* The memory of a process, with its mmap_lock held; NULL: the process has ended. */
	struct mm_struct *(*get)(pid_t tgid);
	/*
	 * Prints the file that is mapped at ip, and the distance from the start of its area. False:
	 * no file is there.
	 */
	bool (*print)(struct trace_iterator *iter, struct mm_struct *mm, unsigned long ip);
	void (*put)(struct mm_struct *mm);
};
extern const struct user_stack_ops *user_stack_ops;
