/* What the files about ops share. [F]: ftrace_lock held. */
#pragma once

#include "trace/ftrace/internal.h"

/* ---- ops.c ---- */

/* Chooses ops->func and ops->list_func by the flags and the filter of PIDs. [F] */
void ftrace_choose_func(struct ftrace_ops *ops);
/* Returns the function that the trampoline of ops calls. */
ftrace_func_t ftrace_trampoline_target(const struct ftrace_ops *ops);

/* ---- register.c ---- */

/* A registration that failed: what to free (may be NULL) after ftrace_lock is dropped. */
struct failed_registration {
	bool was_listed; /* list walkers may see the ops */
	struct ftrace_trampoline *tramp;
};

/*
 * register_ftrace_function() but for ftrace_finish_failed(), which the caller calls after it has
 * dropped ftrace_lock. of_ftrace: flags that ops may have although they are not the owner's. [F]
 */
int ftrace_register_locked(struct ftrace_ops *ops, unsigned long of_ftrace,
			   struct failed_registration *failed);
void ftrace_finish_failed(const struct failed_registration *failed);
/* Adds ops to ftrace_ops_list: before all with code in front of a function, or at the end. [F] */
void ftrace_enter_list(struct ftrace_ops *ops);
/*
 * Removes ops from the list, and its calls from all sites. *tramp: its trampoline, to be freed
 * after a grace period. 0 or -ENODEV. [F]
 */
int ftrace_detach(struct ftrace_ops *ops, struct ftrace_trampoline **tramp);

/* What ops wants now. [F] */
static inline struct ftrace_request ftrace_current_request(const struct ftrace_ops *ops)
{
	return (struct ftrace_request){ true, ops->filter_hash, ops->notrace_hash };
}

/* ---- direct.c ---- */

/* Attaches code in front of functions; flags: 0, or FTRACE_OPS_FL_JMP. As ftrace_attach_code(). */
int ftrace_attach_in_front(struct ftrace_ops *ops, unsigned long flags,
			   const struct ftrace_direct_code *code);
