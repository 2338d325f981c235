/*
 * Load balancing: it decides on which CPU a task runs.
 *
 *	wake-up		the last CPU of the task if that is idle, else any idle CPU that the task
 *			may use, else the less loaded of two: its last CPU and the waker's CPU
 *			(select_task_rq)
 *	idle		a CPU without a task to run takes a waiting task from another CPU
 *			(idle_balance)
 *	tick		a CPU with several tasks ticks. Every 20 ms it gives one task to a CPU that
 *			has at least two tasks fewer (SCHED_SOFTIRQ). That catches the tasks that
 *			wake-ups and idle CPUs have missed, because an affinity changed later or
 *			because no CPU was idle at the time
 *	real time	a running real-time task makes no room for others. So the tick also looks
 *			for a CPU where one that waits runs sooner (push_task): for a real-time task
 *			each time, for a fair one every 20 ms
 *
 * So a waiting task reaches an idle CPU at once, or within two ticks and 20 ms, with 20 ms more for
 * each CPU that is tried in vain. All CPUs are equal: nop5 has no scheduling domains. The load of a
 * CPU is its number of runnable tasks.
 */
#include "kernel/sched/runqueue.h"

#include "kernel/irq/softirq.h"
#include "kernel/smp.h"

#define BALANCE_SCAN_MAX 32 /* waiting tasks examined under the lock */

/*
 * The number of tasks on rq that can run: those of the real-time class cannot while the CPU
 * throttles them. Without R it is a hint.
 */
static __always_inline unsigned nr_runnable(const struct runqueue *rq)
{
	unsigned nr = READ_ONCE(rq->nr_running);
	unsigned throttled = READ_ONCE(rq->rt.throttled) ? READ_ONCE(rq->rt.nr_running) : 0;

	return nr - min(nr, throttled);
}

/* False if no CPU that p may use is idle. One word holds the answer for up to 64 CPUs. */
static __always_inline bool maybe_idle_cpu(const struct task_struct *p)
{
	return nr_cpu_ids > 64 || (READ_ONCE(sched_idle_mask.bits[0]) & p->cpus_allowed.bits[0]);
}

/*
 * An idle CPU that p may use, the first one from its last CPU on; or NR_CPUS. For a fair task it
 * may be one that throttles its real-time tasks.
 */
static noinline unsigned find_idle_cpu(const struct task_struct *p)
{
	unsigned words = (nr_cpu_ids + 63) / 64, first = p->cpu / 64;
	unsigned long below = (1UL << (p->cpu % 64)) - 1;

	for (unsigned i = 0; i <= words; i++) {
		unsigned w = (first + i) % words;
		unsigned long idle = READ_ONCE(sched_idle_mask.bits[w]) & p->cpus_allowed.bits[w];

		if (i == 0)
			idle &= ~below;
		else if (i == words)
			idle &= below;
		for (; idle; idle &= idle - 1) {
			unsigned cpu = w * 64 + (unsigned)__builtin_ctzl(idle);

			if (task_is_rt(p) ? !READ_ONCE(cpu_rq(cpu)->nr_running)
					  : !nr_runnable(cpu_rq(cpu)))
				return cpu;
		}
	}
	return NR_CPUS;
}

/*
 * The online CPU with the fewest runnable tasks that p may use. One exists: set_cpus_allowed()
 * refuses a mask without online CPU.
 */
static unsigned find_least_loaded_cpu(const struct task_struct *p)
{
	unsigned cpu, best = p->cpu, least = ~0U;

	for_each_online_cpu (cpu) {
		unsigned load = READ_ONCE(cpu_rq(cpu)->nr_running);

		if (task_allowed(p, cpu) && load < least) {
			least = load;
			best = cpu;
		}
	}
	return best;
}

/*
 * Returns the priority of cpu's running task. While the CPU throttles real-time tasks, it is that
 * of migration/N, because no other real-time task runs then. Takes R, because without it the
 * running task could end and be freed. Interrupts off, no R held.
 */
static int running_priority(unsigned cpu)
{
	struct runqueue *rq = cpu_rq(cpu);
	int priority;

	rq_lock(rq);
	priority = rq->rt.throttled ? STOP_PRIO : rq->curr->rt_priority;
	rq_unlock(rq);
	return priority;
}

/*
 * The CPU with the least urgent running task, if p is more urgent than that task; else the last CPU
 * of p.
 */
static unsigned select_task_rq_rt(const struct task_struct *p)
{
	int lowest = p->rt_priority;
	unsigned cpu, best = p->cpu;

	if (task_allowed(p, best) && running_priority(best) < p->rt_priority)
		return best;
	for_each_online_cpu (cpu) {
		int priority;

		if (!task_allowed(p, cpu))
			continue;
		priority = running_priority(cpu);
		if (priority < lowest) {
			lowest = priority;
			best = cpu;
		}
	}
	return best;
}

unsigned select_task_rq_slow(struct task_struct *p)
{
	unsigned this_cpu = smp_processor_id();

	if (maybe_idle_cpu(p)) {
		unsigned cpu = find_idle_cpu(p);

		if (cpu < NR_CPUS)
			return cpu;
	}
	if (unlikely(task_is_rt(p))) {
		unsigned cpu = select_task_rq_rt(p);

		if (task_allowed(p, cpu))
			return cpu;
	}
	if (unlikely(!task_allowed(p, p->cpu)))
		return find_least_loaded_cpu(p);
	if (this_cpu != p->cpu && task_allowed(p, this_cpu) &&
	    READ_ONCE(cpu_rq(this_cpu)->nr_running) < READ_ONCE(task_rq(p)->nr_running))
		return this_cpu;
	return p->cpu;
}

