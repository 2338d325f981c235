/* Registration of ops, and their removal. */
#include "trace/ftrace/ops.h"

#include "arch/mm/pgtable.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sections.h"
#include "trace/ftrace/trampoline.h"

/* The flags that the owner of an ops may set. */
#define FTRACE_OPS_FL_OF_OWNER                                                                     \
	(FTRACE_OPS_FL_DYNAMIC | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED |  \
	 FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_INITIALIZED |                \
	 FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PID)

/* of_ftrace: flags that only ftrace itself may set. */
static int check_ops(const struct ftrace_ops *ops, unsigned long of_ftrace)
{
	if (!ops->func)
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (ops->flags & ~(FTRACE_OPS_FL_OF_OWNER | of_ftrace))
		return -EINVAL;
	return ftrace_is_dead() ? -ENODEV : 0;
}

/* Sets the flags that follow from where the ops and its callback are. */
static void complete_flags(struct ftrace_ops *ops)
{
	unsigned long addr = (unsigned long)ops, func = (unsigned long)ops->func;

	ops->flags |= FTRACE_OPS_FL_INITIALIZED;
	if (addr < (unsigned long)_stext || addr >= (unsigned long)_end)
		ops->flags |= FTRACE_OPS_FL_DYNAMIC;
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED)
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	if (ops->func == ftrace_stub)
		ops->flags |= FTRACE_OPS_FL_STUB;
	if (func >= MODULES_START && func < MODULES_END)
		ops->flags |=
			FTRACE_OPS_FL_RECURSION; /* the callback is a traced function itself */
}

/* Takes ops back to the state before ftrace_register_locked(). [F] */
static void undo_registration(struct ftrace_ops *ops, unsigned long flags,
			      struct failed_registration *failed)
{
	failed->tramp = ops->trampoline;
	if (ops->trampoline)
		ftrace_trampoline_hide(ops->trampoline);
	ops->trampoline = NULL;
	ops->func = ops->saved_func;
	ops->flags = flags;
}

/*
 * Does the steps that can fail for lack of memory or by conflict: the trampoline, the plan of the
 * change, and memory for its patches. ops->trampoline remains after an error. [F]
 */
static int prepare(struct ftrace_ops *ops, struct ftrace_change *change,
		   struct text_patch **patches)
{
	int error;

	ops->saved_func = ops->func;
	ftrace_choose_func(ops);
	if (!(ops->flags & (FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_DIRECT))) {
		ops->trampoline = ftrace_trampoline_create(ops, ftrace_trampoline_target(ops));
		if (!ops->trampoline)
			return -ENOMEM;
	}
	error = ftrace_change_plan(change);
	return error ? error : ftrace_change_alloc(change->sites, patches);
}

/* Code in front of a function must see what the callbacks of all other ops have done. */
void ftrace_enter_list(struct ftrace_ops *ops)
{
	struct list_head *before = &ftrace_ops_list;
	struct ftrace_ops *pos;

	if (!ops->direct_shared)
		list_for_each_entry (pos, &ftrace_ops_list, list)
			if (pos->direct_shared) {
				before = &pos->list;
				break;
			}
	list_add_tail_rcu(&ops->list, before);
}

int ftrace_register_locked(struct ftrace_ops *ops, unsigned long of_ftrace,
			   struct failed_registration *failed)
{
	struct ftrace_change change = { .ops = ops, .after = ftrace_current_request(ops) };
	unsigned long flags = ops->flags;
	struct text_patch *patches;
	int error = check_ops(ops, of_ftrace);

	if (error)
		return error;
	complete_flags(ops);
	error = prepare(ops, &change, &patches);
	if (error) {
		undo_registration(ops, flags, failed);
		return error;
	}
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	/* First the list, then the sites: a site with several ops calls those in the list. */
	ftrace_enter_list(ops);
	error = ftrace_change_commit(&change, patches);
	vfree(patches);
	if (error) {
		/* The batch has failed as a whole: no site calls ops. List walkers may see it. */
		list_del_rcu(&ops->list);
		failed->was_listed = true;
		ftrace_records_restore();
		undo_registration(ops, flags, failed);
	}
	return error;
}

