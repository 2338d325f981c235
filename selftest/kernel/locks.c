/* Self-tests of spinlocks and mutexes: mutual exclusion on all CPUs, fairness, interruption. */
#include "kernel/sched/mutex.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define ROUNDS 2000U

/* Two counters. Only a holder of the lock changes them, one after the other. */
struct guarded {
	spinlock_t lock;
	struct mutex mutex;
	u64 a, b;
	atomic_t broken;
};

static void count_up(struct guarded *g)
{
	if (g->a != g->b)
		atomic_inc(&g->broken);
	WRITE_ONCE(g->a, g->a + 1);
	barrier();
	WRITE_ONCE(g->b, g->b + 1);
}

static void guarded_init(struct guarded *g)
{
	*g = (struct guarded){ 0 };
	spin_lock_init(&g->lock);
	mutex_init(&g->mutex);
}

static void spin_rounds(void *arg, unsigned index)
{
	struct guarded *g = arg;
	unsigned long flags;

	for (unsigned i = 0; i < ROUNDS; i++) {
		if ((i + index) % 4) {
			spin_lock_irqsave(&g->lock, flags);
			count_up(g);
			spin_unlock_irqrestore(&g->lock, flags);
		} else {
			while (!spin_trylock(&g->lock))
				cpu_relax();
			count_up(g);
			spin_unlock(&g->lock);
		}
	}
}

SELFTEST(spinlock, excludes_all_other_cpus)
{
	unsigned n = num_online_cpus() + 1;
	struct guarded g;

	guarded_init(&g);
	EXPECT(run_threads(n, EACH_CPU, spin_rounds, &g));
	EXPECT_EQ(g.a, (u64)n * ROUNDS);
	EXPECT_EQ(g.b, (u64)n * ROUNDS);
	EXPECT_EQ(atomic_read(&g.broken), 0);
}

SELFTEST(spinlock, trylock_fails_while_held)
{
	struct guarded g;

	guarded_init(&g);
	EXPECT(spin_trylock(&g.lock));
	EXPECT(spin_is_locked(&g.lock));
	EXPECT(!spin_trylock(&g.lock));
	spin_unlock(&g.lock);
	EXPECT(!spin_is_locked(&g.lock));
	EXPECT_EQ(preempt_count(), 0);
}

static void mutex_rounds(void *arg, unsigned index)
{
	struct guarded *g = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		if ((i + index) % 8 == 0) {
			while (!mutex_trylock(&g->mutex))
				yield();
		} else {
			mutex_lock(&g->mutex);
		}
		count_up(g);
		if (i % 16 == 0)
			yield(); /* a holder may sleep */
		mutex_unlock(&g->mutex);
	}
}

SELFTEST(mutex, excludes_all_other_tasks)
{
	unsigned n = num_online_cpus() * 2;
	struct guarded g;

	guarded_init(&g);
	EXPECT(run_threads(n, ANY_CPU, mutex_rounds, &g));
	EXPECT_EQ(g.a, (u64)n * ROUNDS);
	EXPECT_EQ(atomic_read(&g.broken), 0);
	EXPECT(!mutex_is_locked(&g.mutex));
}

struct queue_of_three {
	struct mutex mutex;
	struct completion go[3];
	unsigned order[3];
	unsigned next;
};

static void take_turn(void *arg, unsigned index)
{
	struct queue_of_three *q = arg;

	wait_for_completion(&q->go[index]);
	mutex_lock(&q->mutex);
	q->order[q->next++] = index;
	mutex_unlock(&q->mutex);
}

static unsigned count_waiters(struct mutex *m)
{
	struct list_head *pos;
	unsigned n = 0;

	spin_lock_irq(&m->wait_lock);
	list_for_each (pos, &m->wait_list)
		n++;
	spin_unlock_irq(&m->wait_lock);
	return n;
}

SELFTEST(mutex, is_handed_over_in_order_of_arrival)
{
	struct queue_of_three q = { 0 };
	struct test_group group;

	mutex_init(&q.mutex);
	mutex_lock(&q.mutex);
	EXPECT(mutex_owner(&q.mutex) == current);
	for (unsigned i = 0; i < 3; i++)
		init_completion(&q.go[i]);
	EXPECT(test_group_start(&group, 3, ANY_CPU, take_turn, &q));
	for (unsigned i = 0; i < 3; i++) {
		complete(&q.go[(i + 2) % 3]);
		while (count_waiters(&q.mutex) != i + 1)
			msleep(1);
	}
	EXPECT(!mutex_trylock(&q.mutex));
	mutex_unlock(&q.mutex);
	test_group_wait(&group);
	for (unsigned i = 0; i < 3; i++)
		EXPECT_EQ(q.order[i], (i + 2) % 3);
}

static int lock_interruptibly(void *arg)
{
	struct mutex *m = arg;

	if (mutex_lock_interruptible(m) == 0) {
		mutex_unlock(m);
		return 0;
	}
	return 1;
}

SELFTEST(mutex, interruptible_wait_ends_with_a_signal)
{
	struct mutex m;

	mutex_init(&m);
	for (unsigned i = 0; i < 100; i++) {
		struct task_struct *p;

		mutex_lock(&m);
		p = test_task_start(lock_interruptibly, &m, "waiter");
		ASSERT(p);
		if (i % 2)
			msleep(1);
		test_task_interrupt(p);
		EXPECT_EQ(test_task_end(p), 1);
		mutex_unlock(&m);
	}
	EXPECT(!mutex_is_locked(&m));
}

/* An unlock races with a waiter that leaves because of a signal. */
SELFTEST(mutex, survives_signals_that_race_with_unlock)
{
	struct mutex m;

	mutex_init(&m);
	for (unsigned i = 0; i < 300; i++) {
		struct task_struct *p;

		mutex_lock(&m);
		p = test_task_start(lock_interruptibly, &m, "waiter");
		ASSERT(p);
		yield();
		test_task_interrupt(p);
		mutex_unlock(&m);
		test_task_end(p);
		EXPECT(!mutex_is_locked(&m));
	}
}
