/*
 * Dynamic ftrace: registration of ops, and the calls of their callbacks.
 *
 * Each site calls the cheapest correct target (trace/ftrace/update.c). A site with one ops calls
 * that ops' own trampoline, which calls the callback directly. A site with several ops calls
 * ftrace_caller or ftrace_regs_caller; these call ftrace_ops_list_func() here, which walks the list
 * of ops and checks the hashes of each.
 *
 * The code on the way from a site to a callback takes no lock and leaves preemption on. A task may
 * be preempted anywhere on that way, while it uses a trampoline, the list, an ops or a hash. So an
 * object that was unlinked is freed after a grace period of RCU-tasks: a hash by call_rcu_tasks(),
 * a trampoline by unregister_ftrace_function() after its wait, an ops by its owner after that.
 */
#include "trace/ftrace/ftrace.h"

#include "arch/mm/pgtable.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sections.h"
#include "trace/ftrace/trampoline.h"
#include "trace/ftrace/recursion.h"

/* The flags that the owner of an ops may set. */
#define FTRACE_OPS_FL_OF_OWNER                                                                     \
	(FTRACE_OPS_FL_DYNAMIC | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED |  \
	 FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_INITIALIZED |                \
	 FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PID)

/* ops with one of these flags need a check before the list function calls their callback. */
#define FTRACE_OPS_FL_SPECIAL                                                                      \
	(FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION)

DEFINE_MUTEX(ftrace_lock);
LIST_HEAD(ftrace_ops_list);

static LIST_HEAD(ftrace_off_ops); /* [F] the registered ops while ftrace_is_off; else empty */
static bool ftrace_is_off;        /* [F] ftrace_set_enabled(): no ops is in ftrace_ops_list */
static bool ftrace_disabled;      /* set by an error, never cleared */

/* ---- calling callbacks ---- */

/* Guards the callback of an ops with FTRACE_OPS_FL_RECURSION. Preemption is off around it. */
__calls_callbacks static void ftrace_ops_assist_func(unsigned long ip, unsigned long parent_ip,
						     struct ftrace_ops *ops,
						     struct ftrace_regs *fregs)
{
	/*
	 * LAB 4: One callback at a time in each context.
	 * Starts as: READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
	 */
	int bit;

	preempt_disable_notrace();
	bit = __trace_recursion_trylock(TRACE_RECURSION_LIST_SHIFT);
	if (likely(bit)) {
		READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
		__trace_recursion_unlock(bit);
	}
	preempt_enable_notrace();
	/* END LAB 4 */
}

/* Calls the callback of one of several ops if its flags allow that. */
__calls_callbacks static noinline void call_special_ops(unsigned long ip, unsigned long parent_ip,
							struct ftrace_ops *ops,
							struct ftrace_regs *fregs)
{
	unsigned long flags = ops->flags;

	if (flags & FTRACE_OPS_FL_STUB)
		return;
	/* The ops is new, and the site does not save all registers yet. */
	if ((flags & FTRACE_OPS_FL_SAVE_REGS) && !ftrace_get_regs(fregs))
		return;
	if (flags & FTRACE_OPS_FL_RECURSION)
		ftrace_ops_assist_func(ip, parent_ip, ops, fregs);
	else
		READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
}

/*
 * Calls each ops that wants the site. Only ops with FTRACE_OPS_FL_RECURSION are guarded against
 * recursion. The list function itself needs no guard: it calls nothing that is traced.
 */
__calls_callbacks void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *unused __unused,
					    struct ftrace_regs *fregs)
{
	/*
	 * LAB 4: Other CPUs add and remove ops meanwhile.
	 * Starts as: (void)ip, (void)parent_ip, (void)fregs;
	 */
	const u32 offset = (u32)(ip - KERNEL_IMAGE_BASE);
	struct list_head *pos = rcu_dereference(ftrace_ops_list.next);

	while (pos != &ftrace_ops_list) {
		struct ftrace_ops *ops = list_entry(pos, struct ftrace_ops, list);

		if (ftrace_ops_want(ops, offset))
			ops->list_func(ip, parent_ip, ops, fregs);
		pos = __atomic_load_n(&ops->list.next, __ATOMIC_ACQUIRE);
	}
	/* END LAB 4 */
}

static void choose_func(struct ftrace_ops *ops)
{
	bool filter = (ops->flags & FTRACE_OPS_FL_PID) && ops->filters_pids;

	WRITE_ONCE(ops->func, filter ? ops->pid_func : ops->saved_func);
	WRITE_ONCE(ops->list_func,
		   ops->flags & FTRACE_OPS_FL_SPECIAL ? call_special_ops : ops->func);
}

/* Returns the function that the trampoline of ops calls. */
static ftrace_func_t trampoline_target(const struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_RECURSION ? ftrace_ops_assist_func : ops->func;
}

/* Makes ops and its trampoline call the function that choose_func() chooses. [F] */
static void apply_func(struct ftrace_ops *ops)
{
	choose_func(ops);
	if (ops->trampoline && !ftrace_disabled)
		ftrace_trampoline_set_target(ops->trampoline, trampoline_target(ops));
}

