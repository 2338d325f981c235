/* A walk along frame pointers: unwind.c, for the files of arch/unwind only. Any context. */
#pragma once

#include "kernel/types.h"

struct task_struct;

struct stack_bounds {
	unsigned long low, high;
};

struct unwind {
	/* its stack may be read; the stacks of this CPU too if it is current */
	struct task_struct *task;
	unsigned long bp;
	unsigned long ip;
	/* the caller of a function that was interrupted before it had a frame, or 0 */
	unsigned long extra_ip;
	struct stack_bounds stack; /* where the next frame is, if it is on the same stack */
	int return_idx;            /* state of unwind_return_hook */
};

/* Moves to the caller. Returns false at the end. */
bool unwind_next(struct unwind *u);
/* Stores u->ip and its callers, but the first skip ones. Returns their number. */
unsigned unwind_save(struct unwind *u, unsigned long *entries, unsigned max, unsigned skip);
