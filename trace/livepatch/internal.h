/* The interface between the files of trace/livepatch/. */
#pragma once

#include "kernel/sched/mutex.h"
#include "kernel/sched/livepatch.h"
#include "trace/ftrace/ftrace.h"
#include "trace/livepatch/livepatch.h"

/* Protects patches and transitions. Taken before the mutexes of tracing and of the file systems. */
extern struct mutex klp_mutex;
/* The patch that is in transition, or NULL. [klp_mutex] to write */
extern struct klp_patch *klp_transition_patch;

#define klp_for_each_object(patch, obj) for (obj = (patch)->objs; obj->funcs; obj++)
#define klp_for_each_func(obj, func)                                                               \
	for (func = (obj)->funcs; func->old_name || func->new_func; func++)
/* All functions of a patch that are there to be replaced: of the image, and of loaded modules. */
#define klp_for_each_loaded_func(patch, obj, func)                                                 \
	klp_for_each_object (patch, obj)                                                           \
		if (!klp_is_loaded(obj)) {                                                         \
		} else                                                                             \
			klp_for_each_func (obj, func)

static inline bool klp_is_loaded(const struct klp_object *obj)
{
	return !obj->name || smp_load_acquire(&obj->mod);
}

/* A replaced function: its ftrace_ops, and the stack of functions that replace it. */
struct klp_ops {
	struct ftrace_ops fops;
	struct list_head node;           /* [klp_mutex] in klp_ops_list or klp_unpatched */
	struct list_head func_stack;     /* [klp_mutex] to write, RCU-tasks; of klp_func */
	struct ftrace_trampoline *tramp; /* fops' trampoline, while in klp_unpatched */
};

/* ---- trace/livepatch/patch.c: klp_mutex held ---- */

/* Finds the function's old and new code. The object is loaded. 0 or -EINVAL. */
int klp_init_func(const struct klp_object *obj, struct klp_func *func);
/* Makes func the newest replacement of old_func. 0, -EINVAL, -EPERM, -ENOMEM, -ENODEV. */
int klp_patch_func(struct klp_func *func);
/*
 * Removes func from the replacements of old_func. Handlers may still read func: call
 * synchronize_rcu_tasks() next, and then klp_free_unpatched(). -ENODEV: an error has shut ftrace
 * down, and calls of func may never end.
 */
int klp_unpatch_func(struct klp_func *func);
/* Frees the ops that klp_unpatch_func() has unlinked. The grace period must be over. */
void klp_free_unpatched(void);
/*
 * Returns the code that func replaces. A task inside this code cannot switch yet. func must be
 * patched.
 */
const struct klp_code *klp_replaced_code(const struct klp_func *func);
/* True if the call that returns to return_address lies in the code. */
static inline bool klp_code_has_call(const struct klp_code *code, unsigned long return_address)
{
	unsigned long ip = return_address - 1;

	return (ip >= code->start && ip < code->end) ||
	       (ip >= code->cold_start && ip < code->cold_end);
}

/* ---- trace/livepatch/transition.c: klp_mutex held ---- */

/*
 * Prepares a transition of all tasks to state. No task can switch yet. The caller may patch the
 * functions after this.
 */
void klp_init_transition(struct klp_patch *patch, int state);
/* Removes the functions of klp_transition_patch, before any task has switched. */
void klp_cancel_transition(void);
/* Lets the tasks switch from now on. */
void klp_start_transition(void);
/* Adds a function to klp_transition_patch after its transition has started. */
void klp_join_transition(struct klp_func *func);
/* Switches all tasks that can switch now. Queues work that tries the other tasks again later. */
void klp_try_complete_transition(void);
/* Reverses the transition: tasks that have switched switch back. */
void klp_reverse_transition(void);
/* Switches all tasks, even those inside a replaced function. */
void klp_force_transition(void);

/* ---- trace/livepatch/livepatch.c: klp_mutex held ---- */

/* Removes a patch after all tasks have stopped to call its functions. */
void klp_free_patch(struct klp_patch *patch);
/* Handles a write to `enabled`. 0, -EINVAL, -EBUSY. */
int klp_set_enabled(struct klp_patch *patch, bool enabled);

/* ---- trace/livepatch/files.c ---- */

/* Creates /sys/kernel/livepatch/NAME. 0, -EEXIST, -ENOMEM. Task context. */
int klp_create_files(struct klp_patch *patch);
/* Removes the directory. On return no reader of a file uses patch. Task context. */
void klp_remove_files(struct klp_patch *patch);
