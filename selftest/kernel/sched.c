/* Self-tests of the scheduler: wake-ups, fairness, priorities, placement. */
#include "kernel/mm/slab.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/runqueue.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define HANDOFFS_ACROSS 4000U  /* with the CPUs chosen by the scheduler */
#define HANDOFFS_LOCAL  96000U /* on one CPU */

struct handoff {
	wait_queue_head_t wait;
	unsigned turn, count, handoffs;
};

static void hand_over(void *arg, unsigned index)
{
	struct handoff *h = arg;

	for (unsigned i = 0; i < h->handoffs / 2; i++) {
		wait_event(h->wait, READ_ONCE(h->turn) == index);
		h->count++;
		smp_store_release(&h->turn, !index);
		wake_up(&h->wait);
	}
}

static unsigned run_handoffs(unsigned handoffs, unsigned cpu)
{
	struct handoff h = { .handoffs = handoffs };

	init_waitqueue_head(&h.wait);
	run_threads(2, cpu, hand_over, &h);
	return h.count;
}

SELFTEST(sched, no_wakeup_is_lost_over_100000_handoffs)
{
	EXPECT_EQ(run_handoffs(HANDOFFS_ACROSS, ANY_CPU), HANDOFFS_ACROSS);
	EXPECT_EQ(run_handoffs(HANDOFFS_LOCAL, nth_online_cpu(1)), HANDOFFS_LOCAL);
}

struct spinners {
	bool stop;
	u64 naps, loops[4];
};

static void spin(void *arg, unsigned index)
{
	struct spinners *s = arg;

	while (!READ_ONCE(s->stop))
		WRITE_ONCE(s->loops[index], s->loops[index] + 1);
}

static u64 runtime(const struct test_group *group, unsigned index)
{
	return READ_ONCE(group->threads[index].task->se.sum_exec_runtime);
}

/*
 * When the host stops a CPU, the task that runs is charged for that time, and the fair class
 * compensates later. So a sample outside of the limits is taken again, some time later.
 */
SELFTEST(sched, equal_tasks_get_equal_time_within_10_percent)
{
	struct spinners s = { 0 };
	struct test_group group;
	u64 least = 0, most = 1;

	ASSERT(test_group_start(&group, 3, nth_online_cpu(1), spin, &s));
	for (unsigned sample = 0; sample < 200 && (!least || (most - least) * 10 > most);
	     sample++) {
		msleep(sample ? 50 : 300);
		least = min(min(runtime(&group, 0), runtime(&group, 1)), runtime(&group, 2));
		most = max(max(runtime(&group, 0), runtime(&group, 1)), runtime(&group, 2));
	}
	WRITE_ONCE(s.stop, true);
	test_group_wait(&group);
	selftest_diag(test, "least %lu us, most %lu us", least / 1000, most / 1000);
	EXPECT(least && (most - least) * 10 <= most);
}

/* Sleeps and wakes, so that the CPU picks another task each time, even if no slice ends. */
static void nap(void *arg, unsigned index __unused)
{
	struct spinners *s = arg;

	while (!READ_ONCE(s->stop)) {
		msleep(1);
		WRITE_ONCE(s->naps, s->naps + 1);
	}
}

/* The weights of nice 0 and 5 are 1024 and 335: a ratio of 3.06. */
static bool is_ratio_of_nice_5(u64 more, u64 less)
{
	return less * 26 < more * 10 && more * 10 < less * 36;
}

/*
 * Waits until thread 0 has run three times as long as thread 1, both counted from now. That takes
 * longer if the host stops the CPU.
 */
static bool wait_for_ratio_of_nice_5(const struct test_group *group)
{
	u64 high = runtime(group, 0), low = runtime(group, 1);

	for (unsigned sample = 0; sample < 100; sample++) {
		msleep(100);
		if (is_ratio_of_nice_5(runtime(group, 0) - high, runtime(group, 1) - low))
			return true;
	}
	return false;
}

