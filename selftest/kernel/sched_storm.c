/*
 * Self-test of the whole scheduler. Tasks pass messages in rings, through bounded queues with a
 * mutex and two wait queues. Other tasks change their affinity, policy and nice meanwhile. Every
 * message carries a checksum of its way. At the end all messages must have returned with the right
 * checksum.
 */
#include "kernel/sched/mutex.h"
#include "kernel/mm/slab.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define RING       5U /* tasks in a ring */
#define QUEUE_SIZE 4U /* messages in a full queue */
#define LAPS       40U
#define MESSAGES   8U

struct message {
	u32 hops;
	u32 sum;
};

struct queue {
	struct mutex lock;
	wait_queue_head_t not_empty, not_full;
	struct message slots[QUEUE_SIZE]; /* [lock] */
	unsigned head, count;             /* [lock] */
};

struct storm {
	struct queue *queues; /* RING for each ring */
	unsigned rings;
	bool stop;
	atomic_t wrong, arrived;
	struct test_group *members;
};

static void put(struct queue *q, struct message m)
{
	for (;;) {
		wait_event(q->not_full, READ_ONCE(q->count) < QUEUE_SIZE);
		mutex_lock(&q->lock);
		if (q->count < QUEUE_SIZE)
			break;
		mutex_unlock(&q->lock);
	}
	q->slots[(q->head + q->count++) % QUEUE_SIZE] = m;
	mutex_unlock(&q->lock);
	wake_up(&q->not_empty);
}

static struct message get(struct queue *q)
{
	struct message m;

	for (;;) {
		wait_event(q->not_empty, READ_ONCE(q->count));
		mutex_lock(&q->lock);
		if (q->count)
			break;
		mutex_unlock(&q->lock);
	}
	m = q->slots[q->head++ % QUEUE_SIZE];
	q->count--;
	mutex_unlock(&q->lock);
	wake_up(&q->not_full);
	return m;
}

/* Task 0 of a ring sends all messages, RING - 1 other tasks pass them on; a lap is RING hops. */
static void ring_member(void *arg, unsigned index)
{
	struct storm *storm = arg;
	struct queue *ring = &storm->queues[index / RING * RING];
	unsigned me = index % RING;

	if (me == 0)
		for (u32 i = 0; i < MESSAGES; i++)
			put(&ring[1], (struct message){ .hops = 0, .sum = i });
	for (unsigned n = 0; n < MESSAGES * LAPS; n++) {
		struct message m = get(&ring[me]);

		m.hops++;
		m.sum = m.sum * 31 + me;
		if (m.hops % RING != me)
			atomic_inc(&storm->wrong);
		if (me == 0 && m.hops == LAPS * RING)
			atomic_inc(&storm->arrived);
		else
			put(&ring[(me + 1) % RING], m);
	}
}

static void trouble_maker(void *arg, unsigned index)
{
	struct storm *storm = arg;
	u32 seed = index + 17;

	while (!READ_ONCE(storm->stop)) {
		struct test_group *group = storm->members;
		struct task_struct *p = group->threads[test_random(&seed) % group->started].task;
		u32 what = test_random(&seed) % 4;
		struct cpumask mask;

		cpumask_setall(&mask);
		if (what == 0)
			cpumask_clear(&mask);
		cpumask_set_cpu(nth_online_cpu(test_random(&seed)), &mask);
		if (what < 2 && set_cpus_allowed(p, &mask))
			atomic_inc(&storm->wrong);
		if (what == 2 && set_user_nice(p, (int)(test_random(&seed) % 40) - 20))
			atomic_inc(&storm->wrong);
		if (what == 3) {
			int priority = (int)(test_random(&seed) % 20);

			if (sched_setscheduler(p, priority ? SCHED_FIFO : SCHED_NORMAL, priority))
				atomic_inc(&storm->wrong);
		}
		msleep(1);
	}
}

SELFTEST(sched, storm_of_messages_affinities_and_priorities)
{
	unsigned rings = num_online_cpus() + 1;
	struct storm storm = { .rings = rings };
	struct test_group members, trouble;

	storm.queues = kcalloc(rings * RING, sizeof(struct queue), GFP_KERNEL);
	ASSERT(storm.queues);
	for (unsigned i = 0; i < rings * RING; i++) {
		mutex_init(&storm.queues[i].lock);
		init_waitqueue_head(&storm.queues[i].not_empty);
		init_waitqueue_head(&storm.queues[i].not_full);
	}
	storm.members = &members;
	EXPECT(test_group_start(&members, rings * RING, ANY_CPU, ring_member, &storm));
	EXPECT(test_group_start(&trouble, 2, ANY_CPU, trouble_maker, &storm));
	for (unsigned i = 0; i < members.started; i++)
		wait_for_completion(&members.threads[i].task->exited);
	WRITE_ONCE(storm.stop, true);
	test_group_wait(&trouble);
	/* The test has waited for the exits already; complete_all() allows a second wait. */
	test_group_wait(&members);
	EXPECT_EQ(atomic_read(&storm.wrong), 0);
	EXPECT_EQ(atomic_read(&storm.arrived), rings * MESSAGES);
	kfree(storm.queues);
}
