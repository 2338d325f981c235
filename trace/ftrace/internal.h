/* Between the files of dynamic ftrace: trace/ftrace*.c. */
#pragma once

#include "kernel/sched/mutex.h"
#include "trace/ftrace/ftrace.h"
#include "trace/ftrace/hash.h"

struct text_patch;

extern struct mutex ftrace_lock;         /* F: records, ops, hashes */
extern struct list_head ftrace_ops_list; /* [F] to write; list_for_each_entry_rcu(), RCU-tasks */

/*
 * Give ops these hashes (NULL: empty), free those it had when nobody reads them any more; sites
 * follow if it is registered. Takes the hashes over, whatever it returns; on an error ops keeps
 * those it has: -EINVAL, -EPERM, -ENOMEM, -ENODEV (but for the very call that has shut ftrace down:
 * then the sites stay). ftrace_lock held.
 */
int ftrace_replace_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *notrace_hash);
/*
 * Change hash by one word of a filter: a name, a pattern, a number from 1 on, any with '!' before
 * it. 0 and the changed copy in *result, -EINVAL, -ENOMEM. Task context.
 */
int ftrace_match_records(const struct ftrace_hash *hash, const char *word,
			 struct ftrace_hash **result);
/* Calls all ops that want ip: ftrace_caller and ftrace_regs_caller lead here. */
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *unused,
			  struct ftrace_regs *fregs);
/* Is it one of the functions of trace/ftrace/ops.c through which callbacks are called? Any context.
 */
bool ftrace_calls_callbacks(unsigned long func);

/*
 * The halves of unregister_ftrace_function(), for who takes several ops away and waits for one
 * grace period of RCU-tasks: begin for each, with its errors; then wait; then end, with what begin
 * has put into *tramp, be it NULL. ops stays until then. Task context.
 */
int ftrace_unregister_begin(struct ftrace_ops *ops, struct ftrace_trampoline **tramp);
void ftrace_unregister_end(struct ftrace_trampoline *tramp);

/* set_ftrace_pid has perhaps begun or ended to leave tasks out. Task context. */
void ftrace_update_pid_func(void);
/*
 * Changes the callback of ops, which may be registered: then calls that have begun still run the
 * old callback. Does not wait. Task context.
 */
void ftrace_set_func(struct ftrace_ops *ops, ftrace_func_t func);

/* ---- trace/tracers/function/pids.c ---- */

struct trace_array;

/* Some tasks are left out in tr. Any context. */
bool ftrace_pids_filter(struct trace_array *tr);

/* ---- trace/ftrace/update.c ---- */

/* What one ops wants: nothing while it is not registered. A hash is NULL or not empty. */
struct ftrace_wish {
	bool registered;
	const struct ftrace_hash *filter, *notrace_hash;
};

/*
 * A change of one ops: the sites go from what all ops wanted before to what they want now. [F]
 */
struct ftrace_change {
	struct ftrace_ops *ops;
	struct ftrace_wish before, after;
	unsigned sites; /* how many it concerns at most: by ftrace_change_plan() */
};

/* May it be done? 0, or -EINVAL or -EPERM because of IPMODIFY. Changes nothing. */
int ftrace_change_plan(struct ftrace_change *change);
/*
 * Patch the sites, in one batch, with memory of ftrace_change_alloc() (NULL: in several, if they
 * are more than a few). 0, or -ENODEV, and ftrace is shut down.
 */
int ftrace_change_commit(const struct ftrace_change *change, struct text_patch *patches);
/* Memory for a planned change: *patches (NULL when few will do). 0 or -ENOMEM. */
int ftrace_change_alloc(unsigned sites, struct text_patch **patches);

/*
 * The ops of a change that could not be done, and so shut ftrace down, has left the list: have the
 * records say again what the others want. [F]
 */
void ftrace_records_restore(void);

/* Apply a batch: 0, or -ENODEV, and ftrace is shut down; then nothing was written. [F] */
int ftrace_apply_patches(const struct text_patch *patches, size_t count);
/* Nobody may change anything any more. Any context. */
void ftrace_shut_down(void);
/* The end: no site calls anybody any more, whoever is registered. Task context. */
void ftrace_turn_all_off(void);
/* The ops whose trampoline the site of rec calls, NULL if it calls none. [F] */
struct ftrace_ops *ftrace_trampoline_ops(const struct dyn_ftrace *rec);

static __always_inline bool ftrace_hashes_want(const struct ftrace_hash *filter,
					       const struct ftrace_hash *notrace_hash, u32 offset)
{
	if (filter && !ftrace_hash_contains(filter, offset))
		return false;
	return likely(!notrace_hash) || !ftrace_hash_contains(notrace_hash, offset);
}

/* Any context, as a reader of RCU-tasks. */
static __always_inline bool ftrace_ops_want(const struct ftrace_ops *ops, u32 offset)
{
	return ftrace_hashes_want(READ_ONCE(ops->filter_hash), READ_ONCE(ops->notrace_hash),
				  offset);
}
