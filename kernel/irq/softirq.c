/*
 * Softirqs, and the entry to and exit from hardirq context.
 *
 * A handler raises a softirq on its CPU; it runs when the outermost interrupt returns, or when
 * local_bh_enable() ends the last section that kept softirqs out, with interrupts on and the
 * SOFTIRQ field of preempt_count set, so it is neither preempted nor entered twice on a CPU.
 * Softirqs that keep being raised are left, after ten rounds or 2 ms, to the task ksoftirqd/N,
 * which competes with others.
 */
#include "kernel/irq/softirq.h"

#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/irq/irq.h"
#include "kernel/panic.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define MAX_SOFTIRQ_RESTART 10
#define MAX_SOFTIRQ_TIME    (2 * NSEC_PER_MSEC)

/* All of the CPU itself, interrupts off; read by others for statistics. */
struct softirq_cpu {
	u32 pending; /* bit per softirq */
	struct task_struct *ksoftirqd;
	u64 irq_start;    /* ktime of the outermost hardirq's entry */
	u64 irq_time;     /* ns */
	u64 softirq_time; /* ns, without the hardirqs that came in between */
	u64 counts[NR_SOFTIRQS];
};

static DEFINE_PER_CPU(struct softirq_cpu, softirq_cpus);
static void (*softirq_actions[NR_SOFTIRQS])(void);

const char *const softirq_names[NR_SOFTIRQS] = { "HI", "TIMER", "TTY", "SCHED", "RCU" };

void open_softirq(enum softirq nr, void (*action)(void))
{
	softirq_actions[nr] = action;
}

static void wakeup_softirqd(void)
{
	struct task_struct *task = this_cpu_read(softirq_cpus.ksoftirqd);

	if (task)
		wake_up_process(task);
}

/* Call the actions whose bits are set. */
static void run_actions(struct softirq_cpu *sc, u32 pending)
{
	while (pending) {
		unsigned nr = (unsigned)__builtin_ctz(pending);
		u32 count = preempt_count();

		pending &= pending - 1;
		sc->counts[nr]++;
		softirq_actions[nr]();
		DEBUG_BUG_ON(preempt_count() != count);
		(void)count;
	}
}

/*
 * Interrupts off, not in interrupt context; pending is not 0. Interrupts are off again on return.
 */
static void __do_softirq(void)
{
	struct softirq_cpu *sc = this_cpu_ptr(&softirq_cpus);
	u64 start = ktime_get(), irq_time = sc->irq_time;
	unsigned rounds = 0;
	u32 pending;

	preempt_count_add(SOFTIRQ_OFFSET);
	while ((pending = sc->pending)) {
		if (rounds++ >= MAX_SOFTIRQ_RESTART || ktime_get() - start >= MAX_SOFTIRQ_TIME) {
			wakeup_softirqd();
			break;
		}
		sc->pending = 0;
		local_irq_enable();
		run_actions(sc, pending);
		local_irq_disable();
	}
	preempt_count_sub(SOFTIRQ_OFFSET);
	sc->softirq_time += ktime_get() - start - (sc->irq_time - irq_time);
}

void do_softirq(void)
{
	unsigned long flags;

	if (in_interrupt())
		return;
	local_irq_save(flags);
	if (this_cpu_read(softirq_cpus.pending))
		__do_softirq();
	local_irq_restore(flags);
}

void raise_softirq(enum softirq nr)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_or(softirq_cpus.pending, 1U << nr);
	/*
	 * In an interrupt, or with softirqs held off, it runs at the end of that; else nothing
	 * would run it.
	 */
	if (!in_interrupt())
		wakeup_softirqd();
	local_irq_restore(flags);
}

void local_bh_disable(void)
{
	preempt_count_add(SOFTIRQ_DISABLE_OFFSET);
}

void local_bh_enable(void)
{
	/* Keep preemption off while softirqs run. */
	preempt_count_sub(SOFTIRQ_DISABLE_OFFSET - PREEMPT_OFFSET);
	if (unlikely(this_cpu_read(softirq_cpus.pending)) && !irqs_disabled())
		do_softirq();
	preempt_enable();
}

void irq_enter(void)
{
	preempt_count_add(HARDIRQ_OFFSET);
	if ((preempt_count() & HARDIRQ_MASK) == HARDIRQ_OFFSET)
		this_cpu_write(softirq_cpus.irq_start, ktime_get());
}

void irq_exit(void)
{
	struct softirq_cpu *sc = this_cpu_ptr(&softirq_cpus);

	if ((preempt_count() & HARDIRQ_MASK) == HARDIRQ_OFFSET)
		sc->irq_time += ktime_get() - sc->irq_start;
	preempt_count_sub(HARDIRQ_OFFSET);
	if (sc->pending && !in_interrupt())
		__do_softirq();
}

u64 softirq_count_read(enum softirq nr, unsigned cpu)
{
	return READ_ONCE(per_cpu(softirq_cpus, cpu).counts[nr]);
}

void irq_time_read(unsigned cpu, u64 *irq, u64 *softirq)
{
	const struct softirq_cpu *sc = per_cpu_ptr(&softirq_cpus, cpu);

	*irq = READ_ONCE(sc->irq_time);
	*softirq = READ_ONCE(sc->softirq_time);
}

/* Bound to its CPU, which this_cpu_*() below therefore name. */
static int ksoftirqd(void *unused __unused)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (!this_cpu_read(softirq_cpus.pending)) {
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
		WRITE_ONCE(per_cpu(softirq_cpus, cpu).ksoftirqd, task);
		wake_up_process(task);
	}
	return 0;
}
core_initcall(spawn_ksoftirqd);

/* An action for each softirq, so that raising one before its owner opened it is found. */
static void no_action(void)
{
	WARN_ON_ONCE(true);
}

void __init softirq_init(void)
{
	for (unsigned nr = 0; nr < NR_SOFTIRQS; nr++)
		if (!softirq_actions[nr])
			softirq_actions[nr] = no_action;
}
