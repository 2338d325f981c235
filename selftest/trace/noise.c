/*
 * Self-tests of trace/tracers/noise/noise.c: a thread is interrupted by a softirq, that by an
 * interrupt, and that by an NMI. Each must be charged its own time only.
 *
 * The host may stop the CPU at any place, so no duration is known. But sums are: what an
 * interruption took, and what the others took that have interrupted it, is the time from its begin
 * to its end.
 */
#include "trace/tracers/noise/noise.h"

#include "arch/irq/ipi.h"
#include "arch/cpu/irqflags.h"
#include "kernel/irq/irq_work.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/locking/held_locks.h"
#include "kernel/sched/kthread.h"
#include "kernel/time/timer.h"
#include "kernel/time/trace_clock.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/trace_array.h"
#include "trace/tracers/noise/osnoise_events.h"

#define SPIN_US   200
#define MAX_NOTED 256

/* An event of noise on the CPU of the test. */
struct noted {
	enum noise_kind kind;
	int vector; /* or the PID */
	u64 start, duration, reported;
};
static struct noted noted[MAX_NOTED];
static unsigned nr_noted;
static unsigned test_cpu;

/* From the first to the last instruction of the test's function of that kind. */
static u64 first[NR_NOISE_KINDS], last[NR_NOISE_KINDS];
static bool done;

/*
 * Only on this CPU. An NMI between the two lines of the count would lose an entry, not damage one.
 */
static void note(enum noise_kind kind, int vector, u64 start, u64 duration)
{
	unsigned n;

	if (smp_processor_id() != test_cpu)
		return;
	n = __atomic_fetch_add(&nr_noted, 1, __ATOMIC_RELAXED);
	if (n < MAX_NOTED)
		noted[n] = (struct noted){ kind, vector, start, duration, trace_clock_local() };
}

static void note_nmi(void *data __unused, u64 start, u64 duration)
{
	note(NOISE_NMI, 0, start, duration);
}

static void note_irq(void *data __unused, int vector, const char *desc __unused, u64 start,
		     u64 duration)
{
	note(NOISE_IRQ, vector, start, duration);
}

static void note_softirq(void *data __unused, int vector, u64 start, u64 duration)
{
	note(NOISE_SOFTIRQ, vector, start, duration);
}

static void note_thread(void *data __unused, struct task_struct *t, u64 start, u64 duration)
{
	note(NOISE_THREAD, t->pid, start, duration);
}

static void attach(void)
{
	register_trace_nmi_noise(note_nmi, NULL);
	register_trace_irq_noise(note_irq, NULL);
	register_trace_softirq_noise(note_softirq, NULL);
	register_trace_thread_noise(note_thread, NULL);
}

static void detach(void)
{
	unregister_trace_thread_noise(note_thread, NULL);
	unregister_trace_softirq_noise(note_softirq, NULL);
	unregister_trace_irq_noise(note_irq, NULL);
	unregister_trace_nmi_noise(note_nmi, NULL);
}

/* ---- what interrupts what ---- */

static void spin_in_irq(struct irq_work *work __unused)
{
	first[NOISE_IRQ] = trace_clock_local();
	udelay(SPIN_US);
	arch_send_nmi(smp_processor_id());
	udelay(SPIN_US);
	last[NOISE_IRQ] = trace_clock_local();
}
static struct irq_work work = { .func = spin_in_irq };

static void spin_in_softirq(struct timer_list *timer __unused)
{
	first[NOISE_SOFTIRQ] = trace_clock_local();
	udelay(SPIN_US);
	irq_work_queue(&work);
	udelay(SPIN_US);
	last[NOISE_SOFTIRQ] = trace_clock_local();
	smp_store_release(&done, true);
}

/* A thread that is noise for the test. */
static int spin_in_thread(void *unused __unused)
{
	struct timer_list timer;

	timer_setup(&timer, spin_in_softirq);
	mod_timer(&timer, ktime_get());
	while (!smp_load_acquire(&done))
		cpu_relax();
	del_timer_sync(&timer);
	return 0;
}

