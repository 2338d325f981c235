/*
 * The monitor sco, scheduling context operations: a task changes its state only outside of the
 * scheduler.
 */
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(sco);
RV_DECLARE(sched);

/* ---- the automaton, which scripts/rvgen has made of sco.dot ---- */

enum states_sco {
	thread_context_sco = RV_INITIAL_STATE,
	scheduling_context_sco,
};
enum events_sco {
	sched_set_state_sco,
	schedule_entry_sco,
	schedule_exit_sco,
};

static const struct automaton automaton_sco = {
	.state_names = {
		[thread_context_sco] = "thread_context",
		[scheduling_context_sco] = "scheduling_context",
	},
	.event_names = {
		[sched_set_state_sco] = "sched_set_state",
		[schedule_entry_sco] = "schedule_entry",
		[schedule_exit_sco] = "schedule_exit",
	},
	.function = {
		[thread_context_sco] = {
			[sched_set_state_sco] = thread_context_sco,
			[schedule_entry_sco] = scheduling_context_sco,
		},
		[scheduling_context_sco] = {
			[schedule_exit_sco] = thread_context_sco,
		},
	},
	.final_states = {
		[thread_context_sco] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void handle_sched_set_state(void *data __unused, struct task_struct *tsk __unused,
				   unsigned state __unused)
{
	da_handle_start_event(&rv_sco, sched_set_state_sco);
}

static void handle_schedule_entry(void *data __unused, bool preempt __unused)
{
	da_handle_event(&rv_sco, schedule_entry_sco);
}

static void handle_schedule_exit(void *data __unused, bool is_switch __unused)
{
	da_handle_start_event(&rv_sco, schedule_exit_sco);
}

static const struct rv_probe probes_sco[] = {
	RV_PROBE(sched_set_state_tp, handle_sched_set_state),
	RV_PROBE(sched_entry_tp, handle_schedule_entry),
	RV_PROBE(sched_exit_tp, handle_schedule_exit),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU_IN(sched, sco, "scheduling context operations.");
