/* Declarations shared by the files of trace/fgraph. G: fgraph_mutex held. */
#pragma once

#include "kernel/sched/mutex.h"
#include "trace/fgraph/fgraph.h"

extern struct mutex fgraph_mutex; /* G: protects users and task_struct.trace; before ftrace_lock */

extern struct fgraph_ops *fgraph_array[FGRAPH_ARRAY_SIZE]; /* [G] to write; &fgraph_stub: free */
extern u32 fgraph_epoch;                                   /* [G] to write: registrations so far */

/* return_to_handler calls it. [G] to write */
extern void (*ftrace_return_to_handler)(struct ftrace_regs *fregs);
/* Is ftrace_return_to_handler while a user wants all registers: saves them, then continues below */
void fgraph_save_regs(struct ftrace_regs *fregs);
extern void (*ftrace_return_with_regs)(struct ftrace_regs *fregs); /* [G] to write */

/*
 * Slow parts of the stubs (trace/fgraph/inline.h). fgraph_join_frame(): the return address in slot
 * is already replaced. If another user has done that for this call, it calls entryfunc of gops and
 * returns true.
 */
bool fgraph_join_frame(struct fgraph_stack *stack, unsigned long *slot, struct fgraph_ops *gops,
		       unsigned long ip, struct ftrace_regs *fregs);
/*
 * Finds the frame of slot when it is not the innermost one: the frames above it belong to functions
 * that did not return. Removes these frames.
 */
struct fgraph_frame *fgraph_unwind_to(struct fgraph_stack *stack, const unsigned long *slot);
/*
 * A user's call gets no frame: its task has no shadow stack (NULL), or a full one. Counts that, and
 * calls the lostfunc of gops.
 */
void fgraph_no_frame(struct fgraph_stack *stack, struct fgraph_ops *gops, unsigned long ip);
/*
 * Removes the innermost frame, whose function never returns. Calls the lostfuncs. Preemption off.
 */
void fgraph_lose_frame(struct fgraph_stack *stack);
/* Calls the retfunc of each user of frame, the innermost one. */
void fgraph_call_users(struct fgraph_stack *stack, struct fgraph_frame *frame,
		       struct ftrace_regs *fregs);

/*
 * Gives a shadow stack to every task without one, and to all new tasks. Returns 0, or -ENOMEM and
 * undoes that. *unused: stacks to free after fgraph_mutex is dropped, may be NULL. G held.
 */
int fgraph_alloc_stacks(struct fgraph_stack **unused);
/*
 * Stops giving stacks to tasks. Returns the stacks without frames, to free after fgraph_mutex is
 * dropped; frees the others later. There are no users, and no entryfunc runs. G held.
 */
struct fgraph_stack *fgraph_release_stacks(void);
/* Frees a list of stacks after a grace period of RCU. Task context, no lock held. */
void fgraph_free_stacks(struct fgraph_stack *list);

int fgraph_stack_count(void);      /* stacks that exist; any context */
unsigned fgraph_users(void);       /* G held */
u64 fgraph_unmatched_frames(void); /* frames of functions that did not return; any context */