/* One good share can be chance, and so can three. The virtual times tell what led to them. */
SELFTEST(sched, nice_5_gets_a_third_of_nice_0)
{
	struct task_times high, low, high_end, low_end;
	struct test_group group, napper;
	unsigned cpu = nth_online_cpu(1), good = 0;
	struct spinners s = { 0 };

	ASSERT(test_group_start(&napper, 1, cpu, nap, &s));
	while (!READ_ONCE(s.naps))
		msleep(1);
	ASSERT(test_group_start(&group, 2, cpu, spin, &s));
	EXPECT_EQ(set_user_nice(group.threads[1].task, 5), 0);
	high = task_times(group.threads[0].task);
	low = task_times(group.threads[1].task);
	while (good < 3 && wait_for_ratio_of_nice_5(&group))
		good++;
	high_end = task_times(group.threads[0].task);
	low_end = task_times(group.threads[1].task);
	WRITE_ONCE(s.stop, true);
	test_group_wait(&group);
	test_group_wait(&napper);
	EXPECT_EQ(good, 3);
	EXPECT_EQ(high_end.virtual - high.virtual, high_end.real - high.real);
	EXPECT(is_ratio_of_nice_5(low_end.virtual - low.virtual, low_end.real - low.real));
}

struct fifo_run {
	struct spinners *fair;
	u64 loops_meanwhile;
};

static void run_fifo(void *arg, unsigned index __unused)
{
	struct fifo_run *run = arg;
	u64 before;

	sched_setscheduler(current, SCHED_FIFO, 10);
	before = READ_ONCE(run->fair->loops[0]);
	udelay(20000); /* several slices of the fair class */
	run->loops_meanwhile = READ_ONCE(run->fair->loops[0]) - before;
}

SELFTEST(sched, fifo_task_is_not_preempted_by_fair_ones)
{
	struct spinners s = { 0 };
	struct fifo_run run = { .fair = &s };
	struct test_group group;
	unsigned cpu = nth_online_cpu(1);

	ASSERT(test_group_start(&group, 1, cpu, spin, &s));
	while (!READ_ONCE(s.loops[0]))
		msleep(1);
	set_rt_throttling(false);
	EXPECT(run_threads(1, cpu, run_fifo, &run));
	set_rt_throttling(true);
	WRITE_ONCE(s.stop, true);
	test_group_wait(&group);
	EXPECT_EQ(run.loops_meanwhile, 0);
}

struct fifo_order {
	struct completion go[3];
	unsigned order[3];
	atomic_t next;
};

static void note_order(void *arg, unsigned index)
{
	struct fifo_order *o = arg;

	wait_for_completion(&o->go[index]);
	o->order[atomic_add_return(1, &o->next) - 1] = index;
}

/* Wakes the three tasks, which wait on this CPU. It is more urgent than all of them. */
static void wake_three(void *arg, unsigned index __unused)
{
	struct fifo_order *o = arg;

	sched_setscheduler(current, SCHED_FIFO, 50);
	complete(&o->go[0]);
	complete(&o->go[2]);
	complete(&o->go[1]);
}

SELFTEST(sched, fifo_tasks_run_in_order_of_priority)
{
	unsigned cpu = nth_online_cpu(1);
	struct fifo_order o = { 0 };
	struct test_group group;

	for (unsigned i = 0; i < 3; i++)
		init_completion(&o.go[i]);
	ASSERT(test_group_start(&group, 3, cpu, note_order, &o));
	for (unsigned i = 0; i < 3; i++) {
		EXPECT_EQ(sched_setscheduler(group.threads[i].task, SCHED_FIFO, 10 + (int)i), 0);
		while (READ_ONCE(group.threads[i].task->__state) != TASK_UNINTERRUPTIBLE)
			msleep(1);
	}
	EXPECT(run_threads(1, cpu, wake_three, &o));
	test_group_wait(&group);
	EXPECT_EQ(o.order[0], 2);
	EXPECT_EQ(o.order[1], 1);
	EXPECT_EQ(o.order[2], 0);
}

