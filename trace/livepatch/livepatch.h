/*
 * Live patching replaces functions of the running kernel by other functions, task by task, and can
 * put the old ones back. docs/live-patching.md describes its use. Names and meanings are Linux's
 * (Documentation/livepatch/livepatch.rst).
 *
 * A patch is usually in a module. It replaces functions of objects: of the image, "vmlinux", and of
 * modules. Those of a module that is not loaded are replaced when it comes, before its init.
 */
#pragma once

#include "kernel/lib/list.h"

struct klp_files;
struct module;

/* The code of a function, with the rarely executed part that the compiler placed elsewhere. */
struct klp_code {
	unsigned long start, end, cold_start, cold_end;
};

/* A function to replace. The owner fills in the first two fields; live patching uses the rest. */
struct klp_func {
	const char *old_name;
	void *new_func; /* must have the same type as the old function */

	void *old_func;                /* [klp_mutex], as all fields below */
	struct klp_code old_code;      /* the function in the object */
	struct klp_code new_code;      /* new_func */
	const struct klp_code *leaves; /* the code that tasks leave in this transition */
	/* In klp_ops.func_stack, newest first; RCU-tasks to read. */
	struct list_head stack_node;
	bool patched;    /* stack_node is linked */
	bool transition; /* the task's patch_state decides; klp_ftrace_handler() reads this */
};

/* The functions to replace in the image or in a module. The owner fills in the first two fields. */
struct klp_object {
	const char *name;       /* of the module; NULL: the image */
	struct klp_func *funcs; /* the last one has no old_name and no new_func */

	/* [klp_mutex] to write, any context reads. NULL: the module is not loaded. */
	struct module *mod;
};

struct klp_patch {
	/*
	 * The module that has the patch and its functions. It stays until the patch is not in use.
	 */
	struct module *mod;
	const char *name; /* names its directory in /sys/kernel/livepatch; NULL: that of mod */
	struct klp_object *objs; /* the last one has no funcs */

	struct list_head list;   /* [klp_mutex], as all fields below */
	struct klp_files *files; /* NULL: the patch is not in use */
	bool enabled;            /* enabled, or in transition to it */
	bool forced;             /* tasks may be in its functions, or call them, for ever */
};

/*
 * Starts to replace the functions of patch. A task calls the new functions after it has switched;
 * it switches when it is inside none of the old functions. The transition continues after this
 * function returns; `transition` in the patch's directory is 0 when it has ended. The owner must
 * not change or free patch until klp_release_patch(). Task context. On an error nothing changes:
 *   -EINVAL	a name or function is missing; old_name names no function, or more than one, or one
 *		that cannot be traced
 *   -EEXIST	a patch with this name exists, or a function is named twice
 *   -EBUSY	another patch is in transition; patch itself is in use
 *   -EPERM	another IPMODIFY user (trace/ftrace/ftrace.h) has one of the functions
 *   -ENOMEM, -ENODEV
 */
int klp_enable_patch(struct klp_patch *patch);
/*
 * Does the same as writing 0 to `enabled`: starts the transition back, or reverses a transition
 * that is still running. The patch's directory is removed when all tasks have switched back. 0;
 * -EINVAL (not enabled), -EBUSY (another patch is in transition). Task context.
 */
int klp_disable_patch(struct klp_patch *patch);
/* Waits, without a time limit, until no patch is in transition. Task context. */
void klp_wait_for_transition(void);
/*
 * Returns 0 when patch is not in use any more: the owner may change, free or enable it again.
 * -EBUSY: it is enabled or in transition, or was forced, or ftrace was shut down. It corresponds to
 * Linux's reference on the patch's module. Task context.
 */
int klp_release_patch(struct klp_patch *patch);
