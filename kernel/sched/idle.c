/*
 * The idle task of each CPU: halt until there is something to run.
 *
 * No tick runs meanwhile. The timer stays programmed for the next timer of this CPU, if it has any.
 * The idle task runs with preemption disabled (count 1) and is never in a queue; resched_curr() on
 * its run queue, with an IPI from another CPU, ends the halt.
 */
#include "kernel/sched/runqueue.h"

static void do_idle(struct runqueue *rq)
{
	klp_sched_try_switch(rq->idle);
	while (!READ_ONCE(rq->need_resched)) {
		local_irq_disable();
		if (!READ_ONCE(rq->need_resched) && !idle_balance(rq)) {
			if (!cpumask_test_cpu(rq->cpu, &sched_idle_mask))
				cpumask_set_cpu(rq->cpu, &sched_idle_mask);
			/*
			 * A waker that saw the mask before has either queued its task, and so asked
			 * for a reschedule, or will send its IPI: STI takes effect after HLT has
			 * begun.
			 */
			if (!READ_ONCE(rq->need_resched))
				safe_halt();
		}
		local_irq_enable();
	}
	__schedule(false);
}

void cpu_startup_entry(void)
{
	struct runqueue *rq = this_rq();

	local_irq_enable();
	for (;;)
		do_idle(rq);
}
