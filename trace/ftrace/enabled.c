/* All callbacks off and on (/proc/sys/kernel/ftrace_enabled); and the shutdown after an error. */
#include "trace/ftrace/ops.h"

#include "kernel/errno.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "trace/ftrace/trampoline.h"

static LIST_HEAD(ftrace_off_ops); /* [F] the registered ops while ftrace_is_off; else empty */
bool ftrace_is_off;
static bool ftrace_disabled; /* set by an error, never cleared */

struct ftrace_request ftrace_current_request(const struct ftrace_ops *ops)
{
	return (struct ftrace_request){ !ftrace_is_off, ops->filter_hash, ops->notrace_hash };
}

int ftrace_change_sites(struct ftrace_change *change)
{
	struct text_patch *patches;
	int error;

	ftrace_change_plan(change);
	ftrace_change_alloc(change->sites, &patches);
	error = ftrace_change_commit(change, patches);
	vfree(patches);
	return error;
}

void ftrace_enter_off_list(struct ftrace_ops *ops)
{
	list_add_tail(&ops->off, &ftrace_off_ops);
}

void ftrace_leave_off_list(struct ftrace_ops *ops)
{
	list_del(&ops->off);
	ops->off.next = NULL;
}

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
		struct ftrace_change change = { .ops = ops, .before = ftrace_current_request(ops) };

		/* A list walker at this ops goes on to the end of a list, also if it returns. */
		list_del_rcu(&ops->list);
		ftrace_enter_off_list(ops);
		error = ftrace_change_sites(&change);
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
		struct ftrace_change change = { .ops = ops, .after = ftrace_current_request(ops) };

		ftrace_leave_off_list(ops);
		ftrace_enter_list(ops);
		error = ftrace_change_sites(&change);
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
		if (ops && ftrace_detach(ops, &tramp))
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
