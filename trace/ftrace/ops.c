/*
 * Dynamic ftrace: ops come and go, and callbacks are called.
 *
 * Each site calls the cheapest thing that is right (trace/ftrace/update.c): with one ops, that ops'
 * own trampoline, which calls its callback directly; with several, ftrace_caller or
 * ftrace_regs_caller, which call ftrace_ops_list_func() here, which asks each ops' hashes.
 *
 * Nobody who calls callbacks takes a lock or turns preemption off. A task may be preempted anywhere
 * on the way from the site to the end of a callback, with a trampoline, the list, an ops or a hash
 * in its hands. So what was unlinked is freed after a grace period of RCU-tasks: a hash by
 * call_rcu_tasks(), the trampoline, and by its owner the ops, when unregister_ftrace_function() has
 * waited for it.
 */
#include "trace/ftrace/ftrace.h"

#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sections.h"
#include "trace/ftrace/trampoline.h"
#include "trace/core/trace_array.h"
#include "trace/ftrace/recursion.h"

#define FTRACE_OPS_FL_OF_OWNER                                                                     \
	(FTRACE_OPS_FL_DYNAMIC | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED |  \
	 FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_INITIALIZED |                \
	 FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PID)

/* In the list, those that have to be asked for. */
#define FTRACE_OPS_FL_SPECIAL                                                                      \
	(FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION)

DEFINE_MUTEX(ftrace_lock);
LIST_HEAD(ftrace_ops_list);

static bool ftrace_disabled; /* set once, by an error */

/* ---- calling callbacks ---- */

/* Between a trampoline, or the list, and the callback of an ops that does not guard itself. */
static void ftrace_ops_assist_func(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int bit;

	preempt_disable();
	bit = __trace_recursion_trylock(TRACE_RECURSION_LIST_SHIFT);
	if (likely(bit)) {
		READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
		__trace_recursion_unlock(bit);
	}
	preempt_enable();
}

/* One of several ops that is not called just so. */
static noinline void call_special_ops(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	unsigned long flags = ops->flags;

	if (flags & FTRACE_OPS_FL_STUB)
		return;
	/* It has just come, and the site does not yet save all registers for it. */
	if ((flags & FTRACE_OPS_FL_SAVE_REGS) && !ftrace_get_regs(fregs))
		return;
	if (flags & FTRACE_OPS_FL_RECURSION)
		ftrace_ops_assist_func(ip, parent_ip, ops, fregs);
	else
		READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
}

/*
 * Several ops: each gets the sites that it wants. Who wants to be guarded against recursion is; the
 * list itself calls nothing that is traced.
 */
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *unused __unused, struct ftrace_regs *fregs)
{
	const u32 offset = (u32)(ip - KERNEL_IMAGE_BASE);
	struct list_head *pos = rcu_dereference(ftrace_ops_list.next);

	while (pos != &ftrace_ops_list) {
		struct ftrace_ops *ops = list_entry(pos, struct ftrace_ops, list);

		if (ftrace_ops_want(ops, offset))
			ops->list_func(ip, parent_ip, ops, fregs);
		pos = __atomic_load_n(&ops->list.next, __ATOMIC_ACQUIRE);
	}
}

/* The func of an ops with FTRACE_OPS_FL_PID while set_ftrace_pid leaves tasks out. */
static void ftrace_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	const struct trace_array *tr = ops->private;
	bool ignore;

	preempt_disable();
	ignore = READ_ONCE(tr->cpus[smp_processor_id()].ignore_pid);
	preempt_enable();
	if (!ignore)
		ops->saved_func(ip, parent_ip, ops, fregs);
}

bool ftrace_calls_callbacks(unsigned long func)
{
	return func == (unsigned long)ftrace_ops_list_func ||
	       func == (unsigned long)call_special_ops ||
	       func == (unsigned long)ftrace_ops_assist_func ||
	       func == (unsigned long)ftrace_pid_func;
}

