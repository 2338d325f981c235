/*
 * The tasks ksoftirqd/N, one for each CPU. They run the softirqs that irq_exit() leaves: those that
 * handlers keep raising, and those that are raised outside of interrupts.
 */
#include "kernel/init.h"
#include "kernel/irq/softirq.h"
#include "kernel/panic.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"

static DEFINE_PER_CPU(struct task_struct *, ksoftirqd_task); /* [C] once set, at boot */

/* softirq_wake_hook. A CPU without its task yet runs the softirqs at its next interrupt. */
static void wake_ksoftirqd(void)
{
	struct task_struct *task = this_cpu_read(ksoftirqd_task);

	if (task)
		wake_up_process(task);
}

/* The task is bound to its CPU, so it always looks at the softirqs of that CPU. */
static int ksoftirqd(void *unused __unused)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (!softirqs_pending()) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		do_softirq();
		cond_resched();
	}
	return 0;
}

static int __init spawn_ksoftirqd(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		struct task_struct *task = kthread_create(ksoftirqd, NULL, "ksoftirqd/%u", cpu);

		if (IS_ERR(task))
			panic("no memory for ksoftirqd/%u", cpu);
		kthread_bind(task, cpu);
		WRITE_ONCE(per_cpu(ksoftirqd_task, cpu), task);
		wake_up_process(task);
	}
	WRITE_ONCE(softirq_wake_hook, wake_ksoftirqd);
	return 0;
}
core_initcall(spawn_ksoftirqd);
