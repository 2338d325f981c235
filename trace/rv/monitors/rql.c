/*
 * The monitor rql, run-queue locks: a CPU that holds the lock of a run queue does not turn its
 * interrupts on, and does not enter the scheduler. It takes the locks of two run queues at most, and
 * switches tasks with one.
 *
 * The table is written by hand: lab 19. Interrupts are off while a lock is held, so no other event
 * of the CPU comes between a lock and its event.
 */
#include "kernel/preemptirq_events.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/sched_tp_events.h"
#include "trace/rv/rv.h"

RV_DECLARE(rql);

enum states_rql {
	none_rql = RV_INITIAL_STATE,
	one_rql,
	two_rql,
};
enum events_rql {
	lock_rql,
	unlock_rql,
	irq_enable_rql,
	schedule_entry_rql,
	sched_switch_rql,
};

static const struct automaton automaton_rql = {
	.state_names = {
		[none_rql] = "none",
		[one_rql] = "one",
		[two_rql] = "two",
	},
	.event_names = {
		[lock_rql] = "lock",
		[unlock_rql] = "unlock",
		[irq_enable_rql] = "irq_enable",
		[schedule_entry_rql] = "schedule_entry",
		[sched_switch_rql] = "sched_switch",
	},
	.function = {
		/* LAB 19: For each state, the events that may come, and the states to which they lead. */
		[none_rql] = {
			[lock_rql] = one_rql,
			[irq_enable_rql] = none_rql,
			[schedule_entry_rql] = none_rql,
		},
		[one_rql] = {
			[lock_rql] = two_rql,
			[unlock_rql] = none_rql,
			[sched_switch_rql] = one_rql,
		},
		[two_rql] = {
			[unlock_rql] = one_rql,
		},
		/* END LAB 19 */
	},
	.final_states = {
		[none_rql] = true,
	},
};

static void handle_lock(void *data __unused, struct runqueue *rq __unused)
{
	/* LAB 19: Which event of the model is it? */
	da_handle_event(&rv_rql, lock_rql);
	/* END LAB 19 */
}

static void handle_unlock(void *data __unused, struct runqueue *rq __unused)
{
	/* LAB 19: The reverse. */
	da_handle_event(&rv_rql, unlock_rql);
	/* END LAB 19 */
}

static void handle_irq_enable(void *data __unused, unsigned long ip __unused,
			      unsigned long parent __unused)
{
	/* LAB 19: What does this event tell of a CPU whose state is unknown? */
	da_handle_start_event(&rv_rql, irq_enable_rql);
	/* END LAB 19 */
}

static void handle_schedule_entry(void *data __unused, bool preempt __unused)
{
	/* LAB 19: The scheduler begins. */
	da_handle_event(&rv_rql, schedule_entry_rql);
	/* END LAB 19 */
}

static void handle_sched_switch(void *data __unused, bool preempt __unused,
				struct task_struct *prev __unused,
				struct task_struct *next __unused, unsigned prev_state __unused)
{
	/* LAB 19: The CPU changes its task. */
	da_handle_event(&rv_rql, sched_switch_rql);
	/* END LAB 19 */
}

static const struct rv_probe probes_rql[] = {
	RV_PROBE(sched_rq_lock_tp, handle_lock),
	RV_PROBE(sched_rq_unlock_tp, handle_unlock),
	RV_PROBE(irq_enable, handle_irq_enable),
	RV_PROBE(sched_entry_tp, handle_schedule_entry),
	RV_PROBE(sched_switch, handle_sched_switch),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU(rql, "run-queue locks are released before interrupts go on.");
