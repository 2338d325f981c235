/*
 * Softirqs, and the entry to and exit from hardirq context.
 *
 * A handler raises a softirq on its CPU. The softirq runs when the outermost interrupt returns,
 * with interrupts on and the SOFTIRQ field of preempt_count set. So a softirq is not preempted, and
 * a CPU does not enter it twice. Softirqs that handlers keep raising are left to the task
 * ksoftirqd/N after ten rounds or 2 ms; that task competes with others (kernel/sched/ksoftirqd.c).
 */
#include "kernel/irq/softirq.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "kernel/bug.h"
#include "kernel/irq/irq.h"
#include "kernel/preemptirq.h"
#include "kernel/irq/irq_events.h"
#include "kernel/preempt.h"
#include "kernel/time/ktime.h"

#define MAX_SOFTIRQ_RESTART 10
#define MAX_SOFTIRQ_TIME    (2 * NSEC_PER_MSEC)

/* Written by the CPU itself with interrupts off. Other CPUs read it for statistics. */
struct softirq_cpu {
	u32 pending;      /* one bit per softirq */
	u64 irq_start;    /* ktime at the entry of the outermost hardirq */
	u64 irq_time;     /* ns */
	u64 softirq_time; /* ns, without the hardirqs that interrupted the softirqs */
	u64 counts[NR_SOFTIRQS];
};

static DEFINE_PER_CPU(struct softirq_cpu, softirq_cpus);
static void (*softirq_actions[NR_SOFTIRQS])(void);
void (*softirq_wake_hook)(void);

const char *const softirq_names[NR_SOFTIRQS] = {
	"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU",
};

void open_softirq(enum softirq nr, void (*action)(void))
{
	softirq_actions[nr] = action;
}

static void wakeup_softirqd(void)
{
	void (*wake)(void) = READ_ONCE(softirq_wake_hook);

	if (wake)
		wake();
}

/* Calls the action of each set bit. */
static void run_actions(struct softirq_cpu *sc, u32 pending)
{
	while (pending) {
		unsigned nr = (unsigned)__builtin_ctz(pending);
		u32 count = preempt_count();

		pending &= pending - 1;
		sc->counts[nr]++;
		trace_softirq_entry(nr);
		softirq_actions[nr]();
		trace_softirq_exit(nr);
		DEBUG_BUG_ON(preempt_count() != count);
		(void)count;
	}
}

/*
 * Runs the pending softirqs, at least one. Called with interrupts off and outside interrupt
 * context. Turns interrupts on for the actions, and off again before the return.
 */
static void __do_softirq(void)
{
	struct softirq_cpu *sc = this_cpu_ptr(&softirq_cpus);
	u64 start = ktime_get(), irq_time = sc->irq_time;
	u32 pending;

	preempt_count_add(SOFTIRQ_OFFSET);
	report_preempt(off, SOFTIRQ_OFFSET, __do_softirq);
	/*
	 * LAB 10: Actions run with interrupts on. Handlers may raise more of them meanwhile, but
	 * not for ever.
	 * Starts as: (void)wakeup_softirqd;
	 * while ((pending = sc->pending)) {
	 *	sc->pending = 0;
	 *	run_actions(sc, pending);
	 * }
	 */
	unsigned rounds = 0;

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
	/* END LAB 10 */
	report_preempt(on, SOFTIRQ_OFFSET, __do_softirq);
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

void local_bh_disable(void)
{
	preempt_count_add(SOFTIRQ_DISABLE_OFFSET);
	report_preempt(off, SOFTIRQ_DISABLE_OFFSET, local_bh_disable);
}

void local_bh_enable(void)
{
	/* Softirqs may run from here on, but the task stays on its CPU until it has looked. */
	preempt_disable();
	preempt_count_sub(SOFTIRQ_DISABLE_OFFSET);
	if (unlikely(this_cpu_read(softirq_cpus.pending)))
		do_softirq();
	preempt_enable();
}

void raise_softirq(enum softirq nr)
{
	unsigned long flags;

	local_irq_save(flags);
	trace_softirq_raise(nr);
	this_cpu_or(softirq_cpus.pending, 1U << nr);
	/* Interrupt context ends with a look at pending softirqs. Other contexts do not. */
	if (!in_interrupt())
		wakeup_softirqd();
	local_irq_restore(flags);
}

void irq_enter(void)
{
	preempt_count_add(HARDIRQ_OFFSET);
	report_preempt(off, HARDIRQ_OFFSET, irq_enter);
	if ((preempt_count() & HARDIRQ_MASK) == HARDIRQ_OFFSET)
		this_cpu_write(softirq_cpus.irq_start, ktime_get());
}

void irq_exit(void)
{
	struct softirq_cpu *sc = this_cpu_ptr(&softirq_cpus);

	if ((preempt_count() & HARDIRQ_MASK) == HARDIRQ_OFFSET)
		sc->irq_time += ktime_get() - sc->irq_start;
	report_preempt(on, HARDIRQ_OFFSET, irq_exit);
	preempt_count_sub(HARDIRQ_OFFSET);
	if (sc->pending && !in_interrupt())
		__do_softirq();
}

bool softirqs_pending(void)
{
	return this_cpu_read(softirq_cpus.pending) != 0;
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

/* The action of each softirq without an owner: raising one before open_softirq() is a bug. */
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
