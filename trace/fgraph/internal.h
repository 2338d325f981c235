/* Between the files of trace/fgraph*.c. */
#pragma once

#include "kernel/sched/mutex.h"
#include "trace/fgraph/fgraph.h"

extern struct mutex fgraph_mutex; /* G: users; who has a shadow stack. Before ftrace_lock */

extern struct fgraph_ops *fgraph_array[FGRAPH_ARRAY_SIZE]; /* [G] to write; &fgraph_nobody: free */
extern u32 fgraph_epoch;                                   /* [G] to write: registrations so far */

/* Whom return_to_handler calls. [G] to write */
extern void (*ftrace_return_to_handler)(struct ftrace_regs *fregs);

/*
 * Slow parts of the stubs (trace/fgraph/inline.h). join: the return address in slot has been
 * replaced; true if it was for this very call, and gops has been asked.
 */
bool fgraph_join_frame(struct fgraph_stack *stack, unsigned long *slot, struct fgraph_ops *gops,
		       unsigned long ip, struct ftrace_regs *fregs);
/*
 * The innermost frame is not that of the function that returns to slot: those above it belong to
 * functions that were left in some other way than by returning. Throws them away.
 */
struct fgraph_frame *fgraph_unwind_to(struct fgraph_stack *stack, const unsigned long *slot);
/* Call the retfunc of each user of frame, the innermost one. */
void fgraph_tell_users(struct fgraph_stack *stack, struct fgraph_frame *frame,
		       struct ftrace_regs *fregs);

/*
 * Give a shadow stack to every task that has none, and to those born from now on. 0, or -ENOMEM
 * (taken away again). G held.
 */
int fgraph_give_stacks(void);
/*
 * There are no users any more, no callback runs: free what is not in use, and the rest as it
 * becomes free. G held.
 */
void fgraph_take_stacks(void);

/* The end: no return is told to anybody any more. Any context. */
void fgraph_silence(void);
/*
 * Is it the entry stub of a user's own (DEFINE_FGRAPH_STUBS())? It keeps preemption off without
 * saying so in trace_recursion. Preemption off.
 */
bool fgraph_is_entry_stub(unsigned long func);
/*
 * current has faulted in an entryfunc, and will not come back: a frame whose return address was not
 * replaced yet goes, with what lies above it. Preemption off.
 */
void fgraph_abandon_entries(void);
/* Is it one of the functions of fgraph.c through which callbacks are called? Any context. */
bool fgraph_calls_callbacks(unsigned long func);

int fgraph_stack_count(void);      /* stacks that exist; any context */
unsigned fgraph_users(void);       /* G held */
u64 fgraph_unmatched_frames(void); /* of functions that were left without a return; any context */
