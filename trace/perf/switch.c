/*
 * What perf does at a task switch, while an event needs it: switches and migrations that are hits,
 * and the runtime of a task on each CPU.
 */
#include "trace/perf/internal.h"

/* R held, interrupts off; the current task is prev. */
static void perf_switch(struct task_struct *prev, struct task_struct *next)
{
	struct perf_context *ctx = rcu_dereference(prev->perf);

	if (ctx && ctx->run)
		ctx->run[smp_processor_id()] += prev->se.sum_exec_runtime - ctx->run_stamp;
	perf_software_switch(prev, next);
	ctx = rcu_dereference(next->perf);
	if (ctx && ctx->run)
		ctx->run_stamp = next->se.sum_exec_runtime;
}

static struct sched_switch_hook switch_hook = { .fn = perf_switch };
static DEFINE_MUTEX(switch_users_mutex);
static int switch_users; /* [switch_users_mutex] */

void perf_switch_users(int n)
{
	mutex_lock(&switch_users_mutex);
	switch_users += n;
	sched_switch_hook_set(&switch_hook, switch_users > 0);
	mutex_unlock(&switch_users_mutex);
}