static void choose_func(struct ftrace_ops *ops)
{
	bool ask = (ops->flags & FTRACE_OPS_FL_PID) && ftrace_pids_filter(ops->private);

	WRITE_ONCE(ops->func, ask ? ftrace_pid_func : ops->saved_func);
	WRITE_ONCE(ops->list_func,
		   ops->flags & FTRACE_OPS_FL_SPECIAL ? call_special_ops : ops->func);
}

/* What the trampoline of ops calls. */
static ftrace_func_t trampoline_target(const struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_RECURSION ? ftrace_ops_assist_func : ops->func;
}

/* [F] Has ops and its trampoline call the function that is right now. */
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

void ftrace_update_pid_func(void)
{
	struct ftrace_ops *ops;

	mutex_lock(&ftrace_lock);
	list_for_each_entry (ops, &ftrace_ops_list, list)
		apply_func(ops);
	mutex_unlock(&ftrace_lock);
}

/* ---- coming and going ---- */

static struct ftrace_wish present_wish(const struct ftrace_ops *ops)
{
	return (struct ftrace_wish){ true, ops->filter_hash, ops->notrace_hash };
}

static int check_ops(const struct ftrace_ops *ops, unsigned long of_ftrace)
{
	if (!ops->func)
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (ops->flags & ~(FTRACE_OPS_FL_OF_OWNER | of_ftrace))
		return -EINVAL;
	return ftrace_disabled ? -ENODEV : 0;
}

static void complete_flags(struct ftrace_ops *ops)
{
	unsigned long addr = (unsigned long)ops;

	ops->flags |= FTRACE_OPS_FL_INITIALIZED;
	if (addr < (unsigned long)_stext || addr >= (unsigned long)_end)
		ops->flags |= FTRACE_OPS_FL_DYNAMIC;
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED)
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	if (ops->func == ftrace_stub)
		ops->flags |= FTRACE_OPS_FL_STUB;
}

/* What can fail: func, trampoline, and memory for the patches of change. On an error all is undone.
 */
static int prepare(struct ftrace_ops *ops, struct ftrace_change *change,
		   struct text_patch **patches)
{
	int error;

	ops->saved_func = ops->func;
	choose_func(ops);
	if (!(ops->flags & (FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_DIRECT))) {
		ops->trampoline = ftrace_trampoline_create(ops, trampoline_target(ops));
		if (!ops->trampoline) {
			error = -ENOMEM;
			goto restore;
		}
	}
	error = ftrace_change_plan(change);
	if (!error)
		error = ftrace_change_alloc(change->sites, patches);
	if (!error)
		return 0;
	if (ops->trampoline) {
		ftrace_trampoline_hide(ops->trampoline);
		synchronize_rcu(); /* of those who look up names */
		ftrace_trampoline_free(ops->trampoline);
		ops->trampoline = NULL;
	}
restore:
	ops->func = ops->saved_func;
	return error;
}

/*
 * The sites of ops could not be patched, and none was, as it is one batch: it goes again. Who calls
 * the callbacks of a list may be looking at it.
 */
static void undo_registration(struct ftrace_ops *ops, unsigned long flags)
{
	list_del_rcu(&ops->list);
	ftrace_records_restore();
	if (ops->trampoline)
		ftrace_trampoline_hide(ops->trampoline);
	synchronize_rcu_tasks();
	if (ops->trampoline)
		ftrace_trampoline_free(ops->trampoline);
	ops->trampoline = NULL;
	ops->func = ops->saved_func;
	ops->flags = flags;
}

/* of_ftrace: flags that ops may have although they are not the owner's. */
static int register_locked(struct ftrace_ops *ops, unsigned long of_ftrace)
{
	struct ftrace_change change = { .ops = ops, .after = present_wish(ops) };
	unsigned long flags = ops->flags;
	struct text_patch *patches;
	int error = check_ops(ops, of_ftrace);

	if (error)
		return error;
	complete_flags(ops);
	error = prepare(ops, &change, &patches);
	if (error) {
		ops->flags = flags;
		return error;
	}
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	list_add_tail_rcu(&ops->list, &ftrace_ops_list);
	error = ftrace_change_commit(&change, patches);
	vfree(patches);
	if (error)
		undo_registration(ops, flags);
	return error;
}

