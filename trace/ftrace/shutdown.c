/* The shutdown of ftrace after an error. It cannot be undone. */
#include "trace/ftrace/ops.h"

#include "kernel/rcu/rculist.h"
#include "trace/ftrace/trampoline.h"

static bool ftrace_disabled; /* set by an error, never cleared */

void ftrace_shut_down(void)
{
	WRITE_ONCE(ftrace_disabled, true);
}

bool ftrace_is_dead(void)
{
	return READ_ONCE(ftrace_disabled);
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
