/* Self-tests of balancing behind a real-time task, which makes no room: push_task(). */
#include "kernel/irq/softirq.h"
#include "kernel/sched/runqueue.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define MAX_LOOKS 10 /* after tries of CPU a to move the task. The first is enough */
#define LOOK_MS   50 /* longer than SCHED_BALANCE_NS, the time between two tries */

/*
 * CPU a runs a real-time task that does not sleep, CPU b a fair one. Both are bound. A third task
 * starts on a, and may then use both.
 */
struct push {
	unsigned a, b;
	int priority; /* of the third task; 0: a fair one */
	bool started, stop;
	ktime_t arrived; /* when the third task ran on b */
};

static void compute(void *arg, unsigned index __unused)
{
	struct push *p = arg;

	while (!READ_ONCE(p->stop))
		cpu_relax();
}

static void compute_until_moved(void *arg, unsigned index __unused)
{
	struct push *p = arg;

	if (p->priority)
		sched_setscheduler(current, SCHED_FIFO, p->priority);
	WRITE_ONCE(p->started, true);
	while (!READ_ONCE(p->stop)) {
		if (READ_ONCE(current->cpu) == p->b) {
			WRITE_ONCE(p->arrived, ktime_get());
			return;
		}
	}
}

/* The third task may now use both CPUs. It runs on a, and so does not move by that. */
static void allow_both(const struct push *p, const struct test_group *third)
{
	struct cpumask both = { 0 };

	cpumask_set_cpu(p->a, &both);
	cpumask_set_cpu(p->b, &both);
	third->threads[0].task->flags &= ~PF_NO_SETAFFINITY;
	set_cpus_allowed(third->threads[0].task, &both);
}

/*
 * Waits until the third task runs on b, or until a has often tried to move it. A try fails if this
 * task is awake at that moment: it runs on b, so b has as many tasks as a. The host may stop b
 * there, and a goes on to try. So this task looks seldom, and the tries between two looks count as
 * one.
 */
static void wait_for_move(const struct push *p)
{
	u64 before = softirq_count_read(SCHED_SOFTIRQ, p->a);

	for (unsigned looks = 0; !READ_ONCE(p->arrived) && looks < MAX_LOOKS;) {
		u64 now;

		msleep(LOOK_MS);
		now = softirq_count_read(SCHED_SOFTIRQ, p->a);
		looks += now != before;
		before = now;
	}
}

static void push(struct selftest *test, int priority)
{
	struct push p = { .a = nth_online_cpu(1), .b = nth_online_cpu(2), .priority = priority };
	struct test_group fair, urgent, third;
	ktime_t start;

	if (p.a == p.b)
		return;
	EXPECT(run_on_nth_cpu(2)); /* on a, this task would wait with the others */
	set_rt_throttling(false);
	ASSERT(test_group_start(&fair, 1, p.b, compute, &p));
	ASSERT(test_group_start(&third, 1, p.a, compute_until_moved, &p));
	while (!READ_ONCE(p.started))
		msleep(1);
	allow_both(&p, &third);
	start = ktime_get();
	ASSERT(test_group_start(&urgent, 1, p.a, compute, &p));
	EXPECT_EQ(sched_setscheduler(urgent.threads[0].task, SCHED_FIFO, 50), 0);
	wait_for_move(&p);
	WRITE_ONCE(p.stop, true);
	test_group_wait(&urgent);
	test_group_wait(&third);
	test_group_wait(&fair);
	set_rt_throttling(true);
	run_on_any_cpu();
	EXPECT(p.arrived);
	selftest_diag(test, "moved after %lu us", (p.arrived - start) / 1000);
}

SELFTEST(sched, real_time_task_goes_where_it_is_more_urgent_than_the_running_one)
{
	push(test, 10);
}

SELFTEST(sched, fair_task_leaves_a_cpu_whose_real_time_task_does_not_sleep)
{
	push(test, 0);
}
