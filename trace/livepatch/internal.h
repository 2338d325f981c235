/* Between the files of trace/livepatch*.c. */
#pragma once

#include "kernel/sched/mutex.h"
#include "kernel/sched/livepatch.h"
#include "trace/ftrace/ftrace.h"
#include "trace/livepatch/livepatch.h"

/* Patches and transitions. Before the mutexes of tracing and of the file systems. */
extern struct mutex klp_mutex;
/* Whose functions tasks go to, or come from, now; NULL. [klp_mutex] to write */
extern struct klp_patch *klp_transition_patch;

#define klp_for_each_func(patch, func)                                                             \
	for (func = (patch)->funcs; func->old_name || func->new_func; func++)

/* What is done to one replaced function: its ftrace_ops, and who replaces it. */
struct klp_ops {
	struct ftrace_ops fops;
	struct list_head node;           /* [klp_mutex] all of them */
	struct list_head func_stack;     /* [klp_mutex] klp_func.stack_node; RCU-tasks */
	struct ftrace_trampoline *tramp; /* of fops, when it is in klp_unpatched */
};

/* ---- trace/livepatch/patch.c: klp_mutex held ---- */

/* Find the function's old and new code: 0 or -EINVAL. */
int klp_init_func(struct klp_func *func);
/* From now on calls of old_func ask func first. 0, -EINVAL, -EPERM, -ENOMEM, -ENODEV. */
int klp_patch_func(struct klp_func *func);
/*
 * Not any more. A handler may still be looking at func: klp_synchronize_transition(), and then
 * klp_free_unpatched(). -ENODEV: ftrace was shut down by an error, and func may be called for ever.
 */
int klp_unpatch_func(struct klp_func *func);
/* What klp_unpatch_func() has left of all functions, which nobody looks at any more. */
void klp_free_unpatched(void);
/* What tasks are in that will call new_func: the code of whom it replaces. func is patched. */
const struct klp_code *klp_replaced_code(const struct klp_func *func);
static inline bool klp_code_has_call(const struct klp_code *code, unsigned long return_address)
{
	unsigned long ip = return_address - 1;

	return (ip >= code->start && ip < code->end) ||
	       (ip >= code->cold_start && ip < code->cold_end);
}

/* ---- trace/livepatch/transition.c: klp_mutex held ---- */

/* Every task shall go to state; nobody is asked yet. The functions may be patched after this. */
void klp_init_transition(struct klp_patch *patch, int state);
/* The functions of klp_transition_patch go again: no task has gone over. */
void klp_cancel_transition(void);
/* Ask the tasks to go over as they can. */
void klp_start_transition(void);
/* Have those go over that can; the rest is asked again later, by itself. */
void klp_try_complete_transition(void);
/* To the other side, also those that are there already. */
void klp_reverse_transition(void);
/* All, whatever they are in. */
void klp_force_transition(void);
/* What callbacks and tasks have read before, they are done with. */
void klp_synchronize_transition(void);

/* ---- livepatch.c: klp_mutex held ---- */

/* No task calls patch's functions any more: it goes. */
void klp_free_patch(struct klp_patch *patch);
/* What a write to `enabled` does. 0, -EINVAL, -EBUSY */
int klp_set_enabled(struct klp_patch *patch, bool enabled);

/* ---- trace/livepatch/files.c ---- */

/* Make /sys/kernel/livepatch/NAME. 0, -EEXIST, -ENOMEM. Task context. */
int klp_create_files(struct klp_patch *patch);
/* Take it away: on return nobody reads patch through a file. Task context. */
void klp_remove_files(struct klp_patch *patch);
