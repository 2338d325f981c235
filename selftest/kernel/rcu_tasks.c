/* Self-tests of RCU-tasks: which tasks delay a grace period, and how a stall is reported. */
#include "kernel/kallsyms.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
#include "kernel/rcu/rcu_stats.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

/* A task, and a grace period that may have to wait for it. */
struct holdout {
	bool in_place, leave; /* the task is where the test wants it; it must leave */
	bool ended;           /* the grace period has ended */
};

static void synchronize(void *arg, unsigned index __unused)
{
	synchronize_rcu_tasks();
	WRITE_ONCE(((struct holdout *)arg)->ended, true);
}

noinline void rcu_tasks_test_spin(struct holdout *h);

/* Never at a quiescent point. A boot test looks for the name in the stall report. */
noinline void rcu_tasks_test_spin(struct holdout *h)
{
	WRITE_ONCE(h->in_place, true);
	while (!READ_ONCE(h->leave))
		cpu_relax();
}

static void spin(void *arg, unsigned index __unused)
{
	rcu_tasks_test_spin(arg);
}

/*
 * Takes the CPU from the spinner: a FIFO task on the same CPU. No task there is more urgent, but it
 * reaches a quiescent point again and again, and so is no holdout itself.
 */
static void push_away(void *arg, unsigned index __unused)
{
	struct holdout *h = arg;

	sched_setscheduler(current, SCHED_FIFO, 10);
	while (!READ_ONCE(h->leave))
		cond_resched();
}

static void yield_for_ever(void *arg, unsigned index)
{
	struct holdout *h = arg;

	while (!READ_ONCE(h->leave)) {
		if (index % 2)
			yield();
		else
			cond_resched();
		WRITE_ONCE(h->in_place, true);
	}
}

SELFTEST(rcu_tasks, a_preempted_task_holds_the_grace_period_until_it_switches)
{
	struct holdout h = { .in_place = false };
	struct test_group spinner, pusher, waiter;
	const struct task_struct *task;

	ASSERT(test_group_start(&spinner, 1, nth_online_cpu(1), spin, &h));
	while (!READ_ONCE(h.in_place))
		yield();
	/* On a single CPU the time slices preempt the spinner: the others need the CPU too. */
	ASSERT(test_group_start(&pusher, 1, nth_online_cpu(1),
				num_online_cpus() > 1 ? push_away : yield_for_ever, &h));
	ASSERT(test_group_start(&waiter, 1, nth_online_cpu(0), synchronize, &h));
	task = spinner.threads[0].task;
	while (!READ_ONCE(task->nivcsw) || !READ_ONCE(task->rcu_tasks_holdout))
		msleep(1);
	msleep(20); /* time in which a grace period that does not wait would end */
	EXPECT(!READ_ONCE(h.ended));
	EXPECT(READ_ONCE(task->rcu_tasks_holdout));
	WRITE_ONCE(h.leave, true);
	test_group_wait(&waiter);
	EXPECT(READ_ONCE(h.ended));
	test_group_wait(&pusher);
	test_group_wait(&spinner);
}

SELFTEST(rcu_tasks, tasks_that_yield_or_sleep_do_not_hold_it)
{
	struct holdout h = { .in_place = false };
	struct test_group busy;

	ASSERT(test_group_start(&busy, 2 * num_online_cpus(), EACH_CPU, yield_for_ever, &h));
	while (!READ_ONCE(h.in_place))
		yield();
	for (unsigned i = 0; i < 10; i++)
		synchronize_rcu_tasks();
	WRITE_ONCE(h.leave, true);
	test_group_wait(&busy);
}

static void end_at_once(void *arg, unsigned index __unused)
{
	atomic_inc(arg);
}

static void synchronize_often(void *arg, unsigned index __unused)
{
	for (unsigned i = 0; i < 20; i++)
		synchronize_rcu_tasks();
	WRITE_ONCE(*(bool *)arg, true);
}

SELFTEST(rcu_tasks, tasks_come_and_exit_while_grace_periods_go_by)
{
	atomic_t ended = ATOMIC_INIT(0);
	struct test_group waiter;
	bool done = false;
	unsigned started = 0;

	ASSERT(test_group_start(&waiter, 1, ANY_CPU, synchronize_often, &done));
	while (!READ_ONCE(done)) {
		ASSERT(run_threads(4, EACH_CPU, end_at_once, &ended));
		started += 4;
	}
	test_group_wait(&waiter);
	EXPECT_EQ(atomic_read(&ended), started);
}

SELFTEST(rcu_tasks, many_wait_at_once_and_share_grace_periods)
{
	struct rcu_callback_stats before, after;
	bool done = false;

	rcu_barrier_tasks();
	rcu_tasks_stats(&before);
	ASSERT(run_threads(16, EACH_CPU, synchronize_often, &done));
	rcu_tasks_stats(&after);
	EXPECT_EQ(after.queued - before.queued, 16 * 20);
	EXPECT(after.grace_periods - before.grace_periods >= 20);
	EXPECT(after.grace_periods - before.grace_periods < 16 * 20 / 2);
}

SELFTEST(rcu_tasks, a_stall_is_reported_and_the_holdouts_are_known)
{
	unsigned timeout = rcu_task_stall_timeout;
	struct holdout h = { .in_place = false };
	struct rcu_callback_stats before, now;
	struct test_group spinner, waiter;
	const struct task_struct *task;

	rcu_task_stall_timeout = 50;
	ASSERT(test_group_start(&spinner, 1, nth_online_cpu(1), spin, &h));
	while (!READ_ONCE(h.in_place))
		yield();
	ASSERT(test_group_start(&waiter, 1, nth_online_cpu(0), synchronize, &h));
	task = spinner.threads[0].task;
	while (!is_rcu_tasks_holdout(task))
		msleep(1);
	/* From here on no other grace period can be the one that stalls. */
	rcu_tasks_stats(&before);
	do {
		msleep(1);
		rcu_tasks_stats(&now);
	} while (now.stalls == before.stalls);
	EXPECT(is_rcu_tasks_holdout(task));
	EXPECT(!READ_ONCE(h.ended));
	WRITE_ONCE(h.leave, true);
	test_group_wait(&waiter);
	test_group_wait(&spinner);
	rcu_task_stall_timeout = timeout;
}
