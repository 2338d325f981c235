/* Self-tests of workqueues: no item is lost, runs twice at once, or waits for a sleeping item. */
#include "kernel/workqueue/workqueue.h"

#include "kernel/mm/slab.h"
#include "kernel/sched/completion.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

#define ITEMS  50U
#define ROUNDS 8U

struct counted_work {
	struct work_struct work;
	atomic_t runs, inside, overlaps;
};

static void count_run(struct work_struct *work)
{
	struct counted_work *c = container_of(work, struct counted_work, work);

	if (atomic_add_return(1, &c->inside) != 1)
		atomic_inc(&c->overlaps);
	atomic_inc(&c->runs);
	if (atomic_read(&c->runs) % 8 == 0)
		yield();
	if (atomic_read(&c->runs) % 8 == 4)
		msleep(1); /* so that another worker runs the items queued meanwhile */
	atomic_dec(&c->inside);
}

struct many_works {
	struct counted_work *works;
	atomic_t queued;
};

static void queue_many(void *arg, unsigned index)
{
	struct many_works *m = arg;
	u32 seed = index + 1;

	for (unsigned i = 0; i < ITEMS * ROUNDS; i++) {
		struct counted_work *c = &m->works[test_random(&seed) % ITEMS];

		if (schedule_work_on(nth_online_cpu(test_random(&seed)), &c->work))
			atomic_inc(&m->queued);
		if (i % 16 == 0)
			flush_work(&c->work);
	}
}

SELFTEST(workqueue, each_queued_item_runs_once_and_never_twice_at_once)
{
	struct many_works m = { 0 };
	int runs = 0, overlaps = 0;

	m.works = kcalloc(ITEMS, sizeof(struct counted_work), GFP_KERNEL);
	ASSERT(m.works);
	for (unsigned i = 0; i < ITEMS; i++)
		INIT_WORK(&m.works[i].work, count_run);
	EXPECT(run_threads(num_online_cpus() + 1, EACH_CPU, queue_many, &m));
	for (unsigned i = 0; i < ITEMS; i++) {
		flush_work(&m.works[i].work);
		runs += atomic_read(&m.works[i].runs);
		overlaps += atomic_read(&m.works[i].overlaps);
	}
	EXPECT_EQ(runs, atomic_read(&m.queued));
	EXPECT_EQ(overlaps, 0);
	kfree(m.works);
}

struct again_work {
	struct work_struct work;
	struct completion running, go;
	atomic_t runs;
};

static void wait_to_go(struct work_struct *work)
{
	struct again_work *a = container_of(work, struct again_work, work);

	atomic_inc(&a->runs);
	complete(&a->running);
	wait_for_completion(&a->go);
}

/* The second queueing may come too late for the present run: the item must run again. */
SELFTEST(workqueue, item_queued_while_it_runs_runs_again)
{
	struct again_work a = { 0 };

	INIT_WORK(&a.work, wait_to_go);
	init_completion(&a.running);
	init_completion(&a.go);
	for (unsigned i = 0; i < 4; i++) {
		unsigned cpu = nth_online_cpu(i), other = nth_online_cpu(i + i / 2);
		bool again;

		EXPECT(schedule_work_on(cpu, &a.work));
		wait_for_completion(&a.running);
		again = schedule_work_on(other, &a.work);
		EXPECT(again);
		EXPECT(!schedule_work_on(other, &a.work));
		EXPECT_EQ(atomic_read(&a.runs), 2 * (int)i + 1);
		complete(&a.go);
		if (again) {
			wait_for_completion(&a.running);
			complete(&a.go);
		}
		flush_work(&a.work);
		EXPECT_EQ(atomic_read(&a.runs), 2 * (int)i + 2);
	}
}

struct blocking_work {
	struct work_struct work;
	struct completion *wait_for, *then;
};

static void block_then_complete(struct work_struct *work)
{
	struct blocking_work *b = container_of(work, struct blocking_work, work);

	if (b->wait_for)
		wait_for_completion(b->wait_for);
	complete(b->then);
}

/* Each item waits for the item queued after it, on one CPU. */
SELFTEST(workqueue, blocked_items_do_not_stall_those_behind_them)
{
	struct completion done[9];
	struct blocking_work works[8];
	unsigned cpu = nth_online_cpu(1);

	for (unsigned i = 0; i < 9; i++)
		init_completion(&done[i]);
	for (unsigned i = 0; i < 8; i++) {
		INIT_WORK(&works[i].work, block_then_complete);
		works[i].wait_for = i < 7 ? &done[i + 1] : NULL;
		works[i].then = &done[i];
		EXPECT(schedule_work_on(cpu, &works[i].work));
	}
	wait_for_completion(&done[0]);
	for (unsigned i = 0; i < 8; i++)
		flush_work(&works[i].work);
}

static void queue_itself(struct work_struct *work)
{
	count_run(work);
	schedule_work(work);
}

