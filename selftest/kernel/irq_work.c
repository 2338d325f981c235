/* Self-tests of irq_work. */
#include "kernel/irq/irq_work.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "arch/irq/traps.h"
#include "kernel/irq/irq.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

struct noted {
	struct irq_work work;
	unsigned runs, cpu, again;
	u32 order;
	bool hardirq, irqs_off;
};

static u32 order;

static void note(struct irq_work *work)
{
	struct noted *noted = container_of(work, struct noted, work);

	noted->runs++;
	noted->order = ++order;
	noted->cpu = smp_processor_id();
	noted->hardirq = in_hardirq();
	noted->irqs_off = irqs_disabled();
	if (noted->again) {
		noted->again--;
		irq_work_queue(work);
	}
}

SELFTEST(irq_work, runs_in_hardirq_context_on_the_cpu_that_queued_it)
{
	struct noted noted = { .work.func = note };
	unsigned cpu;

	preempt_disable();
	cpu = smp_processor_id();
	EXPECT(irq_work_queue(&noted.work));
	preempt_enable();
	irq_work_sync(&noted.work);
	EXPECT_EQ(noted.runs, 1);
	EXPECT_EQ(noted.cpu, cpu);
	EXPECT(noted.hardirq && noted.irqs_off);
}

SELFTEST(irq_work, waits_until_interrupts_are_on_and_runs_once_oldest_first)
{
	struct noted first = { .work.func = note }, second = { .work.func = note };
	unsigned long flags;

	local_irq_save(flags);
	EXPECT(irq_work_queue(&first.work));
	EXPECT(irq_work_queue(&second.work));
	EXPECT(!irq_work_queue(&first.work));
	EXPECT_EQ(first.runs + second.runs, 0);
	local_irq_restore(flags);
	irq_work_sync(&first.work);
	irq_work_sync(&second.work);
	EXPECT_EQ(first.runs, 1);
	EXPECT_EQ(second.runs, 1);
	EXPECT(first.order < second.order);
}

SELFTEST(irq_work, may_queue_itself_again)
{
	struct noted noted = { .work.func = note, .again = 9 };

	EXPECT(irq_work_queue(&noted.work));
	irq_work_sync(&noted.work);
	EXPECT_EQ(noted.runs, 10);
}

SELFTEST(irq_work, is_queued_from_nmi_context)
{
	struct noted noted = { .work.func = note };
	unsigned long flags;

	local_irq_save(flags);
	nmi_enter();
	EXPECT(irq_work_queue(&noted.work));
	nmi_exit();
	EXPECT_EQ(noted.runs, 0);
	local_irq_restore(flags);
	irq_work_sync(&noted.work);
	EXPECT_EQ(noted.runs, 1);
}

/* The function on CPU 1, which the host or a slow handler may hold up. */
static bool long_run_began, long_run_ended;

static void run_long_on_second_cpu(struct irq_work *work __unused)
{
	ktime_t begin = ktime_get();

	if (smp_processor_id() != nth_online_cpu(1))
		return;
	WRITE_ONCE(long_run_began, true);
	while (ktime_get() - begin < 20 * NSEC_PER_MSEC)
		cpu_relax();
	smp_store_release(&long_run_ended, true);
}

static void queue_work(void *work, unsigned index __unused)
{
	irq_work_queue(work);
}

SELFTEST(irq_work, sync_waits_for_each_of_two_cpus_that_run_a_work)
{
	struct irq_work work = { .func = run_long_on_second_cpu };
	struct test_group group;

	if (num_online_cpus() < 2)
		return;
	ASSERT(run_on_nth_cpu(0));
	long_run_began = long_run_ended = false;
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), queue_work, &work));
	while (!READ_ONCE(long_run_began))
		cpu_relax();
	/* It runs here and ends, while the function still runs on CPU 1. */
	EXPECT(irq_work_queue(&work));
	irq_work_sync(&work);
	EXPECT(smp_load_acquire(&long_run_ended));
	test_group_wait(&group);
	run_on_any_cpu();
}

#define STORM 2000U

static struct irq_work shared;
static u64 shared_queued, shared_runs;

static void count_run(struct irq_work *work __unused)
{
	__atomic_fetch_add(&shared_runs, 1, __ATOMIC_RELAXED);
}

static void queue_shared(void *data __unused)
{
	for (unsigned i = 0; i < STORM; i++)
		if (irq_work_queue(&shared))
			__atomic_fetch_add(&shared_queued, 1, __ATOMIC_RELAXED);
}

SELFTEST(irq_work, one_work_queued_by_all_cpus_runs_as_often_as_it_was_queued)
{
	init_irq_work(&shared, count_run);
	shared_queued = shared_runs = 0;
	ASSERT(run_on_cpus(queue_shared, NULL) == 0);
	irq_work_sync(&shared);
	EXPECT(shared_queued > 0);
	EXPECT_EQ(shared_runs, shared_queued);
}