void ftrace_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	mutex_lock(&ftrace_lock);
	if (ops->flags & FTRACE_OPS_FL_ENABLED) {
		ops->saved_func = func;
		apply_func(ops);
	} else {
		ops->func = func;
	}
	mutex_unlock(&ftrace_lock);
}

void ftrace_filter_pids(struct ftrace_ops *ops, bool on)
{
	mutex_lock(&ftrace_lock);
	ops->filters_pids = on;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		apply_func(ops);
	mutex_unlock(&ftrace_lock);
}

/* ---- registration ---- */

static struct ftrace_request current_request(const struct ftrace_ops *ops)
{
	return (struct ftrace_request){ !ftrace_is_off, ops->filter_hash, ops->notrace_hash };
}

static int check_ops(const struct ftrace_ops *ops, unsigned long of_ftrace)
{
	if (!ops->func)
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (ops->flags & ~(FTRACE_OPS_FL_OF_OWNER | of_ftrace))
		return -EINVAL;
	if (ftrace_is_off && (ops->flags & FTRACE_OPS_FL_IPMODIFY))
		return -EBUSY;
	return ftrace_disabled ? -ENODEV : 0;
}

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

/* A registration that failed: what to free (may be NULL) after ftrace_lock is dropped. */
struct failed_registration {
	bool was_listed; /* list walkers may see the ops */
	struct ftrace_trampoline *tramp;
};

/* Takes ops back to the state before register_locked(). [F] */
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
	choose_func(ops);
	if (!(ops->flags & (FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_DIRECT))) {
		ops->trampoline = ftrace_trampoline_create(ops, trampoline_target(ops));
		if (!ops->trampoline)
			return -ENOMEM;
	}
	error = ftrace_change_plan(change);
	return error ? error : ftrace_change_alloc(change->sites, patches);
}

/* of_ftrace: flags that ops may have although they are not the owner's. [F] */
static int register_locked(struct ftrace_ops *ops, unsigned long of_ftrace,
			   struct failed_registration *failed)
{
	struct ftrace_change change = { .ops = ops, .after = current_request(ops) };
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
	if (ftrace_is_off) {
		list_add_tail(&ops->off, &ftrace_off_ops);
		return 0; /* the change has no sites, and patches is NULL */
	}
	list_add_tail_rcu(&ops->list, &ftrace_ops_list);
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
static void finish_failed(const struct failed_registration *failed)
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
	error = register_locked(ops, 0, &failed);
	mutex_unlock(&ftrace_lock);
	finish_failed(&failed);
	return error;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/* The callback of a direct ops, for sites with several ops, which cannot be a jmp. */
static void go_to_direct_call(unsigned long ip __unused, unsigned long parent_ip __unused,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, ops->direct_call);
}

#define FTRACE_OPS_FL_OF_DIRECT (FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_IPMODIFY)

int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	struct failed_registration failed = { .was_listed = false };
	int error;

	if (ops->func && ops->func != go_to_direct_call)
		return -EINVAL;
	mutex_lock(&ftrace_lock);
	if (ops->flags & FTRACE_OPS_FL_ENABLED) {
		error = -EBUSY;
	} else {
		ops->func = go_to_direct_call;
		ops->flags |= FTRACE_OPS_FL_OF_DIRECT;
		ops->direct_call = addr;
		error = register_locked(ops, FTRACE_OPS_FL_DIRECT, &failed);
	}
	mutex_unlock(&ftrace_lock);
	finish_failed(&failed);
	return error;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

int unregister_ftrace_direct(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DIRECT ? unregister_ftrace_function(ops) : -EINVAL;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

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

/* [F] */
static void leave_off_list(struct ftrace_ops *ops)
{
	list_del(&ops->off);
	ops->off.next = NULL;
}

/* Removes ops from the list that it is in. [F] */
static void leave_list(struct ftrace_ops *ops)
{
	if (ops->off.next)
		leave_off_list(ops);
	else if (ops->list.prev) /* NULL: ftrace_turn_all_off() has removed it */
		list_del_rcu(&ops->list);
}

/*
 * Removes ops from the list, and its calls from all sites. *tramp: its trampoline, to be freed
 * after a grace period. [F]
 */
static int detach(struct ftrace_ops *ops, struct ftrace_trampoline **tramp)
{
	struct ftrace_change change = { .ops = ops, .before = current_request(ops) };
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
	if (!ftrace_disabled) {
		error = detach(ops, tramp);
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

/* Frees an empty hash and returns NULL for it, so that callbacks check only the pointer. */
static struct ftrace_hash *null_if_empty(struct ftrace_hash *hash)
{
	if (!ftrace_hash_empty(hash))
		return hash;
	ftrace_hash_free(hash);
	return NULL;
}

/* Returns the change of ops when it gets these hashes. */
static struct ftrace_change change_of_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
					     struct ftrace_hash *notrace_hash)
{
	return (struct ftrace_change){ .ops = ops,
				       .before = current_request(ops),
				       .after = { !ftrace_is_off, filter, notrace_hash } };
}

/* Checks whether ops and its followers may get these hashes. *sites: as in struct ftrace_change. */
static int plan_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
		       struct ftrace_hash *notrace_hash, unsigned *sites)
{
	*sites = 0;
	for (; ops; ops = ops->follower) {
		struct ftrace_change change = change_of_hashes(ops, filter, notrace_hash);
		int error;

		if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
			continue;
		error = ftrace_disabled ? -ENODEV : ftrace_change_plan(&change);
		if (error)
			return error;
		*sites = max(*sites, change.sites);
	}
	return 0;
}

/* Gives ops these hashes, and updates its sites unless ftrace has been shut down. [F] */
static int commit_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
			 struct ftrace_hash *notrace_hash, unsigned sites,
			 struct text_patch *patches)
{
	struct ftrace_change change = change_of_hashes(ops, filter, notrace_hash);

