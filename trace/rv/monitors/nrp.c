/*
 * The monitor nrp, need resched preempts: a task is preempted only if it was asked to give up its
 * CPU.
 *
 * A preemption may begin, and an interrupt preempt the task before the scheduler is reached. When
 * the task runs again, the first preemption goes on, and nobody has asked for it any more. So after
 * an interrupt the model allows one preemption more.
 */
#include "arch/irq/irq_vectors_events.h"
#include "kernel/irq/irq_events.h"
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(nrp);
RV_DECLARE(sched);

/* ---- the automaton, which scripts/rvgen has made of nrp.dot ---- */

enum states_nrp {
	preempt_irq_nrp = RV_INITIAL_STATE,
	any_thread_running_nrp,
	nested_preempt_nrp,
	rescheduling_nrp,
};
enum events_nrp {
	irq_entry_nrp,
	sched_need_resched_nrp,
	schedule_entry_nrp,
	schedule_entry_preempt_nrp,
};

static const struct automaton automaton_nrp = {
	.state_names = {
		[preempt_irq_nrp] = "preempt_irq",
		[any_thread_running_nrp] = "any_thread_running",
		[nested_preempt_nrp] = "nested_preempt",
		[rescheduling_nrp] = "rescheduling",
	},
	.event_names = {
		[irq_entry_nrp] = "irq_entry",
		[sched_need_resched_nrp] = "sched_need_resched",
		[schedule_entry_nrp] = "schedule_entry",
		[schedule_entry_preempt_nrp] = "schedule_entry_preempt",
	},
	.function = {
		[preempt_irq_nrp] = {
			[irq_entry_nrp] = preempt_irq_nrp,
			[sched_need_resched_nrp] = preempt_irq_nrp,
			[schedule_entry_nrp] = nested_preempt_nrp,
			[schedule_entry_preempt_nrp] = nested_preempt_nrp,
		},
		[any_thread_running_nrp] = {
			[irq_entry_nrp] = any_thread_running_nrp,
			[sched_need_resched_nrp] = rescheduling_nrp,
			[schedule_entry_nrp] = any_thread_running_nrp,
		},
		[nested_preempt_nrp] = {
			[irq_entry_nrp] = nested_preempt_nrp,
			[sched_need_resched_nrp] = preempt_irq_nrp,
			[schedule_entry_nrp] = any_thread_running_nrp,
			[schedule_entry_preempt_nrp] = any_thread_running_nrp,
		},
		[rescheduling_nrp] = {
			[irq_entry_nrp] = preempt_irq_nrp,
			[sched_need_resched_nrp] = rescheduling_nrp,
			[schedule_entry_nrp] = any_thread_running_nrp,
			[schedule_entry_preempt_nrp] = any_thread_running_nrp,
		},
	},
	.final_states = {
		[any_thread_running_nrp] = true,
	},
};

/* ---- from what the kernel does to events of the model ---- */

static void irq_entry(void)
{
	da_task_event(&rv_nrp, current, irq_entry_nrp);
}

static void handle_irq(void *data __unused, int irq __unused, struct irqaction *action __unused)
{
	irq_entry();
}

static void handle_vector(void *data __unused, int vector __unused)
{
	irq_entry();
}

/* The request may be the first one, or not: the initial state allows more than that. */
static void handle_need_resched(void *data __unused, struct task_struct *tsk, int cpu __unused)
{
	da_task_start_event(&rv_nrp, tsk, sched_need_resched_nrp);
}

static void handle_schedule_entry(void *data __unused, bool preempt)
{
	da_task_event(&rv_nrp, current, preempt ? schedule_entry_preempt_nrp : schedule_entry_nrp);
}

static const struct rv_probe probes_nrp[] = {
	RV_PROBE(irq_handler_entry, handle_irq),
	RV_PROBE(local_timer_entry, handle_vector),
	RV_PROBE(irq_work_entry, handle_vector),
	RV_PROBE(reschedule_entry, handle_vector),
	RV_PROBE(call_function_entry, handle_vector),
	RV_PROBE(sched_set_need_resched_tp, handle_need_resched),
	RV_PROBE(sched_entry_tp, handle_schedule_entry),
	{ .tp = NULL },
};
RV_MONITOR_PER_TASK_IN(sched, nrp, "need resched preempts.");
