/*
 * Self-tests of read-write semaphores: who may hold one together, and in which order they get it.
 */
#include "kernel/sched/rwsem.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define ROUNDS 2000U

/* Writers change both counters; readers expect them to be equal. */
struct guarded {
	struct rw_semaphore sem;
	u64 a, b;
	atomic_t broken, readers;
};

static void read_once(struct guarded *g)
{
	down_read(&g->sem);
	atomic_inc(&g->readers);
	if (READ_ONCE(g->a) != READ_ONCE(g->b) || rwsem_is_write_locked(&g->sem))
		atomic_inc(&g->broken);
	yield(); /* a holder may sleep */
	atomic_dec(&g->readers);
	up_read(&g->sem);
}

static void write_once(struct guarded *g, unsigned round)
{
	down_write(&g->sem);
	if (g->a != g->b || atomic_read(&g->readers))
		atomic_inc(&g->broken);
	WRITE_ONCE(g->a, g->a + 1);
	if (round % 16 == 0)
		yield();
	WRITE_ONCE(g->b, g->b + 1);
	up_write(&g->sem);
}

static void mixed_rounds(void *arg, unsigned index)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		if ((i + index) % 4)
			read_once(arg);
		else
			write_once(arg, i);
	}
}

SELFTEST(rwsem, excludes_writers_from_readers_and_writers)
{
	unsigned n = num_online_cpus() * 2;
	struct guarded g = { 0 };

	init_rwsem(&g.sem);
	EXPECT(run_threads(n, ANY_CPU, mixed_rounds, &g));
	EXPECT_EQ(g.a, (u64)n * ROUNDS / 4);
	EXPECT_EQ(g.b, g.a);
	EXPECT_EQ(atomic_read(&g.broken), 0);
	EXPECT(!rwsem_is_locked(&g.sem));
}

static void read_together(void *arg, unsigned index __unused)
{
	struct guarded *g = arg;

	down_read(&g->sem);
	atomic_inc(&g->readers);
	while (atomic_read(&g->readers) < 2)
		yield();
	up_read(&g->sem);
}

SELFTEST(rwsem, two_readers_hold_it_at_once)
{
	struct guarded g = { 0 };

	init_rwsem(&g.sem);
	/* It does not end if one of them must wait. */
	EXPECT(run_threads(2, ANY_CPU, read_together, &g));
	EXPECT(!rwsem_is_locked(&g.sem));
}

SELFTEST(rwsem, trylock_fails_only_behind_a_writer)
{
	struct rw_semaphore sem;

	init_rwsem(&sem);
	down_write(&sem);
	EXPECT(rwsem_is_write_locked(&sem));
	EXPECT(!down_read_trylock(&sem));
	up_write(&sem);
	EXPECT(down_read_trylock(&sem));
	EXPECT(rwsem_is_locked(&sem));
	EXPECT(!rwsem_is_write_locked(&sem));
	up_read(&sem);
	EXPECT(!rwsem_is_locked(&sem));
}

/* Five tasks that come one after another: reader, reader, writer, reader, reader. */
struct queue_of_five {
	struct rw_semaphore sem;
	struct completion go[5], may_leave;
	atomic_t inside;
	int order[5]; /* how many were inside when the task came in, itself included */
};

static void take_turn(void *arg, unsigned index)
{
	struct queue_of_five *q = arg;

	wait_for_completion(&q->go[index]);
	if (index == 2)
		down_write(&q->sem);
	else
		down_read(&q->sem);
	q->order[index] = atomic_inc_return(&q->inside);
	wait_for_completion(&q->may_leave);
	atomic_dec(&q->inside);
	if (index == 2)
		up_write(&q->sem);
	else
		up_read(&q->sem);
}

static unsigned count_waiters(struct rw_semaphore *sem)
{
	struct list_head *pos;
	unsigned n = 0;

	spin_lock_irq(&sem->wait_lock);
	list_for_each (pos, &sem->wait_list)
		n++;
	spin_unlock_irq(&sem->wait_lock);
	return n;
}

static void wait_until_inside(struct queue_of_five *q, int tasks)
{
	while (atomic_read(&q->inside) != tasks)
		msleep(1);
}

SELFTEST(rwsem, is_granted_in_order_of_arrival)
{
	struct queue_of_five q = { 0 };
	struct test_group group;

	init_rwsem(&q.sem);
	init_completion(&q.may_leave);
	for (unsigned i = 0; i < 5; i++)
		init_completion(&q.go[i]);
	down_write(&q.sem);
	EXPECT(test_group_start(&group, 5, ANY_CPU, take_turn, &q));
	for (unsigned i = 0; i < 5; i++) {
		complete(&q.go[i]);
		while (count_waiters(&q.sem) != i + 1)
			msleep(1);
	}
	up_write(&q.sem);
	/* The two readers in front of the writer, together, and not those behind it. */
	wait_until_inside(&q, 2);
	EXPECT_EQ(count_waiters(&q.sem), 3);
	complete(&q.may_leave);
	complete(&q.may_leave);
	while (!READ_ONCE(q.order[2]))
		msleep(1);
	EXPECT(rwsem_is_write_locked(&q.sem));
	EXPECT_EQ(q.order[2], 1);
	complete(&q.may_leave);
	wait_until_inside(&q, 2);
	complete_all(&q.may_leave);
	test_group_wait(&group);
	EXPECT(q.order[0] + q.order[1] == 3 && q.order[3] + q.order[4] == 3);
	EXPECT(!rwsem_is_locked(&q.sem));
}