struct round_robin {
	struct completion go;
	atomic_t ready;
	bool stop;
	u64 loops[2];
};

static void take_turns(struct round_robin *r, unsigned index)
{
	sched_setscheduler(current, SCHED_RR, 10);
	atomic_inc(&r->ready);
	wait_for_completion(&r->go);
	while (!READ_ONCE(r->stop))
		WRITE_ONCE(r->loops[index], r->loops[index] + 1);
}

/*
 * More urgent than the two others. It interrupts them for longer than their slices last together.
 */
static void interrupt_often(struct round_robin *r)
{
	sched_setscheduler(current, SCHED_FIFO, 50);
	while (atomic_read(&r->ready) < 2)
		msleep(1);
	complete_all(&r->go);
	for (unsigned i = 0; i < 50; i++)
		msleep(10);
	WRITE_ONCE(r->stop, true);
}

static void round_robin(void *arg, unsigned index)
{
	if (index == 2)
		interrupt_often(arg);
	else
		take_turns(arg, index);
}

/*
 * A slice goes on after an interruption. If each one began it anew, none would ever end, and one
 * task would keep the CPU.
 */
SELFTEST(sched, round_robin_tasks_take_turns_although_another_task_interrupts_them)
{
	struct round_robin r = { 0 };
	struct test_group group;

	init_completion(&r.go);
	ASSERT(test_group_start(&group, 3, nth_online_cpu(1), round_robin, &r));
	test_group_wait(&group);
	EXPECT(r.loops[0] && r.loops[1]);
}

static void hog_cpu(void *arg, unsigned index __unused)
{
	bool *over = arg;

	sched_setscheduler(current, SCHED_FIFO, MAX_RT_PRIO - 1);
	while (!READ_ONCE(*over))
		cpu_relax();
}

/*
 * A FIFO task of the highest priority must not delay a grace period, which makes each CPU switch.
 */
SELFTEST(sched, migration_task_runs_before_any_fifo_task)
{
	unsigned cpu = nth_online_cpu(1);
	struct test_group group;
	bool over = false;

	if (num_online_cpus() < 2)
		return; /* on a single CPU no other task could run */
	set_rt_throttling(false);
	ASSERT(test_group_start(&group, 1, cpu, hog_cpu, &over));
	while (READ_ONCE(group.threads[0].task->rt_priority) != MAX_RT_PRIO - 1)
		msleep(1);
	synchronize_sched();
	WRITE_ONCE(over, true);
	test_group_wait(&group);
	set_rt_throttling(true);
}

struct policy_race {
	struct task_struct *target;
	atomic64_t wrong;
};

/* One thread makes the target a round-robin task, the other one a fair task, again and again. */
static void set_policy_often(void *arg, unsigned index)
{
	struct policy_race *race = arg;
	struct task_struct *p = race->target;

	for (unsigned i = 0; i < 2000; i++) {
		struct runqueue *rq;
		unsigned long flags;

		if (sched_setscheduler(p, index ? SCHED_RR : SCHED_NORMAL, index ? 10 : 0))
			atomic64_inc(&race->wrong);
		rq = task_rq_lock(p, &flags);
		if (rt_policy(p->policy) != (p->normal_rt_priority != 0))
			atomic64_inc(&race->wrong);
		task_rq_unlock(rq, p, flags);
	}
}

SELFTEST(sched, policy_and_priority_change_together)
{
	struct policy_race race = { .target = current };
	struct test_group group;

	ASSERT(test_group_start(&group, 2, EACH_CPU, set_policy_often, &race));
	test_group_wait(&group);
	EXPECT_EQ(atomic64_read(&race.wrong), 0);
	sched_setscheduler(current, SCHED_NORMAL, 0);
}

