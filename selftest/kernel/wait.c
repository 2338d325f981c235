/* Self-tests of wait queues and completions. */
#include "kernel/irq/irq_work.h"
#include "kernel/workqueue/workqueue.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

struct waiters {
	wait_queue_head_t wait;
	atomic_t asleep, woken;
	bool go;
};

static void wait_exclusive(void *arg, unsigned index __unused)
{
	struct waiters *w = arg;
	DEFINE_WAIT(entry);

	prepare_to_wait_exclusive(&w->wait, &entry, TASK_UNINTERRUPTIBLE);
	atomic_inc(&w->asleep);
	schedule();
	finish_wait(&w->wait, &entry);
	atomic_inc(&w->woken);
}

static void await(atomic_t *v, int value)
{
	while (atomic_read(v) != value)
		msleep(1);
}

SELFTEST(wait, wake_up_wakes_one_exclusive_waiter)
{
	struct waiters w = { 0 };
	struct test_group group;

	init_waitqueue_head(&w.wait);
	ASSERT(test_group_start(&group, 4, ANY_CPU, wait_exclusive, &w));
	await(&w.asleep, 4);
	for (int i = 1; i <= 3; i++) {
		wake_up(&w.wait);
		await(&w.woken, i);
		msleep(2);
		EXPECT_EQ(atomic_read(&w.woken), i);
	}
	wake_up_all(&w.wait);
	test_group_wait(&group);
	EXPECT(list_empty(&w.wait.head));
}

static void wait_for_go(void *arg, unsigned index __unused)
{
	struct waiters *w = arg;

	wait_event(w->wait, READ_ONCE(w->go));
	atomic_inc(&w->woken);
}

SELFTEST(wait, wake_up_wakes_all_that_are_not_exclusive)
{
	struct waiters w = { 0 };
	struct test_group group;

	init_waitqueue_head(&w.wait);
	ASSERT(test_group_start(&group, 16, ANY_CPU, wait_for_go, &w));
	for (unsigned i = 0; i < 16; i++)
		while (READ_ONCE(group.threads[i].task->__state) != TASK_UNINTERRUPTIBLE)
			msleep(1);
	WRITE_ONCE(w.go, true);
	wake_up(&w.wait);
	test_group_wait(&group);
	EXPECT_EQ(atomic_read(&w.woken), 16);
	EXPECT(list_empty(&w.wait.head));
}

/* Waits again for the next round, so that it is in the queue twice during one wake-up of all. */
static void wait_twice(void *arg, unsigned index __unused)
{
	struct waiters *w = arg;

	wait_exclusive(w, 0);
	wait_exclusive(w, 0);
}

SELFTEST(wait, wake_up_all_wakes_each_waiter_once)
{
	struct waiters w = { 0 };
	struct test_group group;

	init_waitqueue_head(&w.wait);
	ASSERT(test_group_start(&group, 40, ANY_CPU, wait_twice, &w));
	await(&w.asleep, 40);
	wake_up_all(&w.wait);
	await(&w.asleep, 80);
	EXPECT_EQ(atomic_read(&w.woken), 40);
	wake_up_all(&w.wait);
	test_group_wait(&group);
	EXPECT_EQ(atomic_read(&w.woken), 80);
	EXPECT(list_empty(&w.wait.head));
}

struct counted_entry {
	struct wait_queue_entry entry;
	unsigned calls;
	bool leaves; /* takes itself out of the queue */
};

static bool count_call(struct wait_queue_entry *entry, unsigned events)
{
	struct counted_entry *counted = container_of(entry, struct counted_entry, entry);

	counted->calls += events;
	if (counted->leaves)
		list_del_init(&entry->entry);
	return true;
}

static struct counted_entry counted_entries[40];

static void poll_wake_many(void *arg, unsigned index __unused)
{
	for (unsigned i = 0; i < 250; i++)
		wake_up_poll(arg, 1);
}

