/*
 * The lockup detectors.
 *
 * Every CPU that is not idle takes a check once a second, as a CPU event of its timer. In the check
 * the CPU looks at itself (soft) and at the next online CPU (hard). An idle CPU takes no checks,
 * unless the CPU that it watches is not idle. So nothing happens while all CPUs are idle. A CPU
 * that leaves idle sends an IPI to its watcher if the watcher has no check pending: at most once a
 * second.
 *
 * A host may stop a virtual CPU for many seconds, and the clock goes on. So neither detector judges
 * by time. Both count what the suspected CPU itself has done:
 *
 *   soft	Each check asks for a reschedule. Suppose a CPU takes watchdog_thresh checks in a
 *		row, a second apart or more, without one pass through the scheduler in between.
 *		Then it has run one task with preemption off, or softirqs, for all that time. A
 *		stopped CPU takes no checks, and when it continues it takes one check, not ten.
 *   hard	A CPU with interrupts off takes no checks. When its watcher sees that, it sends an
 *		NMI. The NMI handler counts the NMIs that have interrupted code with interrupts
 *		off. A stopped CPU answers several NMIs with one when it continues, and then takes
 *		its pending check, which ends the suspicion. watchdog_thresh answered NMIs in a row
 *		without a check in between are a lockup.
 *
 * A lockup is reported once, until the CPU moves again. A machine with a single CPU has no hard
 * detector. The detectors do not see a CPU that hangs in its idle task.
 */
#include "kernel/watchdog.h"

#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/ptrace.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define CHECK_PERIOD NSEC_PER_SEC
#define NMI_AFTER    2 /* periods without a check of the watched CPU: a single one may be chance */

int watchdog_thresh = 10;

/* Used by the CPU itself with interrupts off, unless noted. CPU_EVENT_WATCHDOG is its check. */
struct watchdog_cpu {
	u64 checks;     /* number of checks taken. The watcher reads it */
	u64 nmis;       /* number of NMIs that came with interrupts off. The watcher reads it */
	u64 last_sched; /* sched_pass_count() at the last check */
	unsigned soft_misses;
	bool soft_reported;
	unsigned watched, watcher; /* [C] once the hooks are set */
	/* About the watched CPU: */
	u64 seen_checks, seen_nmis;
	unsigned quiet, hard_misses;
	bool hard_reported;
};

static DEFINE_PER_CPU(struct watchdog_cpu, watchdogs);

static bool check_pending(unsigned cpu)
{
	return cpu_event_due(CPU_EVENT_WATCHDOG, cpu) != KTIME_MAX;
}

/* sched_ops.leave_idle. */
static void watchdog_leave_idle(ktime_t now)
{
	unsigned watcher = this_cpu_read(watchdogs.watcher);

	if (!check_pending(smp_processor_id()))
		cpu_event_start(CPU_EVENT_WATCHDOG, now + CHECK_PERIOD);
	if (!check_pending(watcher))
		smp_send_reschedule(watcher);
}

/* sched_ops.ipi: the watched CPU may need this CPU as its watcher. */
static void watchdog_ipi(void)
{
	if (!check_pending(smp_processor_id()) && !idle_cpu(this_cpu_read(watchdogs.watched)))
		cpu_event_start(CPU_EVENT_WATCHDOG, ktime_get() + CHECK_PERIOD);
}

/* Counts an NMI that has interrupted code with interrupts off, and returns whether it is one. */
static bool watchdog_nmi(struct pt_regs *regs)
{
	struct watchdog_cpu *wd = this_cpu_ptr(&watchdogs);

	if (!irqs_disabled_flags(regs->flags))
		return false;
	WRITE_ONCE(wd->nmis, wd->nmis + 1);
	return true;
}
NMI_HANDLER(watchdog_nmi);

