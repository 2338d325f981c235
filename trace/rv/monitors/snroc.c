/*
 * The monitor snroc, set non runnable on its own context: a task changes its state only while it
 * runs.
 */
#include "kernel/sched/sched_events.h"
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(snroc);
RV_DECLARE(sched);

/* ---- the automaton, which scripts/rvgen has made of snroc.dot ---- */

enum states_snroc {
	other_context_snroc = RV_INITIAL_STATE,
	own_context_snroc,
};
enum events_snroc {
	sched_set_state_snroc,
	sched_switch_in_snroc,
	sched_switch_out_snroc,
};

static const struct automaton automaton_snroc = {
	.state_names = {
		[other_context_snroc] = "other_context",
		[own_context_snroc] = "own_context",
	},
	.event_names = {
		[sched_set_state_snroc] = "sched_set_state",
		[sched_switch_in_snroc] = "sched_switch_in",
		[sched_switch_out_snroc] = "sched_switch_out",
	},
	.function = {
		[other_context_snroc] = {
			[sched_switch_in_snroc] = own_context_snroc,
		},
		[own_context_snroc] = {
			[sched_set_state_snroc] = own_context_snroc,
			[sched_switch_out_snroc] = other_context_snroc,
		},
	},
	.final_states = {
		[other_context_snroc] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void handle_sched_set_state(void *data __unused, struct task_struct *tsk,
				   unsigned state __unused)
{
	da_task_event(&rv_snroc, tsk, sched_set_state_snroc);
}

static void handle_sched_switch(void *data __unused, bool preempt __unused,
				struct task_struct *prev, struct task_struct *next,
				unsigned prev_state __unused)
{
	da_task_start_event(&rv_snroc, prev, sched_switch_out_snroc);
	da_task_event(&rv_snroc, next, sched_switch_in_snroc);
}

static const struct rv_probe probes_snroc[] = {
	RV_PROBE(sched_set_state_tp, handle_sched_set_state),
	RV_PROBE(sched_switch, handle_sched_switch),
	{ .tp = NULL },
};
RV_MONITOR_PER_TASK_IN(sched, snroc, "set non runnable on its own context.");
