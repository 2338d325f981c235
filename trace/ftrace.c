/*
 * Dynamic ftrace: which sites call a tracer, and changing that on the running machine.
 *
 * A site's count (in its record's flags) says how many registered ops want it: 0, it is a nop;
 *more, it calls ftrace_caller, which calls the callback of the only ops, or ftrace_ops_list_func()
 *when there are several, which asks each ops' hashes. A change of ops or filters counts all records
 *again, and patches in one batch those sites whose state has to change; then the call in
 *ftrace_caller.
 *
 *	0 ops	nop
 *	1 ops	call ftrace_caller -> call ops->func
 *	2 ops	call ftrace_caller -> call ftrace_ops_list_func -> each ops->func that wants the
 *site
 *
 * Nothing is freed that a callback may still use: callbacks run with preemption off, so once each
 *CPU has switched tasks (ftrace_synchronize) the old hash, ops or callback has no user left.
 */
#include "trace/ftrace.h"

#include "arch/x86_64/text_patch.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/printk.h"
#include "kernel/rcu/rcu.h"
#include "trace/ftrace_hash.h"
#include "trace/ftrace_internal.h"
#include "trace/trace_recursion.h"

DEFINE_MUTEX(ftrace_lock);
DEFINE_PER_CPU(u32, trace_recursion);

static LIST_HEAD(ftrace_ops_list); /* [F] to write; callbacks follow it with preemption off */
static bool ftrace_disabled;       /* [F] set once, by an error */

struct ftrace_ops *function_trace_op; /* [F] to write */

/* Where ftrace_caller's call leads while nobody is registered. */
void ftrace_stub_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		      struct ftrace_regs *fregs);
void ftrace_stub_func(unsigned long ip __unused, unsigned long parent_ip __unused,
		      struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
}

static __always_inline bool ops_want(const struct ftrace_ops *ops, u32 offset)
{
	const struct ftrace_hash *filter = READ_ONCE(ops->filter_hash);
	const struct ftrace_hash *notrace_hash = READ_ONCE(ops->notrace_hash);

	if (!ftrace_hash_empty(filter) && !ftrace_hash_contains(filter, offset))
		return false;
	return ftrace_hash_empty(notrace_hash) || !ftrace_hash_contains(notrace_hash, offset);
}

/* Several ops: each gets the sites that it wants. */
static void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *unused __unused, struct ftrace_regs *fregs)
{
	int bit = __trace_recursion_trylock(TRACE_RECURSION_LIST_SHIFT);
	struct list_head *pos;

	if (bit < 0)
		return;
	for (pos = smp_load_acquire(&ftrace_ops_list.next); pos != &ftrace_ops_list;
	     pos = smp_load_acquire(&pos->next)) {
		struct ftrace_ops *ops = list_entry(pos, struct ftrace_ops, list);

		if (!(ops->flags & FTRACE_OPS_FL_STUB) &&
		    ops_want(ops, (u32)(ip - KERNEL_IMAGE_BASE)))
			ops->func(ip, parent_ip, ops, fregs);
	}
	ftrace_test_recursion_unlock(bit);
}

/* Every CPU has switched tasks: no callback that ran when this was called still runs. Task context.
 */
void ftrace_synchronize(void)
{
	synchronize_rcu_tasks_rude();
}

static void ftrace_bug(const struct text_patch *patch, int error)
{
	const u8 *bytes = (const u8 *)patch->addr;

	ftrace_disabled = true;
	pr_err("ftrace: cannot patch %pS [<%p>]: error %d, shutting down\n", (void *)patch->addr,
	       (void *)patch->addr, error);
	pr_err("ftrace: expected %5ph, found %5ph, wanted %5ph\n", patch->old, bytes, patch->new);
	report_warning(__FILE__, __LINE__, "ftrace_bug");
}

/* Apply a batch; an error shuts ftrace down. [F] */
static int apply(const struct text_patch *patches, size_t count)
{
	size_t bad = 0;
	int error = text_patch_apply(patches, count, &bad);

	if (error)
		ftrace_bug(&patches[bad], error);
	return error;
}

/* Count anew who wants each site. Returns how many sites have to be patched. [F] */
static unsigned count_users(void)
{
	unsigned changes = 0, n = ftrace_record_count();

	for (unsigned i = 0; i < n; i++) {
		struct dyn_ftrace *rec = ftrace_record(i);
		struct ftrace_ops *ops;
		u32 users = 0;

		list_for_each_entry (ops, &ftrace_ops_list, list)
			users += ops_want(ops, rec->offset);
		WRITE_ONCE(rec->flags, (rec->flags & ~FTRACE_REF_MASK) | users);
		changes += !users != !(rec->flags & FTRACE_FL_ENABLED);
	}
	return changes;
}

static void site_patch(struct text_patch *patch, const struct dyn_ftrace *rec)
{
	bool enable = rec->flags & FTRACE_REF_MASK;

	patch->addr = ftrace_record_ip(rec);
	__builtin_memcpy(enable ? patch->old : patch->new, text_nop5, TEXT_PATCH_SIZE);
	text_encode_call(enable ? patch->new : patch->old, patch->addr,
			 (unsigned long)ftrace_caller);
}

/* Patch the sites from record *next on that have to change, at most max of them, and note it. [F]
 */