/* The most urgent task that waits on rq and can run on cpu, or NULL. Both R held. */
static struct task_struct *find_movable_task(struct runqueue *rq, unsigned cpu)
{
	unsigned scanned = 0;

	for (unsigned word = 0; word < ARRAY_SIZE(rq->rt.bitmap) && !cpu_rq(cpu)->rt.throttled;
	     word++) {
		for (u64 levels = rq->rt.bitmap[word]; levels; levels &= levels - 1) {
			unsigned level = 64 * word + (unsigned)__builtin_ctzl(levels);
			struct task_struct *p;

			list_for_each_entry (p, &rq->rt.queue[level], rt_node) {
				if (p != rq->curr && task_allowed(p, cpu))
					return p;
				if (++scanned >= BALANCE_SCAN_MAX)
					return NULL;
			}
		}
	}
	for (struct task_struct *p = next_waiting_fair(&rq->fair, NULL);
	     p && scanned < BALANCE_SCAN_MAX; p = next_waiting_fair(&rq->fair, p), scanned++)
		if (task_allowed(p, cpu))
			return p;
	return NULL;
}

/*
 * Moves one waiting task, if from has at least min_load tasks and two more than to. True if it
 * moved one. Interrupts off.
 */
static bool move_one_task(struct runqueue *from, struct runqueue *to, unsigned min_load)
{
	/*
	 * LAB 9: Look again when both run queues are locked: another CPU may have been faster.
	 * Starts as: (void)from, (void)to, (void)min_load, (void)find_movable_task;
	 * return false;
	 */
	struct task_struct *p = NULL;

	double_rq_lock(from, to);
	if (from->nr_running >= min_load && from->nr_running >= nr_runnable(to) + 2)
		p = find_movable_task(from, to->cpu);
	if (p)
		move_queued_task(from, to, p);
	rq_unlock(from);
	rq_unlock(to);
	return p;
	/* END LAB 9 */
}

bool idle_balance(struct runqueue *rq)
{
	for (unsigned i = 1; i < nr_cpu_ids; i++) {
		unsigned cpu = rq->cpu + i < nr_cpu_ids ? rq->cpu + i : rq->cpu + i - nr_cpu_ids;
		struct runqueue *busy = cpu_rq(cpu);

		if (READ_ONCE(rq->need_resched))
			return true;
		if (cpu_online(cpu) && READ_ONCE(busy->nr_running) >= 2 &&
		    move_one_task(busy, rq, 2))
			return true;
	}
	return false;
}

void trigger_load_balance(struct runqueue *rq, u64 now)
{
	if (rq->nr_running < 2 || (now < rq->next_balance && rq->rt.nr_running < 2))
		return;
	rq->next_balance = now + SCHED_BALANCE_NS;
	raise_softirq(SCHED_SOFTIRQ);
}

/* Whether p, which waits behind a real-time task on from, will run sooner on to. Both R held. */
static bool runs_sooner(const struct runqueue *from, const struct runqueue *to,
			const struct task_struct *p)
{
	if (task_is_rt(p))
		return p->rt_priority > to->curr->rt_priority && !to->rt.throttled;
	return !to->rt.nr_running && to->nr_running < from->nr_running;
}

/* Moves one task from behind a real-time task. True if it moved one. Interrupts on. */
static bool push_task(struct runqueue *from, struct runqueue *to)
{
	/*
	 * LAB 9: The same, if the one that runs is still a real-time task and p runs sooner on to.
	 * Starts as: (void)from, (void)to, (void)runs_sooner;
	 * return false;
	 */
	struct task_struct *p = NULL;

	local_irq_disable();
	double_rq_lock(from, to);
	if (task_is_rt(from->curr))
		p = find_movable_task(from, to->cpu);
	if (p && !runs_sooner(from, to, p))
		p = NULL;
	if (p)
		move_queued_task(from, to, p);
	rq_unlock(from);
	rq_unlock(to);
	local_irq_enable();
	return p;
	/* END LAB 9 */
}

/* The same for any other CPU, at first for those without real-time tasks. */
static bool push_to_any_cpu(struct runqueue *rq)
{
	for (unsigned rt = 0; rt < 2; rt++) {
		unsigned cpu;

		for_each_online_cpu (cpu) {
			struct runqueue *to = cpu_rq(cpu);

			if (to != rq && !!READ_ONCE(to->rt.nr_running) == rt && push_task(rq, to))
				return true;
		}
	}
	return false;
}

/*
 * SCHED_SOFTIRQ: gives one waiting task to a CPU that has at least two fewer than this one. It
 * tries one CPU at a time, each time the next one, because an attempt takes two locks with
 * preemption off, and the waiting tasks may be bound to this CPU.
 */
static void run_rebalance(void)
{
	struct runqueue *rq = this_rq();

	if (task_is_rt(rq->curr) && READ_ONCE(rq->nr_running) > 1 && push_to_any_cpu(rq))
		return;
	for (unsigned i = 1; i <= nr_cpu_ids; i++) {
		unsigned cpu = (rq->balanced_to + i) % nr_cpu_ids;
		struct runqueue *to = cpu_rq(cpu);

		if (to == rq || !cpu_online(cpu) || READ_ONCE(rq->nr_running) < nr_runnable(to) + 2)
			continue;
		rq->balanced_to = cpu;
		local_irq_disable();
		move_one_task(rq, to, 2);
		local_irq_enable();
		return;
	}
}

void __init balance_init(void)
{
	open_softirq(SCHED_SOFTIRQ, run_rebalance);
}
