/*
 * Live patching: replace functions of the running kernel by others, for good or for a while, task
 * by task. docs/live-patching.md tells how; names and meanings as in Linux
 * (Documentation/livepatch/livepatch.rst).
 *
 * There are no modules and so no klp_object: all functions are those of the image, "vmlinux".
 */
#pragma once

#include "kernel/lib/list.h"

struct klp_files;

/* A range of code, with the part of it that the compiler put elsewhere as seldom executed. */
struct klp_code {
	unsigned long start, end, cold_start, cold_end;
};

/* A function that is replaced. The owner fills in the first two, the rest is live patching's. */
struct klp_func {
	const char *old_name;
	void *new_func; /* of the same type as the old one */

	void *old_func;                /* [klp_mutex] as all that follows */
	struct klp_code old_code;      /* the function in the image */
	struct klp_code new_code;      /* new_func */
	const struct klp_code *leaves; /* what tasks go away from in this transition */
	/* What replaces old_func, newest first; readers under RCU-tasks. */
	struct list_head stack_node;
	bool patched;    /* it is in that stack */
	bool transition; /* each task's patch_state decides; read by klp_ftrace_handler() */
};

struct klp_patch {
	const char *name;       /* of its directory in /sys/kernel/livepatch */
	struct klp_func *funcs; /* the last one has no old_name and no new_func */

	struct list_head list;   /* [klp_mutex] as all that follows */
	struct klp_files *files; /* NULL: it is not in use */
	bool enabled;            /* or on the way there */
	bool forced;             /* tasks may be in its functions, or call them, for ever */
};

/*
 * Begin to replace the functions of patch: new calls go to the new ones in the tasks that have gone
 * over, and each task does so when it is in none of the old ones. It goes on by itself after the
 * return; `transition` in the patch's directory is 0 when it has ended. patch stays its owner's,
 * but belongs to live patching until klp_release_patch(). Task context. Or nothing is changed:
 *   -EINVAL	a name or function is missing; old_name is not that of one function alone, or cannot
 *		be traced
 *   -EEXIST	a patch of that name is there already, or a function is named twice
 *   -EBUSY	another patch's transition is under way; patch itself is in use
 *   -EPERM	another IPMODIFY user (trace/ftrace/ftrace.h) has one of the functions
 *   -ENOMEM, -ENODEV
 */
int klp_enable_patch(struct klp_patch *patch);
/*
 * What writing 0 to `enabled` does: begin to go back; in mid-transition, turn it round. When all
 * tasks are back the patch's directory goes. 0; -EINVAL (not enabled), -EBUSY (another patch's
 * transition is under way). Task context.
 */
int klp_disable_patch(struct klp_patch *patch);
/* Wait until no transition is under way, however long that takes. Task context. */
void klp_wait_for_transition(void);
/*
 * 0: nobody uses patch any more, it may be changed, freed or enabled again. -EBUSY: it is enabled
 * or in transition, or was forced, or ftrace was shut down. Linux: the reference on the patch's
 * module. Task context.
 */
int klp_release_patch(struct klp_patch *patch);
