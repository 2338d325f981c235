/* The monitor tss, task switch while scheduling: a CPU switches tasks only in the scheduler. */
#include "kernel/sched/sched_events.h"
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(tss);
RV_DECLARE(sched);

/* ---- the automaton, which scripts/rvgen has made of tss.dot ---- */

enum states_tss {
	thread_tss = RV_INITIAL_STATE,
	sched_tss,
};
enum events_tss {
	sched_switch_tss,
	schedule_entry_tss,
	schedule_exit_tss,
};

static const struct automaton automaton_tss = {
	.state_names = {
		[thread_tss] = "thread",
		[sched_tss] = "sched",
	},
	.event_names = {
		[sched_switch_tss] = "sched_switch",
		[schedule_entry_tss] = "schedule_entry",
		[schedule_exit_tss] = "schedule_exit",
	},
	.function = {
		[thread_tss] = {
			[schedule_entry_tss] = sched_tss,
		},
		[sched_tss] = {
			[sched_switch_tss] = sched_tss,
			[schedule_exit_tss] = thread_tss,
		},
	},
	.final_states = {
		[thread_tss] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void handle_sched_switch(void *data __unused, bool preempt __unused,
				struct task_struct *prev __unused,
				struct task_struct *next __unused, unsigned prev_state __unused)
{
	da_handle_event(&rv_tss, sched_switch_tss);
}

static void handle_schedule_entry(void *data __unused, bool preempt __unused)
{
	da_handle_event(&rv_tss, schedule_entry_tss);
}

static void handle_schedule_exit(void *data __unused, bool is_switch __unused)
{
	da_handle_start_event(&rv_tss, schedule_exit_tss);
}

static const struct rv_probe probes_tss[] = {
	RV_PROBE(sched_switch, handle_sched_switch),
	RV_PROBE(sched_entry_tp, handle_schedule_entry),
	RV_PROBE(sched_exit_tp, handle_schedule_exit),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU_IN(sched, tss, "task switch while scheduling.");
