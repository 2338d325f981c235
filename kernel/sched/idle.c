/*
 * The idle task of each CPU: it halts the CPU until a task becomes runnable.
 *
 * No tick runs meanwhile. The hardware timer stays programmed for the next timer of this CPU, if it
 * has one. The idle task runs with preemption disabled (count 1) and is never in a queue.
 * resched_curr() on its run queue ends the halt, by an IPI if another CPU calls it.
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
			 * A waker may have queued a task on this CPU since. Either need_resched is
			 * set now, or the waker's IPI comes later and ends the halt: STI takes
			 * effect only after HLT has begun.
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
