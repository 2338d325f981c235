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
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
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
	const struct klp_object *obj;
	const struct klp_func *func;

	if (!patch || !patch->name || !*patch->name || strchr(patch->name, '/') || !patch->objs ||
	    !patch->objs->funcs)
		return -EINVAL;
	klp_for_each_object (patch, obj) {
		if ((obj->name && strlen(obj->name) >= MODULE_NAME_LEN) ||
		    (!obj->funcs->old_name && !obj->funcs->new_func))
			return -EINVAL;
		klp_for_each_func (obj, func)
			if (!func->old_name || !*func->old_name || !func->new_func ||
			    strlen(func->old_name) >= KSYM_NAME_LEN)
				return -EINVAL;
	}
	return 0;
}

/* Finds the module of an object. One that the chain has not told us yet is not there. */
static void find_module_of(struct klp_object *obj)
{
	struct module *mod;

	mutex_lock(&module_mutex);
	mod = obj->name ? find_module(obj->name) : NULL;
	obj->mod = mod && mod->klp_alive ? mod : NULL;
	mutex_unlock(&module_mutex);
}

/* loaded: the functions of the object are there. obj->mod may not say so yet. */
static int init_object(struct klp_object *obj, bool loaded)
{
	struct klp_func *func;
	int error = 0;

	klp_for_each_func (obj, func) {
		func->patched = func->transition = false;
		if (loaded && !error)
			error = klp_init_func(obj, func);
	}
	return error;
}

static int init_patch(struct klp_patch *patch)
{
	struct klp_object *obj;
	int error;

	klp_for_each_object (patch, obj) {
		find_module_of(obj);
		error = init_object(obj, klp_is_loaded(obj));
		if (error)
			return error;
	}
	patch->enabled = false;
	error = klp_create_files(patch);
	if (!error)
		list_add_tail(&patch->list, &klp_patches);
	return error;
}

static int patch_object(const struct klp_object *obj)
{
	struct klp_func *func;
	int error = 0;

	klp_for_each_func (obj, func) {
		error = klp_patch_func(func);
		if (error)
			break;
	}
	return error;
}

static int enable_patch(struct klp_patch *patch)
{
	const struct klp_object *obj;
	int error = 0;

	pr_notice("livepatch: enabling patch '%s'\n", patch->name);
	klp_init_transition(patch, KLP_PATCHED);
	klp_for_each_object (patch, obj)
		if (klp_is_loaded(obj) && !error)
			error = patch_object(obj);
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

/* ---- modules come and go ---- */

/* Ends the replacement of the functions of a module. Waits for a grace period of RCU-tasks. */
static void forget_object(struct klp_object *obj)
{
	struct klp_func *func;

	klp_for_each_func (obj, func)
		klp_unpatch_func(func);
	WRITE_ONCE(obj->mod, NULL);
	synchronize_rcu_tasks();
	klp_free_unpatched();
	klp_for_each_func (obj, func)
		WRITE_ONCE(func->transition, false);
}

/* The patch's functions replace those of a module before its init runs. */
static int apply_to_module(struct klp_patch *patch, struct klp_object *obj, struct module *mod)
{
	struct klp_func *func;
	int error;

	error = init_object(obj, true);
	if (!error) {
		pr_notice("livepatch: applying patch '%s' to loading module '%s'\n", patch->name,
			  mod->name);
		error = patch_object(obj);
	}
	if (error) {
		pr_warn("livepatch: patch '%s' failed for module '%s', refusing to load module "
			"'%s'\n",
			patch->name, mod->name, mod->name);
		forget_object(obj);
	} else if (patch == klp_transition_patch) {
		klp_for_each_func (obj, func)
			klp_join_transition(func);
	}
	/* Last: until then a task that tries to switch looks at the functions of loaded objects. */
	if (!error)
		smp_store_release(&obj->mod, mod);
	return error;
}

/* Ends the replacement of the module's functions in all patches. */
static void forget_module(const struct module *mod)
{
	struct klp_patch *patch;
	struct klp_object *obj;

	list_for_each_entry (patch, &klp_patches, list) {
		klp_for_each_object (patch, obj) {
			if (obj->mod != mod || !obj->name)
				continue;
			pr_notice("livepatch: reverting patch '%s' on unloading module '%s'\n",
				  patch->name, mod->name);
			forget_object(obj);
		}
	}
}

static int klp_module_coming(struct module *mod)
{
	struct klp_patch *patch;
	struct klp_object *obj;
	int error = 0;

	mutex_lock(&klp_mutex);
	mod->klp_alive = true;
	list_for_each_entry (patch, &klp_patches, list) {
		klp_for_each_object (patch, obj)
			if (obj->name && strcmp(obj->name, mod->name) == 0 && !error)
				error = apply_to_module(patch, obj, mod);
		if (error) {
			mod->klp_alive = false;
			forget_module(mod);
			break;
		}
	}
	mutex_unlock(&klp_mutex);
	return error;
}

static void klp_module_going(struct module *mod)
{
	mutex_lock(&klp_mutex);
	mod->klp_alive = false;
	forget_module(mod);
	mutex_unlock(&klp_mutex);
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = {
	.coming = klp_module_coming,
	.going = klp_module_going,
};