	change.sites = sites;
	smp_store_release(&ops->filter_hash, filter);
	smp_store_release(&ops->notrace_hash, notrace_hash);
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED) || ftrace_disabled)
		return 0;
	return ftrace_change_commit(&change, patches);
}

int ftrace_replace_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *notrace_hash)
{
	struct ftrace_hash *old_filter = ops->filter_hash, *old_notrace = ops->notrace_hash;
	struct text_patch *patches = NULL;
	unsigned sites;
	int error;

	filter = null_if_empty(filter);
	notrace_hash = null_if_empty(notrace_hash);
	error = plan_hashes(ops, filter, notrace_hash, &sites);
	if (!error)
		error = ftrace_change_alloc(sites, &patches);
	if (error) {
		if (filter != old_filter)
			ftrace_hash_free(filter);
		if (notrace_hash != old_notrace)
			ftrace_hash_free(notrace_hash);
		return error;
	}
	/* Do not stop at an error: every follower needs the new hashes, the old ones are freed. */
	for (struct ftrace_ops *o = ops; o; o = o->follower) {
		int failed = commit_hashes(o, filter, notrace_hash, sites, patches);

		error = error ? error : failed;
	}
	vfree(patches);
	/*
	 * LAB 6: List walkers may read the old hashes even if no ops is registered now: an ops may
	 * have left the list a moment ago.
	 */
	if (old_filter != filter)
		ftrace_hash_free_tasks(old_filter);
	if (old_notrace != notrace_hash)
		ftrace_hash_free_tasks(old_notrace);
	/* END LAB 6 */
	return error;
}

/* ---- ftrace_enabled ---- */

/* An error is a shutdown: the other ops stay where they are. [F] */
static int turn_off(void)
{
	struct ftrace_ops *ops;
	int error = 0;

	list_for_each_entry (ops, &ftrace_ops_list, list)
		if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
			return -EBUSY;
	while (!error && !list_empty(&ftrace_ops_list)) {
		ops = list_first_entry(&ftrace_ops_list, struct ftrace_ops, list);
		struct ftrace_change change = { .ops = ops, .before = current_request(ops) };

		/* A list walker at this ops goes on to the end of a list, also if it returns. */
		list_del_rcu(&ops->list);
		list_add_tail(&ops->off, &ftrace_off_ops);
		error = change_sites(&change);
	}
	ftrace_is_off = true;
	return error;
}

/* [F] */
static int turn_on(void)
{
	int error = 0;

	ftrace_is_off = false;
	while (!error && !list_empty(&ftrace_off_ops)) {
		struct ftrace_ops *ops = list_first_entry(&ftrace_off_ops, struct ftrace_ops, off);
		struct ftrace_change change = { .ops = ops, .after = current_request(ops) };

		leave_off_list(ops);
		list_add_tail_rcu(&ops->list, &ftrace_ops_list);
		error = change_sites(&change);
	}
	return error;
}

int ftrace_set_enabled(bool on)
{
	int error = 0;

	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		error = -ENODEV;
	else if (on == ftrace_is_off)
		error = on ? turn_on() : turn_off();
	mutex_unlock(&ftrace_lock);
	return error;
}

/* ---- shutdown ---- */

void ftrace_shut_down(void)
{
	WRITE_ONCE(ftrace_disabled, true);
}

void ftrace_turn_all_off(void)
{
	struct ftrace_trampoline *tramp;
	struct ftrace_ops *ops;

	for (;;) {
		mutex_lock(&ftrace_lock);
		ops = list_first_entry_or_null(&ftrace_ops_list, struct ftrace_ops, list);
		tramp = NULL;
		if (ops && detach(ops, &tramp))
			tramp = NULL; /* sites still call it, so it stays; it calls nothing */
		mutex_unlock(&ftrace_lock);
		if (!ops)
			return;
		synchronize_rcu_tasks();
		if (tramp)
			ftrace_trampoline_free(tramp);
	}
}

bool ftrace_is_dead(void)
{
	return READ_ONCE(ftrace_disabled);
}