int register_ftrace_function(struct ftrace_ops *ops)
{
	int error;

	mutex_lock(&ftrace_lock);
	error = register_locked(ops, 0);
	mutex_unlock(&ftrace_lock);
	return error;
}

/* The callback of direct ops, where the site cannot jump because others want it as well. */
static void go_to_direct_call(unsigned long ip __unused, unsigned long parent_ip __unused,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, ops->direct_call);
}

#define FTRACE_OPS_FL_OF_DIRECT (FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_IPMODIFY)

int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
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
		error = register_locked(ops, FTRACE_OPS_FL_DIRECT);
	}
	mutex_unlock(&ftrace_lock);
	return error;
}

int unregister_ftrace_direct(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DIRECT ? unregister_ftrace_function(ops) : -EINVAL;
}

/* No site leads to ops any more, nor does the list. *tramp: to be freed after a grace period. */
static int detach(struct ftrace_ops *ops, struct ftrace_trampoline **tramp)
{
	struct ftrace_change change = { .ops = ops, .before = present_wish(ops) };
	struct text_patch *patches;
	int error;

	list_del_rcu(&ops->list);
	ftrace_change_plan(&change);
	ftrace_change_alloc(change.sites, &patches); /* without memory it takes several batches */
	error = ftrace_change_commit(&change, patches);
	vfree(patches);
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
		if (ops->list.prev) /* not yet by ftrace_turn_all_off() */
			list_del_rcu(&ops->list);
		*tramp = ops->trampoline;
	}
	if (error && *tramp) {
		ftrace_trampoline_silence(*tramp); /* sites may call it for ever, but not ops */
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

	if (error == -EINVAL)
		return error;
	/* Without the mutex, so that all who wait share grace periods. */
	synchronize_rcu_tasks();
	ftrace_unregister_end(tramp);
	return error;
}

/* An empty set is no set, so that callbacks need to look at the pointer only. */
static struct ftrace_hash *null_if_empty(struct ftrace_hash *hash)
{
	if (!ftrace_hash_empty(hash))
		return hash;
	ftrace_hash_free(hash);
	return NULL;
}

/* What is planned for ops when these hashes become its own. */
static struct ftrace_change change_of_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
					     struct ftrace_hash *notrace_hash)
{
	return (struct ftrace_change){ .ops = ops,
				       .before = present_wish(ops),
				       .after = { true, filter, notrace_hash } };
}

/* May ops and its followers get these hashes, and is there memory for it? *sites: as in a change.
 */
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

/* ops gets these hashes, and its sites follow unless ftrace has been shut down. [F] */
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
	/* All of them, whatever happens: the old ones are freed. */
	for (struct ftrace_ops *o = ops; o; o = o->follower) {
		int failed = commit_hashes(o, filter, notrace_hash, sites, patches);

		error = error ? error : failed;
	}
	vfree(patches);
	/*
	 * List walkers may read the old hashes even if no ops is registered now: an ops may have
	 * left the list a moment ago.
	 */
	if (old_filter != filter)
		ftrace_hash_free_tasks(old_filter);
	if (old_notrace != notrace_hash)
		ftrace_hash_free_tasks(old_notrace);
	return error;
}

void ftrace_share_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower)
{
	mutex_lock(&ftrace_lock);
	follower->filter_hash = ops->filter_hash;
	follower->notrace_hash = ops->notrace_hash;
	follower->follower = ops->follower;
	ops->follower = follower;
	mutex_unlock(&ftrace_lock);
}

void ftrace_unshare_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower)
{
	mutex_lock(&ftrace_lock);
	while (ops->follower != follower)
		ops = ops->follower;
	ops->follower = follower->follower;
	follower->follower = NULL;
	follower->filter_hash = follower->notrace_hash = NULL;
	mutex_unlock(&ftrace_lock);
}

/* ---- the end ---- */

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
			tramp = NULL; /* it is silent, but sites may call it for ever */
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
