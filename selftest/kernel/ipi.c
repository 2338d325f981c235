/* Self-tests of calls on other CPUs. */
#include "arch/irq/ipi.h"
#include "arch/cpu/irqflags.h"
#include "arch/mm/tlb.h"
#include "kernel/errno.h"
#include "kernel/irq/irq.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"
#include "kernel/smp.h"

/* A round waits for every CPU, and an emulator may run 16 CPUs one after another. */
static unsigned storm_rounds(void)
{
	return max(selftest_rounds(200) / num_online_cpus(), 10U);
}

static unsigned last_online_cpu(void)
{
	unsigned cpu, last = 0;

	for_each_online_cpu (cpu)
		last = cpu;
	return last;
}

struct seen {
	unsigned cpu;
	bool irqs_off, in_hardirq;
};

static void note_where(void *info)
{
	struct seen *seen = info;

	seen->cpu = smp_processor_id();
	seen->irqs_off = irqs_disabled();
	seen->in_hardirq = in_hardirq();
}

SELFTEST(ipi, single_call_runs_on_its_target_with_interrupts_off)
{
	unsigned target = last_online_cpu(), here;
	struct seen seen = { .cpu = NR_CPUS };
	int error;

	preempt_disable();
	here = smp_processor_id();
	error = smp_call_function_single(target, note_where, &seen, true);
	preempt_enable();
	ASSERT(error == 0);
	EXPECT_EQ(seen.cpu, target);
	EXPECT(seen.irqs_off);
	EXPECT_EQ(seen.in_hardirq, target != here);
}

SELFTEST(ipi, call_of_an_offline_cpu_is_refused)
{
	struct seen seen;

	EXPECT_EQ(smp_call_function_single(NR_CPUS - 1, note_where, &seen, true), -ENXIO);
	EXPECT_EQ(smp_call_function_single(NR_CPUS + 1, note_where, &seen, true), -ENXIO);
}

static void count_calls(void *info)
{
	atomic_inc(info);
}

static atomic_t calls_on[NR_CPUS];

static void count_calls_here(void *info __unused)
{
	atomic_inc(&calls_on[smp_processor_id()]);
}

SELFTEST(ipi, on_each_cpu_runs_once_on_every_cpu)
{
	unsigned cpu;

	for_each_online_cpu (cpu)
		atomic_set(&calls_on[cpu], 0);
	on_each_cpu(count_calls_here, NULL, true);
	for_each_online_cpu (cpu)
		EXPECT_EQ(atomic_read(&calls_on[cpu]), 1);
}

static void call_all_others(void *info)
{
	for (unsigned i = 0; i < storm_rounds(); i++)
		smp_call_function(count_calls, info, true);
}

SELFTEST(ipi, calls_from_all_cpus_at_once_are_all_run)
{
	atomic_t count = ATOMIC_INIT(0);
	unsigned n = num_online_cpus();

	ASSERT(run_on_cpus(call_all_others, &count) == 0);
	EXPECT_EQ(atomic_read(&count), storm_rounds() * n * (n - 1));
}

static void call_without_wait(void *info)
{
	for (unsigned i = 0; i < storm_rounds(); i++)
		on_each_cpu(count_calls, info, false);
}

SELFTEST(ipi, calls_that_nobody_waits_for_are_all_run)
{
	atomic_t count = ATOMIC_INIT(0), none = ATOMIC_INIT(0);
	unsigned n = num_online_cpus();

	ASSERT(run_on_cpus(call_without_wait, &count) == 0);
	/* Each call waits for the last call with its record: after these, no call is pending. */
	ASSERT(run_on_cpus(call_all_others, &none) == 0);
	EXPECT_EQ(atomic_read(&count), storm_rounds() * n * n);
}

/* info: [0] calls made, [1] calls run. */
static void call_with_interrupts_off(void *info)
{
	atomic_t *counts = info;
	unsigned cpu;

	for (unsigned i = 0; i < storm_rounds(); i++) {
		unsigned long flags;

		local_irq_save(flags);
		for_each_online_cpu (cpu)
			if (smp_call_function_single(cpu, count_calls, &counts[1], false) == 0)
				atomic_inc(&counts[0]);
		local_irq_restore(flags);
	}
}

SELFTEST(ipi, calls_with_interrupts_off_never_wait_for_each_other)
{
	static atomic_t counts[2];
	atomic_t none = ATOMIC_INIT(0);

	atomic_set(&counts[0], 0);
	atomic_set(&counts[1], 0);
	ASSERT(run_on_cpus(call_with_interrupts_off, counts) == 0);
	ASSERT(run_on_cpus(call_all_others, &none) == 0);
	EXPECT_EQ(atomic_read(&counts[1]), atomic_read(&counts[0]));
}

SELFTEST(ipi, text_sync_reaches_every_other_cpu)
{
	static u64 before[NR_CPUS];
	unsigned cpu, reached = 0;

	for_each_online_cpu (cpu)
		before[cpu] = irq_stat_read(IRQ_STAT_TXT, cpu);
	text_sync_all();
	for_each_online_cpu (cpu) {
		u64 more = irq_stat_read(IRQ_STAT_TXT, cpu) - before[cpu];

		EXPECT(more <= 1);
		reached += (unsigned)more;
	}
	EXPECT_EQ(reached, num_online_cpus() - 1);
}

static void sync_text_often(void *info __unused)
{
	for (unsigned i = 0; i < storm_rounds(); i++)
		text_sync_all();
}

SELFTEST(ipi, text_syncs_from_all_cpus_at_once_all_end)
{
	EXPECT(run_on_cpus(sync_text_often, NULL) == 0);
}

SELFTEST(ipi, nmi_reaches_every_cpu)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		u64 before = irq_stat_read(IRQ_STAT_NMI, cpu);

		arch_send_nmi(cpu);
		while (irq_stat_read(IRQ_STAT_NMI, cpu) == before)
			cond_resched();
	}
}
