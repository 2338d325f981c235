/*
 * What perf does at a task switch, while an event needs it: events that are started on the CPU of
 * their task, switches and migrations that are hits, and the runtime of a task on each CPU.
 *
 * A CPU stops what it has started itself, which is in its list perf_started, and asks no context
 * what that is: an event may leave its context at the same time. It leaves in this order, under M:
 *
 *	1. active = false	no CPU starts it any more
 *	2. perf_kick()		the CPU of its task stops it; if the task does not run, its last
 *				switch has
 *	3. it leaves the list on_cpu, and is freed after a grace period
 */
#include "trace/perf/records.h"

#include "kernel/bug.h"
#include "kernel/init.h"
#include "trace/perf/software.h"

static DEFINE_PER_CPU(struct list_head,
		      perf_started); /* [O] events of the task that is on this CPU */

static void start_event(struct perf_event *event)
{
	event->started = true;
	if (event->of_task)
		list_add_tail(&event->started_node, this_cpu_ptr(&perf_started));
	event->pmu->start(event);
}

static void stop_event(struct perf_event *event)
{
	event->pmu->stop(event);
	if (event->of_task)
		list_del(&event->started_node);
	event->started = false;
}

static bool wanted_here(const struct perf_event *event)
{
	return READ_ONCE(event->active) &&
	       (event->cpu == -1 || event->cpu == (int)smp_processor_id());
}

void perf_stop_started(void)
{
	struct list_head *started = this_cpu_ptr(&perf_started);

	while (!list_empty(started))
		stop_event(list_first_entry(started, struct perf_event, started_node));
}

/* An IPI of perf_kick(), which keeps the context. */
void perf_resched(void *info)
{
	struct perf_context *ctx = info;
	struct perf_event *event;

	if (ctx->task && ctx->task != current_stable)
		return;
	list_for_each_entry_rcu (event, &ctx->on_cpu, hit_node) {
		if (wanted_here(event) == event->started)
			continue;
		if (event->started)
			stop_event(event);
		else
			start_event(event);
	}
}

static void leave(struct task_struct *prev)
{
	struct perf_context *ctx = rcu_dereference(prev->perf);

	if (ctx && ctx->run) {
		ctx->run[smp_processor_id()] += prev->se.sum_exec_runtime - ctx->run_stamp;
		/* The switch itself may be sampled: the time has been counted. */
		ctx->run_stamp = prev->se.sum_exec_runtime;
	}
	perf_stop_started();
}

static void enter(struct task_struct *next)
{
	struct perf_context *ctx = rcu_dereference(next->perf);
	struct perf_event *event;

	if (!ctx)
		return;
	if (ctx->run)
		ctx->run_stamp = next->se.sum_exec_runtime;
	list_for_each_entry_rcu (event, &ctx->on_cpu, hit_node)
		if (wanted_here(event))
			start_event(event);
}

/* R held, interrupts off; the current task is prev. */
static void perf_switch(struct task_struct *prev, struct task_struct *next)
{
	leave(prev);
	perf_software_switch(prev, next, *(unsigned long **)__builtin_frame_address(0));
	if (perf_records(PERF_RECORDS_SWITCH))
		perf_record_switch(prev, next);
	enter(next);
}

static int set_switch_tap(bool on)
{
	static struct sched_switch_hook hook = { .fn = perf_switch };

	sched_switch_hook_set(&hook, on);
	return 0;
}

struct perf_tap perf_switch_tap = { .set = set_switch_tap };

static int __init perf_switch_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&perf_started, cpu));
	return 0;
}
early_initcall(perf_switch_init);
