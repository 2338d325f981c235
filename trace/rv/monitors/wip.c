/*
 * The monitor wip, wakeup in preemptive: a task is woken only while preemption is off.
 *
 * As on Linux there is a moment in which it is wrong: an interrupt comes when preempt_disable() has
 * raised the count and has not reported it yet, and wakes a task. The interrupt finds the count
 * raised, so nothing that it does to the count is reported either.
 */
#include "kernel/preemptirq_events.h"
#include "kernel/sched/sched_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(wip);

/* ---- the automaton, which scripts/rvgen has made of wip.dot ---- */

enum states_wip {
	preemptive_wip = RV_INITIAL_STATE,
	non_preemptive_wip,
};
enum events_wip {
	preempt_disable_wip,
	preempt_enable_wip,
	sched_waking_wip,
};

static const struct automaton automaton_wip = {
	.state_names = {
		[preemptive_wip] = "preemptive",
		[non_preemptive_wip] = "non_preemptive",
	},
	.event_names = {
		[preempt_disable_wip] = "preempt_disable",
		[preempt_enable_wip] = "preempt_enable",
		[sched_waking_wip] = "sched_waking",
	},
	.function = {
		[preemptive_wip] = {
			[preempt_disable_wip] = non_preemptive_wip,
		},
		[non_preemptive_wip] = {
			[preempt_enable_wip] = preemptive_wip,
			[sched_waking_wip] = non_preemptive_wip,
		},
	},
	.final_states = {
		[preemptive_wip] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void handle_preempt_disable(void *data __unused, unsigned long ip __unused,
				   unsigned long parent __unused)
{
	da_handle_event(&rv_wip, preempt_disable_wip);
}

static void handle_preempt_enable(void *data __unused, unsigned long ip __unused,
				  unsigned long parent __unused)
{
	da_handle_start_event(&rv_wip, preempt_enable_wip);
}

static void handle_sched_waking(void *data __unused, struct task_struct *p __unused)
{
	da_handle_event(&rv_wip, sched_waking_wip);
}

static const struct rv_probe probes_wip[] = {
	RV_PROBE(preempt_disable, handle_preempt_disable),
	RV_PROBE(preempt_enable, handle_preempt_enable),
	RV_PROBE(sched_waking, handle_sched_waking),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU(wip, "wakeup in preemptive per-cpu testing monitor.");
