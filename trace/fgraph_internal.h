/* Between the files of trace/fgraph*.c. */
#pragma once

#include "kernel/locking/mutex.h"
#include "trace/fgraph.h"

extern struct mutex fgraph_mutex; /* G: users; who has a shadow stack. Before ftrace_lock */

/* arch/x86_64/fgraph_entry.asm: where hijacked functions return to, and whom it calls. */
void return_to_handler(void);
void ftrace_return_to_handler(struct ftrace_regs *fregs, unsigned long *slot);

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

int fgraph_stack_count(void);      /* stacks that exist; any context */
unsigned fgraph_users(void);       /* G held */
u64 fgraph_unmatched_frames(void); /* of functions that were left without a return; any context */