SELFTEST(workqueue, cancel_stops_an_item_that_queues_itself)
{
	for (unsigned i = 0; i < 50; i++) {
		struct counted_work c = { 0 };
		int runs;

		INIT_WORK(&c.work, queue_itself);
		schedule_work_on(nth_online_cpu(i), &c.work);
		while (!atomic_read(&c.runs))
			yield();
		cancel_work_sync(&c.work);
		runs = atomic_read(&c.runs);
		yield();
		EXPECT_EQ(atomic_read(&c.runs), runs);
		EXPECT_EQ(c.work.pending, 0);
		EXPECT_EQ(atomic_read(&c.inside), 0);
	}
}

/* An item that sleeps until it may go, and tasks that cancel it meanwhile. */
struct cancelled_work {
	struct delayed_work dwork;
	struct completion running, go;
	atomic_t runs;
};

static void sleep_until_go(struct work_struct *work)
{
	struct cancelled_work *c = container_of(work, struct cancelled_work, dwork.work);

	atomic_inc(&c->runs);
	complete(&c->running);
	wait_for_completion(&c->go);
}

static void cancel(void *arg, unsigned index __unused)
{
	cancel_delayed_work_sync(&((struct cancelled_work *)arg)->dwork);
}

/* The two tasks share their CPU with the item. One that spins could keep it from its end. */
SELFTEST(workqueue, tasks_that_cancel_one_item_at_once_all_sleep)
{
	struct cancelled_work c = { .runs = ATOMIC_INIT(0) };
	struct test_group group;
	unsigned asleep = 0;

	INIT_DELAYED_WORK(&c.dwork, sleep_until_go);
	init_completion(&c.running);
	init_completion(&c.go);
	EXPECT(schedule_work_on(nth_online_cpu(1), &c.dwork.work));
	wait_for_completion(&c.running);
	ASSERT(test_group_start(&group, 2, nth_online_cpu(1), cancel, &c));
	for (unsigned i = 0; i < 1000 && asleep < 2; i++) {
		msleep(1);
		asleep = 0;
		for (unsigned n = 0; n < 2; n++)
			asleep += READ_ONCE(group.threads[n].task->__state) == TASK_UNINTERRUPTIBLE;
	}
	EXPECT_EQ(asleep, 2);
	/* It is not queued again meanwhile. */
	EXPECT(!schedule_delayed_work(&c.dwork, 0));
	EXPECT(asleep == 2 && mod_delayed_work(&c.dwork, 0));
	complete(&c.go);
	test_group_wait(&group);
	EXPECT_EQ(atomic_read(&c.runs), 1);
	EXPECT_EQ(c.dwork.work.pending, 0);
	/* But afterwards. */
	EXPECT(!mod_delayed_work(&c.dwork, 0));
	complete(&c.go);
	flush_work(&c.dwork.work);
	EXPECT_EQ(atomic_read(&c.runs), 2);
}

struct delayed_test {
	struct delayed_work dwork;
	ktime_t due;
	atomic_t runs, early;
};

static void note_delay(struct work_struct *work)
{
	struct delayed_test *d = container_of(work, struct delayed_test, dwork.work);

	if (ktime_get() < d->due)
		atomic_inc(&d->early);
	atomic_inc(&d->runs);
}

SELFTEST(workqueue, delayed_item_is_not_early)
{
	struct delayed_test d = { 0 };

	INIT_DELAYED_WORK(&d.dwork, note_delay);
	for (int i = 0; i < 20; i++) {
		d.due = ktime_get() + (u64)i * NSEC_PER_MSEC / 4;
		EXPECT(schedule_delayed_work(&d.dwork, (u64)i * NSEC_PER_MSEC / 4 + 50000));
		while (atomic_read(&d.runs) <= i)
			msleep(1);
		flush_work(&d.dwork.work);
	}
	EXPECT_EQ(atomic_read(&d.runs), 20);
	EXPECT_EQ(atomic_read(&d.early), 0);
}

SELFTEST(workqueue, cancelled_delayed_item_does_not_run)
{
	struct delayed_test d = { 0 };

	INIT_DELAYED_WORK(&d.dwork, note_delay);
	EXPECT(!cancel_delayed_work_sync(&d.dwork));
	EXPECT(schedule_delayed_work(&d.dwork, 1000 * NSEC_PER_SEC));
	EXPECT(!schedule_delayed_work(&d.dwork, 0));
	EXPECT(cancel_delayed_work_sync(&d.dwork));
	EXPECT_EQ(atomic_read(&d.runs), 0);
	EXPECT(!mod_delayed_work(&d.dwork, 1000 * NSEC_PER_SEC));
	EXPECT(mod_delayed_work(&d.dwork, 0));
	flush_work(&d.dwork.work);
	EXPECT_EQ(atomic_read(&d.runs), 1);
	for (unsigned i = 0; i < 300;
	     i++) { /* the cancel races with the timer and with the worker */
		schedule_delayed_work(&d.dwork, i % 10 * 10000);
		for (unsigned spins = 0; spins < i * 50; spins++)
			barrier();
		cancel_delayed_work_sync(&d.dwork);
		EXPECT_EQ(d.dwork.work.pending, 0);
	}
}
