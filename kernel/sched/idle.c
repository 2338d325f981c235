/*
 * The idle task of each CPU: it halts the CPU until a task becomes runnable.
 *
 * No tick runs then. The hardware timer stays programmed for the next timer of this CPU, if it has
 * one. The idle task runs with preemption disabled (count 1) and is never in a queue.
 * resched_curr() on its run queue ends the halt, by an IPI if another CPU calls it. While the idle
 * task is awake and looks at need_resched, rq->polling is true, and that CPU saves the IPI.
 */
#include "arch/cpu/halt.h"
#include "kernel/preemptirq.h"
#include "kernel/sched/runqueue.h"

static void do_idle(struct runqueue *rq)
{
	klp_sched_try_switch(rq->idle);
	WRITE_ONCE(rq->polling, true);
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
			WRITE_ONCE(rq->polling, false);
			smp_mb(); /* resched_curr() writes need_resched before it reads polling */
			if (!READ_ONCE(rq->need_resched)) {
				critical_timings(true);
				report_irqs(on, do_idle, _RET_IP_);
				native_safe_halt();
				critical_timings(false);
			}
			WRITE_ONCE(rq->polling, true);
		}
		local_irq_enable();
	}
	WRITE_ONCE(rq->polling, false);
	__schedule(false);
}

void cpu_startup_entry(void)
{
	struct runqueue *rq = this_rq();

	local_irq_enable();
	for (;;)
		do_idle(rq);
}
