/*
 * The monitor scpd, schedule called with preemption disabled: the scheduler begins and ends while
 * preemption is off.
 */
#include "kernel/preemptirq_events.h"
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(scpd);
RV_DECLARE(sched);

/* ---- the automaton, which scripts/rvgen has made of scpd.dot ---- */

enum states_scpd {
	cant_sched_scpd = RV_INITIAL_STATE,
	can_sched_scpd,
};
enum events_scpd {
	preempt_disable_scpd,
	preempt_enable_scpd,
	schedule_entry_scpd,
	schedule_exit_scpd,
};

static const struct automaton automaton_scpd = {
	.state_names = {
		[cant_sched_scpd] = "cant_sched",
		[can_sched_scpd] = "can_sched",
	},
	.event_names = {
		[preempt_disable_scpd] = "preempt_disable",
		[preempt_enable_scpd] = "preempt_enable",
		[schedule_entry_scpd] = "schedule_entry",
		[schedule_exit_scpd] = "schedule_exit",
	},
	.function = {
		[cant_sched_scpd] = {
			[preempt_disable_scpd] = can_sched_scpd,
		},
		[can_sched_scpd] = {
			[preempt_enable_scpd] = cant_sched_scpd,
			[schedule_entry_scpd] = can_sched_scpd,
			[schedule_exit_scpd] = can_sched_scpd,
		},
	},
	.final_states = {
		[cant_sched_scpd] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void handle_preempt_disable(void *data __unused, unsigned long ip __unused,
				   unsigned long parent __unused)
{
	da_handle_event(&rv_scpd, preempt_disable_scpd);
}

static void handle_preempt_enable(void *data __unused, unsigned long ip __unused,
				  unsigned long parent __unused)
{
	da_handle_start_event(&rv_scpd, preempt_enable_scpd);
}

static void handle_schedule_entry(void *data __unused, bool preempt __unused)
{
	da_handle_event(&rv_scpd, schedule_entry_scpd);
}

static void handle_schedule_exit(void *data __unused, bool is_switch __unused)
{
	da_handle_event(&rv_scpd, schedule_exit_scpd);
}

static const struct rv_probe probes_scpd[] = {
	RV_PROBE(preempt_disable, handle_preempt_disable),
	RV_PROBE(preempt_enable, handle_preempt_enable),
	RV_PROBE(sched_entry_tp, handle_schedule_entry),
	RV_PROBE(sched_exit_tp, handle_schedule_exit),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU_IN(sched, scpd, "schedule called with preemption disabled.");
