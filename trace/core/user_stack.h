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

/* Filled by user_file.c, which is linked with programs; NULL without. Task context. */
struct user_files {
	/* The memory of a process, with its mmap_lock held; NULL: the process has ended. */
	struct mm_struct *(*get)(pid_t tgid);
	/*
	 * Prints the file that is mapped at ip, and the distance from the start of its area. False:
	 * no file is there.
	 */
	bool (*print)(struct trace_iterator *iter, struct mm_struct *mm, unsigned long ip);
	void (*put)(struct mm_struct *mm);
};
extern const struct user_files *user_files;