static void check_soft(struct watchdog_cpu *wd, unsigned cpu)
{
	u64 passes = sched_pass_count(cpu);

	if (passes != wd->last_sched) {
		wd->last_sched = passes;
		wd->soft_misses = 0;
		wd->soft_reported = false;
	} else if (++wd->soft_misses >= (unsigned)watchdog_thresh && !wd->soft_reported) {
		wd->soft_reported = true;
		bust_spinlocks(
			true); /* a task may serve the console: it may be stuck on this CPU */
		pr_emerg("watchdog: BUG: soft lockup - CPU#%u stuck for %us! [%s:%d]\n", cpu,
			 wd->soft_misses, current->comm, current->pid);
		dump_stack();
		bust_spinlocks(false);
	}
	resched_cpu(cpu);
}

static void forget_suspicion(struct watchdog_cpu *wd, const struct watchdog_cpu *other)
{
	wd->seen_checks = READ_ONCE(other->checks);
	wd->seen_nmis = READ_ONCE(other->nmis);
	wd->quiet = 0;
	wd->hard_misses = 0;
	wd->hard_reported = false;
}

static void check_hard(struct watchdog_cpu *wd)
{
	const struct watchdog_cpu *other = per_cpu_ptr(&watchdogs, wd->watched);
	u64 nmis = READ_ONCE(other->nmis);

	if (idle_cpu(wd->watched) || READ_ONCE(other->checks) != wd->seen_checks) {
		forget_suspicion(wd, other);
		return;
	}
	if (++wd->quiet < NMI_AFTER || wd->hard_reported)
		return;
	if (nmis != wd->seen_nmis) {
		wd->seen_nmis = nmis;
		wd->hard_misses++;
	}
	if (wd->hard_misses < (unsigned)watchdog_thresh) {
		arch_send_nmi(wd->watched);
		return;
	}
	wd->hard_reported = true;
	bust_spinlocks(true); /* that CPU may serve the console's interrupts: write without them */
	pr_emerg("watchdog: Watchdog detected hard LOCKUP on cpu %u\n", wd->watched);
	smp_backtrace_cpu(wd->watched);
	bust_spinlocks(false);
}

/* CPU_EVENT_WATCHDOG: the check. */
static void watchdog_check(ktime_t now)
{
	struct watchdog_cpu *wd = this_cpu_ptr(&watchdogs);
	unsigned cpu = smp_processor_id();
	bool busy = !(current->flags & PF_IDLE);

	WRITE_ONCE(wd->checks, wd->checks + 1);
	if (watchdog_thresh <= 0)
		return;
	if (busy)
		check_soft(wd, cpu);
	if (wd->watched != cpu)
		check_hard(wd);
	/* The watched CPU queues a task, then looks for our check: we do it in the other order. */
	smp_mb();
	if (busy || !idle_cpu(wd->watched))
		cpu_event_start(CPU_EVENT_WATCHDOG, now + CHECK_PERIOD);
}

/* A CPU that has not been idle since the boot is treated as one that leaves idle now. */
static void watchdog_enable(void *unused __unused)
{
	if (!(current->flags & PF_IDLE))
		watchdog_leave_idle(ktime_get());
}

static int __init parse_thresh(const char *value)
{
	return value ? kstrtoint(value, 10, &watchdog_thresh) : -EINVAL;
}
__setup("watchdog_thresh", parse_thresh);

static int __init watchdog_init(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		unsigned watched = cpumask_next_from(cpu + 1, &cpu_online_mask);

		if (watched >= NR_CPUS)
			watched = cpumask_first(&cpu_online_mask);
		per_cpu(watchdogs, cpu).watched = watched;
		per_cpu(watchdogs, watched).watcher = cpu;
	}
	if (watchdog_thresh <= 0)
		return 0;
	cpu_event_setup(CPU_EVENT_WATCHDOG, watchdog_check);
	smp_store_release(&sched_ops.ipi, watchdog_ipi);
	smp_store_release(&sched_ops.leave_idle, watchdog_leave_idle);
	on_each_cpu(watchdog_enable, NULL, true);
	return 0;
}
core_initcall(watchdog_init);
