/* Declarations shared by the files of dynamic ftrace. F: ftrace_lock held. */
#pragma once

#include "kernel/sections.h"
#include "kernel/sched/mutex.h"
#include "trace/ftrace/ftrace.h"
#include "trace/ftrace/hash.h"

struct text_patch;

extern struct mutex ftrace_lock;         /* F: protects records, ops and hashes */
extern struct list_head ftrace_ops_list; /* [F] to write; list_for_each_entry_rcu(), RCU-tasks */

/*
 * Gives ops these hashes (NULL: empty), and updates its sites if it is registered. Frees the old
 * hashes after a grace period of RCU-tasks. Takes the new hashes over, also on an error; on an
 * error ops keeps its old hashes: -EINVAL, -EPERM, -ENOMEM, -ENODEV. One exception: if the
 * patches of this call fail, which shuts ftrace down, ops has the new hashes, and the call returns
 * -ENODEV. [F]
 */
int ftrace_replace_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *notrace_hash);
/*
 * Copies hash and changes the copy by one word of a filter: a name, a pattern, or a number from 1
 * on; a '!' before the word removes functions. Returns 0 and the copy in *result, or -EINVAL or
 * -ENOMEM. Task context.
 */
int ftrace_match_records(const struct ftrace_hash *hash, const char *word,
			 struct ftrace_hash **result);
/* Calls all ops that want ip. ftrace_caller and ftrace_regs_caller call it. */
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *unused,
			  struct ftrace_regs *fregs);

/*
 * The two halves of unregister_ftrace_function(), for a caller that unregisters several ops with
 * one grace period. Call begin for each ops, with the same errors; then synchronize_rcu_tasks();
 * then end for each, with the *tramp of begin (may be NULL). ops must exist until then. Task
 * context.
 */
int ftrace_unregister_begin(struct ftrace_ops *ops, struct ftrace_trampoline **tramp);
void ftrace_unregister_end(struct ftrace_trampoline *tramp);
/*
 * Changes the callback of ops, which may be registered: then calls that have begun still run the
 * old callback. Does not wait. Task context.
 */
void ftrace_set_func(struct ftrace_ops *ops, ftrace_func_t func);

/* ---- trace/ftrace/update.c ---- */

/* The sites that one ops wants: none while it is not registered. A hash is NULL or not empty. */
struct ftrace_request {
	bool registered;
	const struct ftrace_hash *filter, *notrace_hash;
};

/* A change of what one ops wants. Commit updates the sites that differ. [F] */
struct ftrace_change {
	struct ftrace_ops *ops;
	struct ftrace_request before, after;
	unsigned sites; /* upper limit of the sites that differ, from ftrace_change_plan() */
};

/* Checks whether a change is allowed: 0, or -EINVAL, -EPERM or -EBUSY. Changes nothing. [F] */
int ftrace_change_plan(struct ftrace_change *change);
/*
 * Patches the sites in one batch, with memory of ftrace_change_alloc(). With patches NULL it uses
 * several batches if there are more than a few sites. Returns 0, or -ENODEV and ftrace is shut
 * down. [F]
 */
int ftrace_change_commit(const struct ftrace_change *change, struct text_patch *patches);
/* Allocates the patches of a planned change; NULL if it needs only a few. Returns 0 or -ENOMEM. */
int ftrace_change_alloc(unsigned sites, struct text_patch **patches);

/*
 * Computes all records again from the ops in the list. Called after a change has failed, and so
 * shut ftrace down, and its ops has left the list. [F]
 */
void ftrace_records_restore(void);

/* Applies a batch. Returns 0, or -ENODEV: nothing is written, and ftrace is shut down. [F] */
int ftrace_apply_patches(const struct text_patch *patches, size_t count);
/* Forbids all further changes, for ever. Any context. */
void ftrace_shut_down(void);
/* Makes nops of all sites after a shutdown, and removes all ops from the list. Task context. */
void ftrace_turn_all_off(void);
/* Returns the ops with the trampoline that the site of rec calls; NULL if it calls none. [F] */
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

/*
 * Makes new sites, which are nops, call what the registered ops want: the records are sorted, and
 * have no flags. 0, -ENOMEM, or -ENODEV. [F]
 */
int ftrace_update_new_records(struct dyn_ftrace *records, unsigned count);

/* ---- trace/ftrace/hash.c ---- */

/*
 * Removes the sites in [start, end), which are offsets, from all sets. A dummy entry takes the
 * place of each. It keeps the set non-empty, because an empty set means all functions. Any task.
 */
void ftrace_hashes_forget(u32 start, u32 end);

/* ---- trace/ftrace/module.c: the records of modules, behind those of the kernel ---- */

extern unsigned ftrace_nr_module_records; /* [F] */
/*
 * Finds these records. module.c fills it in a core initcall; it is constant afterwards. NULL: there
 * are no modules.
 */
struct ftrace_module_ops {
	struct dyn_ftrace *(*record)(unsigned index);     /* below ftrace_nr_module_records [F] */
	struct dyn_ftrace *(*location)(unsigned long ip); /* as ftrace_location() */
};
extern struct ftrace_module_ops ftrace_module_ops;

static inline struct dyn_ftrace *ftrace_module_location(unsigned long ip)
{
	return ftrace_module_ops.location ? ftrace_module_ops.location(ip) : NULL;
}

/* ---- trace/ftrace/oops.c ---- */

/*
 * A room above ftrace that calls callbacks itself, for an oops inside a callback. All functions run
 * with interrupts off in an oops, and take no lock.
 */
struct ftrace_oops_user {
	bool (*is_caller)(unsigned long ip); /* ip is in code of the room that calls callbacks */
	void (*silence)(void);               /* calls no callback any more */
	/* The code of ip has preemption off, and trace_recursion does not count that. */
	bool (*hides_preempt_off)(unsigned long ip);
	/* current has faulted in a callback and does not return. Preemption off. */
	void (*abandon)(void);
	struct mutex *mutex;           /* current must not die with it held */
	struct ftrace_oops_user *next; /* [C] */
};
/* At boot, one after another. */
void ftrace_add_oops_user(struct ftrace_oops_user *user);
