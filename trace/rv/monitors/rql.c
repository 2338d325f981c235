/*
 * The monitor rql, run-queue locks: a CPU that holds the lock of a run queue does not turn its
 * interrupts on, does not take a lock that it holds, and releases none that it does not hold. It
 * holds two at most: that of its own run queue, and that of another one.
 *
 * Interrupts are off while a lock is held, so nothing else of the CPU comes between a lock and its
 * event. The table is written by hand: lab 19.
 */
#include "kernel/preemptirq_events.h"
#include "kernel/sched/runqueue.h"
#include "trace/rv/rv.h"

RV_DECLARE(rql);

/*
 * LAB 19: The states of a CPU, the events, and which event leads from which state to which one.
 * Starts as: static const struct automaton automaton_rql = { .state_names = { NULL } };
 */
enum states_rql {
	none_rql = RV_INITIAL_STATE,
	own_rql,
	other_rql,
	both_rql,
};
enum events_rql {
	lock_own_rql,
	lock_other_rql,
	unlock_own_rql,
	unlock_other_rql,
	irq_enable_rql,
};

static const struct automaton automaton_rql = {
	.state_names = {
		[none_rql] = "none",
		[own_rql] = "own",
		[other_rql] = "other",
		[both_rql] = "both",
	},
	.event_names = {
		[lock_own_rql] = "lock_own",
		[lock_other_rql] = "lock_other",
		[unlock_own_rql] = "unlock_own",
		[unlock_other_rql] = "unlock_other",
		[irq_enable_rql] = "irq_enable",
	},
	.function = {
		[none_rql] = {
			[lock_own_rql] = own_rql,
			[lock_other_rql] = other_rql,
			[irq_enable_rql] = none_rql,
		},
		[own_rql] = {
			[lock_other_rql] = both_rql,
			[unlock_own_rql] = none_rql,
		},
		[other_rql] = {
			[lock_own_rql] = both_rql,
			[unlock_other_rql] = none_rql,
		},
		[both_rql] = {
			[unlock_own_rql] = other_rql,
			[unlock_other_rql] = own_rql,
		},
	},
	.final_states = {
		[none_rql] = true,
	},
};
/* END LAB 19 */

/* This CPU is about to take the lock of rq. */
static void handle_lock(void *data __unused, struct runqueue *rq)
{
	/* LAB 19: Which event of the model is it? Starts as: (void)rq; */
	da_handle_event(&rv_rql, rq == this_rq() ? lock_own_rql : lock_other_rql);
	/* END LAB 19 */
}

/* It has released the lock of rq. */
static void handle_unlock(void *data __unused, struct runqueue *rq)
{
	/* LAB 19: Which one is this? Starts as: (void)rq; */
	da_handle_event(&rv_rql, rq == this_rq() ? unlock_own_rql : unlock_other_rql);
	/* END LAB 19 */
}

/* It is about to turn its interrupts on. */
static void handle_irq_enable(void *data __unused, unsigned long ip __unused,
			      unsigned long parent __unused)
{
	/* LAB 19: What does that say of a CPU whose state is unknown? */
	da_handle_start_event(&rv_rql, irq_enable_rql);
	/* END LAB 19 */
}

static const struct rv_probe probes_rql[] = {
	RV_PROBE(sched_rq_lock_tp, handle_lock),
	RV_PROBE(sched_rq_unlock_tp, handle_unlock),
	RV_PROBE(irq_enable, handle_irq_enable),
	{ .tp = NULL },
};
RV_MONITOR_PER_CPU(rql, "run-queue locks are released before interrupts go on.");