SELFTEST(sched, refuses_priorities_out_of_range)
{
	EXPECT_EQ(sched_setscheduler(current, SCHED_FIFO, 0), -EINVAL);
	EXPECT_EQ(sched_setscheduler(current, SCHED_FIFO, 100), -EINVAL);
	EXPECT_EQ(sched_setscheduler(current, SCHED_NORMAL, 1), -EINVAL);
	EXPECT_EQ(sched_setscheduler(current, 7, 1), -EINVAL);
	EXPECT_EQ(set_user_nice(current, 20), -EINVAL);
	EXPECT_EQ(set_user_nice(current, -21), -EINVAL);
}

static void only_cpu(struct cpumask *mask, unsigned cpu)
{
	cpumask_clear(mask);
	cpumask_set_cpu(cpu, mask);
}

SELFTEST(sched, running_task_has_moved_when_its_affinity_is_set)
{
	struct spinners s = { 0 };
	struct test_group group;
	unsigned wrong = 0;

	ASSERT(test_group_start(&group, 2, ANY_CPU, spin, &s));
	for (unsigned i = 0; i < selftest_rounds(500); i++) {
		struct task_struct *p = group.threads[i % 2].task;
		unsigned cpu = nth_online_cpu(i / 2);
		struct cpumask mask;

		only_cpu(&mask, cpu);
		wrong += set_cpus_allowed(p, &mask) != 0;
		wrong += READ_ONCE(p->cpu) != cpu;
	}
	WRITE_ONCE(s.stop, true);
	test_group_wait(&group);
	EXPECT_EQ(wrong, 0);
}

static void move_oneself(void *arg, unsigned index)
{
	atomic_t *wrong = arg;

	for (unsigned i = 0; i < 100; i++) {
		unsigned cpu = nth_online_cpu(i + index);
		struct cpumask mask;

		only_cpu(&mask, cpu);
		if (set_cpus_allowed(current, &mask) || smp_processor_id() != cpu)
			atomic_inc(wrong);
	}
}

SELFTEST(sched, task_moves_itself)
{
	atomic_t wrong = ATOMIC_INIT(0);

	EXPECT(run_threads(3, ANY_CPU, move_oneself, &wrong));
	EXPECT_EQ(atomic_read(&wrong), 0);
}

SELFTEST(sched, affinity_without_an_online_cpu_is_refused)
{
	struct cpumask mask;

	cpumask_clear(&mask);
	EXPECT_EQ(set_cpus_allowed(current, &mask), -EINVAL);
	cpumask_set_cpu(NR_CPUS - 1, &mask);
	EXPECT_EQ(set_cpus_allowed(current, &mask), -EINVAL);
}

struct movers {
	bool stop;
	unsigned target;
	ktime_t arrived; /* when the first task ran on target */
};

static void spin_until_moved(void *arg, unsigned index __unused)
{
	struct movers *m = arg;

	while (!READ_ONCE(m->stop))
		if (READ_ONCE(current->cpu) == m->target && !READ_ONCE(m->arrived))
			WRITE_ONCE(m->arrived, ktime_get());
}

/*
 * Two tasks compete on one CPU. Then another CPU, which halts, becomes allowed for them. The caller
 * must not run on that CPU: it wakes up each millisecond, and the CPU would not be idle. This test
 * only checks that one task moves; a boot test checks the time, which it counts in instructions.
 */
