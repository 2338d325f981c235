/*
 * The list of live patches, and the life of a patch:
 *
 *	klp_enable_patch()	finds the functions, creates the directory
 *	transition = 1		each task switches at its own moment: trace/livepatch/transition.c
 *	transition = 0		all tasks have switched
 *	klp_disable_patch()	starts the transition back, or reverses the current one
 *	klp_free_patch()	no task calls the new functions any more: removes the directory
 *	klp_release_patch()	the owner may reuse the patch
 *
 * Only one transition runs at a time. When several patches replace the same function, tasks call
 * the newest one.
 */
#include "trace/livepatch/livepatch.h"

#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"
#include "trace/livepatch/internal.h"

DEFINE_MUTEX(klp_mutex);
static LIST_HEAD(klp_patches); /* [klp_mutex] */

static bool is_known(const struct klp_patch *patch)
{
	const struct klp_patch *p;

	list_for_each_entry (p, &klp_patches, list)
		if (p == patch)
			return true;
	return false;
}

/* The name must be usable as the name of a directory. */
static int check_patch(const struct klp_patch *patch)
{
	if (!patch || !patch->name || !*patch->name || strchr(patch->name, '/') || !patch->funcs ||
	    (!patch->funcs->old_name && !patch->funcs->new_func))
		return -EINVAL;
	return 0;
}

static int init_patch(struct klp_patch *patch)
{
	struct klp_func *func;
	int error;

	klp_for_each_func (patch, func) {
		error = klp_init_func(func);
		if (error)
			return error;
	}
	patch->enabled = false;
	error = klp_create_files(patch);
	if (!error)
		list_add_tail(&patch->list, &klp_patches);
	return error;
}

static int enable_patch(struct klp_patch *patch)
{
	struct klp_func *func;
	int error = 0;

	pr_notice("livepatch: enabling patch '%s'\n", patch->name);
	klp_init_transition(patch, KLP_PATCHED);
	klp_for_each_func (patch, func) {
		error = klp_patch_func(func);
		if (error)
			break;
	}
	if (error) {
		pr_warn("livepatch: failed to enable patch '%s'\n", patch->name);
		klp_cancel_transition();
		return error;
	}
	klp_start_transition();
	WRITE_ONCE(patch->enabled, true);
	klp_try_complete_transition();
	return 0;
}

static int enable_locked(struct klp_patch *patch)
{
	int error;

	error = klp_transition_patch || patch->forced || is_known(patch) ? -EBUSY
									 : init_patch(patch);
	if (error) {
		module_put(patch->mod);
		return error;
	}
	error = enable_patch(patch);
	if (error)
		klp_free_patch(patch);
	return error;
}

int klp_enable_patch(struct klp_patch *patch)
{
	int error;

	if (patch && patch->mod && !patch->name)
		patch->name = patch->mod->name;
	error = check_patch(patch);
	if (error)
		return error;
	if (!try_module_get(patch->mod))
		return -ENODEV;
	mutex_lock(&klp_mutex);
	error = enable_locked(patch);
	mutex_unlock(&klp_mutex);
	return error;
}
EXPORT_SYMBOL_GPL(klp_enable_patch);

void klp_free_patch(struct klp_patch *patch)
{
	list_del(&patch->list);
	klp_remove_files(patch);
	if (!patch->forced)
		module_put(patch->mod); /* patch may be freed now */
}

/* As in Linux's enabled_store(), a disabled patch can be enabled only while its transition runs. */
int klp_set_enabled(struct klp_patch *patch, bool enabled)
{
	if (patch->enabled == enabled)
		return -EINVAL;
	if (patch == klp_transition_patch) {
		klp_reverse_transition();
		return 0;
	}
	if (enabled)
		return -EINVAL;
	if (klp_transition_patch)
		return -EBUSY;
	klp_init_transition(patch, KLP_UNPATCHED);
	klp_start_transition();
	WRITE_ONCE(patch->enabled, false);
	klp_try_complete_transition();
	return 0;
}

int klp_disable_patch(struct klp_patch *patch)
{
	int error = -EINVAL;

	mutex_lock(&klp_mutex);
	if (is_known(patch))
		error = klp_set_enabled(patch, false);
	mutex_unlock(&klp_mutex);
	return error;
}

int klp_release_patch(struct klp_patch *patch)
{
	int error;

	mutex_lock(&klp_mutex);
	error = is_known(patch) || patch->forced ? -EBUSY : 0;
	mutex_unlock(&klp_mutex);
	return error;
}