/* Runs that thread on the CPU whose workload is this task. False: no memory. */
static bool make_noise(void)
{
	struct task_struct *thread = kthread_create(spin_in_thread, NULL, "noise_test");

	if (IS_ERR(thread))
		return false;
	kthread_bind(thread, test_cpu);
	noise_set_workload(test_cpu, current);
	noise_set_sampling(test_cpu, true);
	get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&thread->exited);
	put_task_struct(thread);
	noise_set_sampling(test_cpu, false);
	return true;
}

/* ---- the sums ---- */

/* Returns what the interruption took together with those that have interrupted it. */
static u64 total(const struct noted *it)
{
	u64 sum = it->duration;

	for (const struct noted *n = noted; n < noted + nr_noted; n++)
		if (n->kind < it->kind && n->start >= it->start && n->reported <= it->reported)
			sum += n->duration;
	return sum;
}

/* Returns the event of the test's own function: it encloses its first and last instruction. */
static const struct noted *find_own(enum noise_kind kind)
{
	for (const struct noted *n = noted; n < noted + nr_noted; n++)
		if (n->kind == kind && n->start <= first[kind] && n->reported >= last[kind])
			return n;
	return NULL;
}

static void check_own(struct selftest *test, enum noise_kind kind)
{
	const struct noted *own = find_own(kind);

	ASSERT(own);
	EXPECT(total(own) >= last[kind] - first[kind]); /* nothing is lost */
}

SELFTEST(noise, each_interruption_is_charged_its_own_time_and_no_more)
{
	struct cpumask here = { { 0 } };
	unsigned of_kind[NR_NOISE_KINDS] = { 0 };

	memset(noted, 0, sizeof(noted));
	nr_noted = 0;
	done = false;
	test_cpu = smp_processor_id();
	cpumask_set_cpu(test_cpu, &here);
	ASSERT(set_cpus_allowed(current, &here) == 0);
	attach();
	mutex_lock(&trace_types_lock);
	EXPECT_EQ(noise_start(), 0);
	EXPECT(make_noise());
	noise_stop();
	mutex_unlock(&trace_types_lock);
	detach();
	set_cpus_allowed(current, &cpu_possible_mask);

	ASSERT(nr_noted <= MAX_NOTED);
	for (const struct noted *n = noted; n < noted + nr_noted; n++) {
		of_kind[n->kind]++;
		EXPECT(total(n) <= n->reported - n->start); /* nothing is charged twice */
	}
	for (unsigned kind = 0; kind < NR_NOISE_KINDS; kind++)
		EXPECT(of_kind[kind]);
	check_own(test, NOISE_IRQ);
	check_own(test, NOISE_SOFTIRQ);
}

static u32 nmis_here(void)
{
	unsigned long flags;
	u64 total_ns;
	u32 count;

	local_irq_save(flags);
	noise_nmi_read(&count, &total_ns);
	local_irq_restore(flags);
	return count;
}

SELFTEST(noise, nmis_are_counted_while_a_tracer_asks_for_them)
{
	u32 before, after;

	mutex_lock(&trace_types_lock);
	EXPECT_EQ(noise_nmi_start(), 0);
	preempt_disable();
	before = nmis_here();
	arch_send_nmi(smp_processor_id());
	udelay(SPIN_US);
	after = nmis_here();
	EXPECT(after > before);
	preempt_enable();
	noise_nmi_stop();
	preempt_disable();
	before = nmis_here();
	arch_send_nmi(smp_processor_id());
	udelay(SPIN_US);
	EXPECT_EQ(nmis_here(), before);
	preempt_enable();
	mutex_unlock(&trace_types_lock);
}

/* A batch of events and a tracer take the same locks: in a DEBUG build the checker sees both. */
SELFTEST(noise, tracers_and_batches_of_events_take_locks_in_one_order)
{
	static const char *const tracers[] = { "hwlat", "osnoise", "timerlat", "wakeup",
					       "irqsoff" };

	EXPECT_EQ(put("events/sched/enable", "1"), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(tracers); i++)
		EXPECT_EQ(put("current_tracer", tracers[i]), 0);
	EXPECT_EQ(put("events/sched/enable", "0"), 0);
	reset();
#ifdef CONFIG_DEBUG
	EXPECT(debug_locks);
#endif
}