/* The bookmarks of several wake-ups are in the queue together. */
SELFTEST(wait, concurrent_wake_ups_call_each_entry)
{
	struct test_group group;
	wait_queue_head_t wait;

	init_waitqueue_head(&wait);
	for (unsigned i = 0; i < ARRAY_SIZE(counted_entries); i++) {
		struct counted_entry *counted = &counted_entries[i];

		*counted = (struct counted_entry){ .leaves = i % 4 == 3 };
		counted->entry.func = count_call;
		counted->entry.flags = WQ_FLAG_CALLBACK | WQ_FLAG_EXCLUSIVE;
		add_wait_queue(&wait, &counted->entry);
	}
	ASSERT(test_group_start(&group, 4, ANY_CPU, poll_wake_many, &wait));
	test_group_wait(&group);
	for (unsigned i = 0; i < ARRAY_SIZE(counted_entries); i++) {
		struct counted_entry *counted = &counted_entries[i];

		EXPECT_EQ(counted->calls, counted->leaves ? 1U : 1000U);
		if (!counted->leaves)
			remove_wait_queue(&wait, &counted->entry);
	}
	EXPECT(list_empty(&wait.head));
}

static unsigned calls, interrupted_after;

static void note_calls(struct irq_work *work __unused)
{
	interrupted_after = calls;
}
static struct irq_work interrupt = { .func = note_calls };

/* The interrupt comes as soon as the wake-up lets it. */
static bool call_and_interrupt(struct wait_queue_entry *entry __unused, unsigned events __unused)
{
	if (!calls++)
		(void)irq_work_queue(&interrupt);
	return false;
}

static void wake_up_with_lock(wait_queue_head_t *wq)
{
	spin_lock(&wq->lock);
	wake_up_locked(wq);
	spin_unlock(&wq->lock);
}

SELFTEST(wait, each_wake_up_of_many_lets_interrupts_in_after_a_few)
{
	static void (*const wake[])(wait_queue_head_t *) = { wake_up, wake_up_all,
							     wake_up_interruptible,
							     wake_up_with_lock };
	wait_queue_head_t wait;

	init_waitqueue_head(&wait);
	for (unsigned i = 0; i < ARRAY_SIZE(counted_entries); i++) {
		struct wait_queue_entry *entry = &counted_entries[i].entry;

		*entry = (struct wait_queue_entry){ .func = call_and_interrupt,
						    .flags = WQ_FLAG_CALLBACK };
		add_wait_queue(&wait, entry);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(wake); i++) {
		calls = 0;
		wake[i](&wait);
		irq_work_sync(&interrupt);
		EXPECT_EQ(calls, ARRAY_SIZE(counted_entries));
		EXPECT_EQ(interrupted_after, 4);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(counted_entries); i++)
		remove_wait_queue(&wait, &counted_entries[i].entry);
	EXPECT(list_empty(&wait.head));
}

static int wait_interruptibly(void *arg)
{
	struct waiters *w = arg;

	return wait_event_interruptible(w->wait, READ_ONCE(w->go)) == -EINTR;
}

SELFTEST(wait, interruptible_wait_ends_with_a_signal)
{
	struct waiters w = { 0 };

	init_waitqueue_head(&w.wait);
	for (unsigned i = 0; i < 100; i++) {
		struct task_struct *p = test_task_start(wait_interruptibly, &w, "waiter");

		ASSERT(p);
		if (i % 2)
			msleep(1);
		test_task_interrupt(p);
		EXPECT_EQ(test_task_end(p), 1);
	}
	EXPECT(list_empty(&w.wait.head));
}

struct completion_work {
	struct work_struct work;
	struct completion *done;
};

static void complete_it(struct work_struct *work)
{
	complete(container_of(work, struct completion_work, work)->done);
}

/* The completion is on the stack: its memory is reused as soon as the waiter has returned. */
static noinline void wait_on_stack(struct completion_work *work, unsigned cpu)
{
	struct completion done;

	init_completion(&done);
	work->done = &done;
	schedule_work_on(cpu, &work->work);
	wait_for_completion(&done);
	*(volatile struct completion *)&done = (struct completion){ .done = 0x5a5a5a5a };
}

SELFTEST(completion, may_live_on_the_waiter_s_stack)
{
	struct completion_work work;

	INIT_WORK(&work.work, complete_it);
	for (unsigned i = 0; i < 2000; i++)
		wait_on_stack(&work, nth_online_cpu(i));
	flush_work(&work.work);
}

SELFTEST(completion, complete_all_lets_everybody_go_for_good)
{
	struct completion done;

	init_completion(&done);
	EXPECT(!completion_done(&done));
	complete(&done);
	EXPECT(completion_done(&done));
	wait_for_completion(&done);
	EXPECT(!completion_done(&done));
	complete_all(&done);
	for (unsigned i = 0; i < 3; i++)
		wait_for_completion(&done);
	EXPECT(completion_done(&done));
}
