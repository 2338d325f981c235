/*
 * The monitor snep, schedule does not enable preempt: the scheduler does not switch preemption off
 * or on.
 */
#include "kernel/preemptirq_events.h"
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(snep);
RV_DECLARE(sched);

/* ---- the automaton, which scripts/rvgen has made of snep.dot ---- */

enum states_snep {
	non_scheduling_context_snep = RV_INITIAL_STATE,
	scheduling_contex_snep,
};
enum events_snep {
	preempt_disable_snep,
	preempt_enable_snep,
	schedule_entry_snep,
	schedule_exit_snep,
};

static const struct automaton automaton_snep = {
	.state_names = {
		[non_scheduling_context_snep] = "non_scheduling_context",
		[scheduling_contex_snep] = "scheduling_contex",
	},
	.event_names = {
		[preempt_disable_snep] = "preempt_disable",
		[preempt_enable_snep] = "preempt_enable",
		[schedule_entry_snep] = "schedule_entry",
		[schedule_exit_snep] = "schedule_exit",
	},
	.function = {
		[non_scheduling_context_snep] = {
			[preempt_disable_snep] = non_scheduling_context_snep,
			[preempt_enable_snep] = non_scheduling_context_snep,
			[schedule_entry_snep] = scheduling_contex_snep,
		},
		[scheduling_contex_snep] = {
			[schedule_exit_snep] = non_scheduling_context_snep,
		},
	},
	.final_states = {
		[non_scheduling_context_snep] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void handle_preempt_disable(void *data __unused, unsigned long ip __unused,
				   unsigned long parent __unused)
{
	da_handle_start_event(&rv_snep, preempt_disable_snep);
}

static void handle_preempt_enable(void *data __unused, unsigned long ip __unused,
				  unsigned long parent __unused)
{
	da_handle_start_event(&rv_snep, preempt_enable_snep);
}

static void handle_schedule_entry(void *data __unused, bool preempt __unused)
{
	da_handle_event(&rv_snep, schedule_entry_snep);
}

static void handle_schedule_exit(void *data __unused, bool is_switch __unused)
{
	da_handle_start_event(&rv_snep, schedule_exit_snep);
}

static const struct rv_probe probes_snep[] = {
	RV_PROBE(preempt_disable, handle_preempt_disable),
	RV_PROBE(preempt_enable, handle_preempt_enable),
	RV_PROBE(sched_entry_tp, handle_schedule_entry),
	RV_PROBE(sched_exit_tp, handle_schedule_exit),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU_IN(sched, snep, "schedule does not enable preempt.");
