/*
 * Changes of the functions that an ops wants, while it is registered or not.
 *
 * Usually one ops has a pair of hashes. An ops may have followers, which use the same two hashes
 * (ftrace_share_hashes()): the graph tracer follows the filter of the function tracer. So each
 * function here has a loop over the ops and its followers; read it as if it ran once.
 */
#include "trace/ftrace/ops.h"

#include "kernel/errno.h"
#include "kernel/mm/vmalloc.h"

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
				       .before = ftrace_current_request(ops),
				       .after = { true, filter, notrace_hash } };
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
		error = ftrace_is_dead() ? -ENODEV : ftrace_change_plan(&change);
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
	/* Release: callbacks read the pointers without a lock, and must find complete hashes. */
	smp_store_release(&ops->filter_hash, filter);
	smp_store_release(&ops->notrace_hash, notrace_hash);
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED) || ftrace_is_dead())
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