/* ftrace_lock is not held, so that other tasks do not wait for the grace period as well. */
void ftrace_finish_failed(const struct failed_registration *failed)
{
	/*
	 * LAB 6: Which readers may still see the ops, and which ones its trampoline's name?
	 * Starts as: (void)failed;
	 */
	if (failed->was_listed)
		synchronize_rcu_tasks();
	else if (failed->tramp)
		synchronize_rcu(); /* a reader of kallsyms may see its name */
	if (failed->tramp)
		ftrace_trampoline_free(failed->tramp);
	/* END LAB 6 */
}

int register_ftrace_function(struct ftrace_ops *ops)
{
	struct failed_registration failed = { .was_listed = false };
	int error;

	mutex_lock(&ftrace_lock);
	error = ftrace_register_locked(ops, 0, &failed);
	mutex_unlock(&ftrace_lock);
	ftrace_finish_failed(&failed);
	return error;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/* [F] */
static void leave_list(struct ftrace_ops *ops)
{
	if (ops->list.prev) /* NULL: ftrace_turn_all_off() has removed it */
		list_del_rcu(&ops->list);
}

/* Does a change that is allowed. Without memory it uses several batches. 0 or -ENODEV. [F] */
static int change_sites(struct ftrace_change *change)
{
	struct text_patch *patches;
	int error;

	ftrace_change_plan(change);
	ftrace_change_alloc(change->sites, &patches);
	error = ftrace_change_commit(change, patches);
	vfree(patches);
	return error;
}

/* Afterwards no list and no site leads to ops. A CPU may still be on its way there. */
int ftrace_detach(struct ftrace_ops *ops, struct ftrace_trampoline **tramp)
{
	struct ftrace_change change = { .ops = ops, .before = ftrace_current_request(ops) };
	int error;

	leave_list(ops);
	error = change_sites(&change);
	*tramp = ops->trampoline;
	ops->trampoline = NULL;
	if (*tramp)
		ftrace_trampoline_hide(*tramp);
	ops->func = ops->saved_func;
	return error;
}

int ftrace_unregister_begin(struct ftrace_ops *ops, struct ftrace_trampoline **tramp)
{
	int error;

	*tramp = NULL;
	mutex_lock(&ftrace_lock);
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED)) {
		mutex_unlock(&ftrace_lock);
		return -EINVAL;
	}
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	if (!ftrace_is_dead()) {
		error = ftrace_detach(ops, tramp);
	} else {
		error = -ENODEV;
		leave_list(ops);
		*tramp = ops->trampoline;
	}
	if (error && *tramp) {
		ftrace_trampoline_silence(*tramp); /* sites still call it: it calls nothing now */
		*tramp = NULL;
	}
	mutex_unlock(&ftrace_lock);
	return error;
}

void ftrace_unregister_end(struct ftrace_trampoline *tramp)
{
	if (tramp)
		ftrace_trampoline_free(tramp);
}

/*
 * Three steps, as wherever memory is freed that other CPUs may use: make it unreachable, wait for
 * those who have reached it before, free it. A task that was preempted in the trampoline or in the
 * callback may stay there for long; it is what synchronize_rcu_tasks() waits for.
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	struct ftrace_trampoline *tramp;
	int error = ftrace_unregister_begin(ops, &tramp);

	/* LAB 6: The owner frees ops on return, also after an error, but for -EINVAL. */
	if (error == -EINVAL)
		return error;
	/* ftrace_lock is not held, so that tasks that wait at the same time share grace periods. */
	synchronize_rcu_tasks();
	ftrace_unregister_end(tramp);
	/* END LAB 6 */
	return error;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);
