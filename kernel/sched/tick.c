/*
 * The tick of a CPU. It runs while tasks compete for the CPU, to end their slices, and while the
 * CPU runs a program, to see how the program divides its time. An idle CPU does not tick.
 */
#include "kernel/sched/runqueue.h"
#include "kernel/time/timer.h"

DEFINE_PER_CPU(bool, irq_from_user);

void start_tick(struct runqueue *rq, ktime_t when)
{
	rq->tick_armed = true;
	cpu_event_start(CPU_EVENT_TICK, when);
}

/*
 * The time of the tick does not depend on the switch to the program. If it came 4 ms after the
 * switch, it would never find a program that always sleeps again before.
 */
void start_program_tick(struct runqueue *rq)
{
	start_tick(rq, (ktime_get() / USER_TICK_NS + 1) * USER_TICK_NS);
}

/* The tick has found p in its program, or in the kernel: task_cputime() divides its time so. */
static void account_tick(struct task_struct *p)
{
	if (this_cpu_read(irq_from_user))
		p->user_ticks++;
	else
		p->kernel_ticks++;
}

void scheduler_tick(ktime_t now)
{
	struct runqueue *rq = this_rq();
	struct task_struct *curr;

	rq_lock(rq);
	rq->tick_armed = false;
	curr = rq->curr;
	update_curr(rq, now);
	if (curr->mm)
		account_tick(curr);
	/* LAB 9: A fair task that has run for a slice makes room, if another one waits. */
	if (curr->se.weight && rq->fair.nr_running > 1 && now - rq->picked >= SCHED_SLICE_NS)
		resched_curr(rq);
	/* END LAB 9 */
	if (curr->policy == SCHED_RR)
		task_tick_rr(rq, curr);
	start_tick_if_needed(rq);
	if (curr->mm && !rq->tick_armed)
		start_tick(rq, ktime_get() + USER_TICK_NS);
	rq_unlock(rq);
	if (curr->mm && sched_ops.program_tick)
		sched_ops.program_tick(curr);
	calc_global_load(now, 0);
	trigger_load_balance(rq, now);
}
