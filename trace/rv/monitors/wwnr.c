/*
 * The monitor wwnr, wakeup while not running: a task that runs is not woken.
 *
 * The model is wrong, on purpose: a task that is about to sleep has set its state, still runs, and
 * may be woken. So it has errors, with which reactors can be tried.
 */
#include "kernel/sched/sched_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(wwnr);

/* ---- the automaton, which scripts/rvgen has made of wwnr.dot ---- */

enum states_wwnr {
	not_running_wwnr = RV_INITIAL_STATE,
	running_wwnr,
};
enum events_wwnr {
	switch_in_wwnr,
	switch_out_wwnr,
	wakeup_wwnr,
};

static const struct automaton automaton_wwnr = {
	.state_names = {
		[not_running_wwnr] = "not_running",
		[running_wwnr] = "running",
	},
	.event_names = {
		[switch_in_wwnr] = "switch_in",
		[switch_out_wwnr] = "switch_out",
		[wakeup_wwnr] = "wakeup",
	},
	.function = {
		[not_running_wwnr] = {
			[switch_in_wwnr] = running_wwnr,
			[wakeup_wwnr] = not_running_wwnr,
		},
		[running_wwnr] = {
			[switch_out_wwnr] = not_running_wwnr,
		},
	},
	.final_states = {
		[not_running_wwnr] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

/* The state is known when a task has gone to sleep for the first time. */
static void handle_switch(void *data __unused, bool preempt __unused, struct task_struct *prev,
			  struct task_struct *next, unsigned prev_state)
{
	if (prev_state == TASK_INTERRUPTIBLE)
		da_task_start_event(&rv_wwnr, prev, switch_out_wwnr);
	else
		da_task_event(&rv_wwnr, prev, switch_out_wwnr);
	da_task_event(&rv_wwnr, next, switch_in_wwnr);
}

static void handle_wakeup(void *data __unused, struct task_struct *p)
{
	da_task_event(&rv_wwnr, p, wakeup_wwnr);
}

static const struct rv_probe probes_wwnr[] = {
	RV_PROBE(sched_switch, handle_switch),
	RV_PROBE(sched_wakeup, handle_wakeup),
	{ .tp = NULL },
};
RV_MONITOR_PER_TASK(wwnr, "wakeup while not running per-task testing model.");