SELFTEST(sched, waiting_task_goes_to_an_idle_cpu)
{
	unsigned a = nth_online_cpu(2), b = nth_online_cpu(1), polls = 0;
	struct cpumask mask;
	struct movers m = { .target = NR_CPUS };
	struct test_group group;
	ktime_t start;

	if (a == b)
		return;
	EXPECT(run_on_nth_cpu(3));
	ASSERT(test_group_start(&group, 2, ANY_CPU, spin_until_moved, &m));
	only_cpu(&mask, b);
	for (unsigned i = 0; i < 2; i++)
		EXPECT_EQ(set_cpus_allowed(group.threads[i].task, &mask), 0);
	msleep(50); /* b ticks, and has looked for a CPU for one of them without success */
	WRITE_ONCE(m.target, a);
	start = ktime_get();
	cpumask_set_cpu(a, &mask);
	for (unsigned i = 0; i < 2; i++)
		EXPECT_EQ(set_cpus_allowed(group.threads[i].task, &mask), 0);
	while (!READ_ONCE(m.arrived) && polls++ < 10000)
		msleep(1);
	EXPECT(m.arrived);
	selftest_diag(test, "moved after %lu us", (m.arrived - start) / 1000);
	WRITE_ONCE(m.stop, true);
	test_group_wait(&group);
	run_on_any_cpu();
}

/* CPU 1 places a real-time task that wakes up, while a task on CPU 0 holds R of CPU 1. */
struct placement {
	struct task_struct task;
	unsigned cpu, chosen;
	bool entered, start, done;
	bool waited; /* the placement has waited until R was released */
};

/* In an interrupt: the interrupted task of this CPU uses no run queue meanwhile. */
static void place_task(void *arg)
{
	struct placement *p = arg;

	WRITE_ONCE(p->entered, true);
	while (!smp_load_acquire(&p->start))
		cpu_relax();
	p->chosen = select_task_rq_slow(&p->task);
	smp_store_release(&p->done, true);
}

/* True if a CPU waits for the lock, which the caller holds. */
static bool is_contended(const spinlock_t *lock)
{
	u32 value = READ_ONCE(lock->value);
	u16 tickets = (u16)((value >> 16) - (value & 0xffff & ~SPIN_WAITER_HALTS));

	return tickets > SPIN_TICKET;
}

static void hold_run_queue(void *arg, unsigned index __unused)
{
	struct placement *p = arg;
	struct runqueue *rq = cpu_rq(p->cpu);
	struct task_struct *curr;

	/* Another task here could wait for a call of the CPU that waits for this one. */
	preempt_disable();
	smp_call_function_single(p->cpu, place_task, p, false);
	while (!READ_ONCE(p->entered))
		cpu_relax();
	local_irq_disable();
	rq_lock(rq);
	curr = rq->curr;
	WRITE_ONCE(rq->curr, (struct task_struct *)0xdead000000000000UL);
	smp_store_release(&p->start, true);
	while (!is_contended(&rq->lock) && !READ_ONCE(p->done))
		cpu_relax();
	p->waited = !READ_ONCE(p->done);
	WRITE_ONCE(rq->curr, curr);
	rq_unlock(rq);
	local_irq_enable();
	while (!smp_load_acquire(&p->done))
		cpu_relax();
	preempt_enable();
}

/*
 * A running task may end and be freed at any time; only R of its CPU prevents that. So the test
 * holds R and makes curr point to no memory: the placement must take R before it uses curr.
 */
SELFTEST(sched, placing_a_real_time_task_uses_a_running_task_only_under_its_lock)
{
	struct placement *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct spinners s = { 0 };
	struct test_group group;

	ASSERT(p);
	p->cpu = p->task.cpu = nth_online_cpu(1);
	p->task.rt_priority = 10;
	p->task.nr_cpus_allowed = 1;
	cpumask_set_cpu(p->cpu, &p->task.cpus_allowed);
	if (num_online_cpus() > 1) {
		/* The CPU must not be idle: an idle CPU is chosen without a look at its task. */
		ASSERT(test_group_start(&group, 1, p->cpu, spin, &s));
		while (!READ_ONCE(s.loops[0]))
			yield();
		ASSERT(run_threads(1, nth_online_cpu(0), hold_run_queue, p));
		WRITE_ONCE(s.stop, true);
		test_group_wait(&group);
		EXPECT(p->waited);
		EXPECT_EQ(p->chosen, p->cpu);
	}
	kfree(p);
}
