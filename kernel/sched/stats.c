/*
 * Totals over all CPUs: /proc/stat, /proc/loadavg.
 *
 * The load averages are defined as in Linux: every 5 s the number of tasks that are runnable or in
 * uninterruptible sleep enters three exponential means, with 11 bits of fraction. No timer takes
 * the samples, because it would wake idle CPUs. Instead a CPU that becomes idle or busy, or ticks,
 * takes the sample if it is due. If several periods have passed without such an event, then the
 * number of tasks has not changed in them (a CPU with more than one task ticks). So all of these
 * samples are taken at once, with that number.
 */
#include "kernel/sched/runqueue.h"

#include "kernel/irq/softirq.h"
#include "kernel/smp.h"

#define FSHIFT            11
#define FIXED_1           (1UL << FSHIFT)
#define LOAD_PERIOD_NS    (5 * NSEC_PER_SEC)
#define LOAD_CATCH_UP_MAX 1000 /* periods; after so many even the 15-minute mean is constant */

/* FIXED_1 / exp(5 s / 1, 5, 15 min) */
static const unsigned long load_decay[3] = { 1884, 2014, 2037 };
static unsigned long avenrun[3];         /* [load_lock] */
static u64 next_sample = LOAD_PERIOD_NS; /* [load_lock] to write */
static spinlock_t load_lock = __SPINLOCK_INIT(load_lock);

static unsigned long count_active(long adjust)
{
	long n = adjust;
	unsigned cpu;

	for_each_online_cpu (cpu)
		n += (long)READ_ONCE(cpu_rq(cpu)->nr_running) +
		     READ_ONCE(cpu_rq(cpu)->nr_uninterruptible);
	return n > 0 ? (unsigned long)n : 0;
}

/* One step of the mean. Rounds up while the mean rises, so that it reaches a constant load. */
static unsigned long calc_load(unsigned long load, unsigned long decay, unsigned long active)
{
	unsigned long new = load *decay + active *(FIXED_1 - decay);

	if (active >= load)
		new += FIXED_1 - 1;
	return new / FIXED_1;
}

static noinline void take_load_samples(u64 now, long adjust)
{
	unsigned long active = count_active(adjust) * FIXED_1;
	u64 periods;

	if (!raw_ticket_trylock(&load_lock))
		return; /* another CPU takes the sample */
	if (now >= next_sample) {
		periods = (now - next_sample) / LOAD_PERIOD_NS + 1;
		next_sample += periods * LOAD_PERIOD_NS;
		for (u64 n = min(periods, (u64)LOAD_CATCH_UP_MAX); n; n--)
			for (unsigned i = 0; i < 3; i++)
				avenrun[i] = calc_load(avenrun[i], load_decay[i], active);
	}
	raw_ticket_unlock(&load_lock);
}

void calc_global_load(u64 now, long adjust)
{
	if (unlikely(now >= READ_ONCE(next_sample)))
		take_load_samples(now, adjust);
}

void get_avenrun(unsigned long loads[3])
{
	unsigned long flags;

	local_irq_save(flags);
	calc_global_load(ktime_get(), 0);
	local_irq_restore(flags);
	for (unsigned i = 0; i < 3; i++)
		loads[i] = READ_ONCE(avenrun[i]);
}

u64 task_sched_runtime(struct task_struct *p)
{
	unsigned long flags;
	struct runqueue *rq = task_rq_lock(p, &flags);
	u64 runtime;

	if (rq->curr == p)
		update_curr(rq, ktime_get());
	runtime = p->se.sum_exec_runtime;
	task_rq_unlock(rq, p, flags);
	return runtime;
}

void sched_cpu_stat(unsigned cpu, struct sched_stat *stat)
{
	struct runqueue *rq = cpu_rq(cpu);
	unsigned long flags;
	u64 busy, now;

	*stat = (struct sched_stat){ 0 };
	local_irq_save(flags);
	rq_lock(rq);
	now = ktime_get();
	update_curr(rq, now);
	stat->idle = rq->idle->se.sum_exec_runtime;
	busy = now - rq->online_since;
	busy = busy > stat->idle ? busy - stat->idle : 0;
	rq_unlock(rq);
	local_irq_restore(flags);
	irq_time_read(cpu, &stat->irq, &stat->softirq);
	/* The runtime of tasks includes the interrupts that came to them: subtract those. */
	stat->system = busy > stat->irq + stat->softirq ? busy - stat->irq - stat->softirq : 0;
}

u64 cpu_switches(unsigned cpu)
{
	return READ_ONCE(cpu_rq(cpu)->nr_switches);
}

u64 nr_context_switches(void)
{
	u64 sum = 0;
	unsigned cpu;

	for_each_online_cpu (cpu)
		sum += cpu_switches(cpu);
	return sum;
}

unsigned nr_running(void)
{
	unsigned sum = 0, cpu;

	for_each_online_cpu (cpu)
		sum += READ_ONCE(cpu_rq(cpu)->nr_running);
	return sum;
}
