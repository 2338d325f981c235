/*
 * The lockup detectors.
 *
 * Every CPU that is not idle takes a timer interrupt once a second, the check, in which it looks at
 * itself (soft) and at the next online CPU (hard). An idle CPU needs none, except while the CPU
 * that it watches is not idle. So if all CPUs are idle nothing happens, and a CPU that turns busy
 * sends an IPI to its watcher if that has no check pending: at most once a second.
 *
 * A virtual CPU may be stopped by its host for many seconds, and time goes on without it. Neither
 * detector therefore believes in a time that has passed; both count things that the suspect itself
 * has done:
 *
 *   soft	The check asks for a reschedule each time. A CPU on which watchdog_thresh checks
 *		in a row were taken, a second apart or more, without one pass through the
 *		scheduler in between, has been running one task with preemption off, or softirqs,
 *		all that time. A CPU that is stopped takes no checks, and one interrupt, not ten,
 *		when it goes on.
 *   hard	A CPU with interrupts off takes no checks. When its watcher finds that, it sends
 *		an NMI, whose handler counts if it has interrupted code with interrupts off. A CPU
 *		that is stopped answers several NMIs once when it goes on, and then takes its
 *		pending check, which ends the suspicion. watchdog_thresh answered NMIs in a row
 *		without a check in between are a lockup.
 *
 * Each is reported once, until the CPU moves again. A single CPU has nobody to watch it with
 * interrupts off. A CPU that hangs in its idle task is not seen.
 */
#include "kernel/watchdog.h"

#include "arch/ipi.h"
#include "arch/irqflags.h"
#include "arch/ptrace.h"
#include "arch/stacktrace.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define CHECK_PERIOD NSEC_PER_SEC
#define NMI_AFTER    2 /* periods without a check of the watched CPU: one may be chance */

int watchdog_thresh = 10;

/* Of the CPU itself, interrupts off, unless noted. */
struct watchdog_cpu {
	ktime_t next;   /* when the next check is due; KTIME_MAX if none is. Others read it */
	u64 checks;     /* taken. The watcher reads it */
	u64 nmis;       /* that came with interrupts off. The watcher reads it */
	u64 last_sched; /* sched_pass_count() at the last check */
	unsigned soft_misses;
	bool soft_reported;
	unsigned watched, watcher; /* constant once started */
	/* What this CPU knows of the one it watches: */
	u64 seen_checks, seen_nmis;
	unsigned quiet, hard_misses;
	bool hard_reported;
};

static DEFINE_PER_CPU(struct watchdog_cpu, watchdogs) = { .next = KTIME_MAX };
static bool started;

static void arm(struct watchdog_cpu *wd, ktime_t now)
{
	WRITE_ONCE(wd->next, now + CHECK_PERIOD);
	timer_program_before(wd->next);
}

ktime_t watchdog_next(void)
{
	return this_cpu_read(watchdogs.next);
}

void watchdog_leave_idle(ktime_t now)
{
	struct watchdog_cpu *wd = this_cpu_ptr(&watchdogs);

	if (!READ_ONCE(started))
		return;
	if (wd->next == KTIME_MAX)
		arm(wd, now);
	if (READ_ONCE(per_cpu(watchdogs, wd->watcher).next) == KTIME_MAX)
		smp_send_reschedule(wd->watcher);
}

void watchdog_ipi(void)
{
	struct watchdog_cpu *wd = this_cpu_ptr(&watchdogs);

	if (READ_ONCE(started) && wd->next == KTIME_MAX && !idle_cpu(wd->watched))
		arm(wd, ktime_get());
}

void watchdog_nmi(struct pt_regs *regs)
{
	struct watchdog_cpu *wd = this_cpu_ptr(&watchdogs);

	if (irqs_disabled_flags(regs->flags))
		WRITE_ONCE(wd->nmis, wd->nmis + 1);
}

static void check_soft(struct watchdog_cpu *wd, unsigned cpu)
{
	u64 passes = sched_pass_count(cpu);

	if (passes != wd->last_sched) {
		wd->last_sched = passes;
		wd->soft_misses = 0;
		wd->soft_reported = false;
	} else if (++wd->soft_misses >= (unsigned)watchdog_thresh && !wd->soft_reported) {
		wd->soft_reported = true;
		pr_emerg("watchdog: BUG: soft lockup - CPU#%u stuck for %us! [%s:%d]\n", cpu,
			 wd->soft_misses, current->comm, current->pid);
		dump_stack();
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
	bust_spinlocks(true); /* the console's interrupts may be that CPU's: write without them */
	pr_emerg("watchdog: Watchdog detected hard LOCKUP on cpu %u\n", wd->watched);
	smp_backtrace_cpu(wd->watched);
	bust_spinlocks(false);
}

void watchdog_timer_interrupt(ktime_t now)
{
	struct watchdog_cpu *wd = this_cpu_ptr(&watchdogs);
	unsigned cpu = smp_processor_id();
	bool busy = !(current->flags & PF_IDLE);

	WRITE_ONCE(wd->checks, wd->checks + 1);
	if (watchdog_thresh <= 0) {
		WRITE_ONCE(wd->next, KTIME_MAX);
		return;
	}
	if (busy)
		check_soft(wd, cpu);
	if (wd->watched != cpu)
		check_hard(wd);
	WRITE_ONCE(wd->next, KTIME_MAX);
	smp_mb(); /* a CPU that leaves idle queues its task, then looks if its watcher has a check
		   */
	if (busy || !idle_cpu(wd->watched))
		WRITE_ONCE(wd->next, now + CHECK_PERIOD);
}

/* A CPU that has not been idle since the boot is watched as one that has just left idle. */
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
	smp_store_release(&started, watchdog_thresh > 0);
	on_each_cpu(watchdog_enable, NULL, true);
	return 0;
}
core_initcall(watchdog_init);