static int patch_sites(struct text_patch *patches, unsigned max, unsigned *next)
{
	unsigned n = ftrace_record_count(), first = *next, count = 0, i;
	int error;

	for (i = first; i < n && count < max; i++) {
		struct dyn_ftrace *rec = ftrace_record(i);

		if (!(rec->flags & FTRACE_REF_MASK) != !(rec->flags & FTRACE_FL_ENABLED))
			site_patch(&patches[count++], rec);
	}
	*next = i;
	error = apply(patches, count);
	if (error)
		return error;
	while (i-- > first) {
		struct dyn_ftrace *rec = ftrace_record(i);

		if (rec->flags & FTRACE_REF_MASK)
			rec->flags |= FTRACE_FL_ENABLED;
		else
			rec->flags &= ~FTRACE_FL_ENABLED;
	}
	return 0;
}

/*
 * Bring all sites up to date in one batch. If there is no memory for that, in many: to take sites
 * away must not fail. [F]
 */
static int update_sites(void)
{
	static struct text_patch few[64]; /* [F] */
	unsigned changes = count_users(), next = 0;
	struct text_patch *patches;
	int error;

	if (!changes)
		return 0;
	patches = vmalloc(changes * sizeof(*patches));
	do
		error = patches ? patch_sites(patches, changes, &next)
				: patch_sites(few, ARRAY_SIZE(few), &next);
	while (!error && next < ftrace_record_count());
	if (patches)
		vfree(patches);
	return error;
}

/* Have ftrace_caller call func. [F] */
static int set_ftrace_call(ftrace_func_t func)
{
	struct text_patch patch = { .addr = (unsigned long)ftrace_call };

	memcpy(patch.old, ftrace_call, TEXT_PATCH_SIZE);
	text_encode_call(patch.new, patch.addr, (unsigned long)func);
	return memcmp(patch.old, patch.new, TEXT_PATCH_SIZE) ? apply(&patch, 1) : 0;
}

/* The only ops if there is just one, else NULL. [F] */
static struct ftrace_ops *only_ops(void)
{
	if (list_empty(&ftrace_ops_list) || ftrace_ops_list.next != ftrace_ops_list.prev)
		return NULL;
	return list_first_entry(&ftrace_ops_list, struct ftrace_ops, list);
}

/*
 * Make the machine agree with the list of ops and their hashes. The list function, which looks at
 * nothing but the list, stands in while sites and function_trace_op change. [F]
 */
static int ftrace_run_update_code(void)
{
	struct ftrace_ops *only;
	int error = set_ftrace_call(ftrace_ops_list_func);

	if (!error)
		error = update_sites();
	if (error)
		return error;
	only = only_ops();
	if (!only || only->flags & FTRACE_OPS_FL_STUB)
		return 0;
	WRITE_ONCE(function_trace_op, only);
	/* Who has loaded the old ops is behind its callback before the new one is called. */
	ftrace_synchronize();
	return set_ftrace_call(only->func);
}

int register_ftrace_function(struct ftrace_ops *ops)
{
	int error = 0;

	if (!ops->func)
		return -EINVAL;
	mutex_lock(&ftrace_lock);
	if (ftrace_disabled) {
		error = -ENODEV;
	} else if (ops->flags & FTRACE_OPS_FL_ENABLED) {
		error = -EBUSY;
	} else {
		ops->flags |= FTRACE_OPS_FL_ENABLED | FTRACE_OPS_FL_INITIALIZED;
		list_add_tail(&ops->list, &ftrace_ops_list);
		error = ftrace_run_update_code();
	}
	mutex_unlock(&ftrace_lock);
	return error;
}

int unregister_ftrace_function(struct ftrace_ops *ops)
{
	int error;

	mutex_lock(&ftrace_lock);
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED)) {
		error = -EINVAL;
	} else {
		/* It is still called for its sites, through its pointers, until the end of this. */
		list_del(&ops->list);
		ops->flags &= ~FTRACE_OPS_FL_ENABLED;
		error = ftrace_disabled ? -ENODEV : ftrace_run_update_code();
		ftrace_synchronize();
	}
	mutex_unlock(&ftrace_lock);
	return error;
}

int ftrace_replace_hashes(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *notrace_hash)
{
	struct ftrace_hash *old_filter = ops->filter_hash, *old_notrace = ops->notrace_hash;
	unsigned long flags = 0;
	int error = 0;

	for (struct ftrace_ops *o = ops; o; o = o->follower) {
		smp_store_release(&o->filter_hash, filter);
		smp_store_release(&o->notrace_hash, notrace_hash);
		flags |= o->flags;
	}
	if (flags & FTRACE_OPS_FL_ENABLED)
		error = ftrace_disabled ? -ENODEV : ftrace_run_update_code();
	ftrace_synchronize();
	if (old_filter != filter)
		ftrace_hash_free(old_filter);
	if (old_notrace != notrace_hash)
		ftrace_hash_free(old_notrace);
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

bool ftrace_is_dead(void)
{
	return READ_ONCE(ftrace_disabled);
}

unsigned ftrace_verify(void (*report)(void *data, const struct dyn_ftrace *rec, const u8 *bytes),
		       void *data)
{
	unsigned n = ftrace_record_count(), mismatches = 0;

	mutex_lock(&ftrace_lock);
	for (unsigned i = 0; i < n; i++) {
		const struct dyn_ftrace *rec = ftrace_record(i);
		unsigned long ip = ftrace_record_ip(rec);
		u8 expected[TEXT_PATCH_SIZE];

		memcpy(expected, text_nop5, TEXT_PATCH_SIZE);
		if (rec->flags & FTRACE_FL_ENABLED)
			text_encode_call(expected, ip, (unsigned long)ftrace_caller);
		if (!memcmp((const void *)ip, expected, TEXT_PATCH_SIZE))
			continue;
		mismatches++;
		if (report)
			report(data, rec, (const u8 *)ip);
	}
	mutex_unlock(&ftrace_lock);
	return mismatches;
}
