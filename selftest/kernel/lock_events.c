/* Self-tests of the events of locks: each wait begins and ends, and says for which lock. */
#include "kernel/errno.h"
#include "kernel/locking/lock_events.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/rwsem.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define PATIENCE (30 * NSEC_PER_SEC) /* the host may stop a CPU for seconds */

/* What the probes have seen of one lock. */
struct waits {
	const void *lock;
	atomic_t begun, ended;
	unsigned flags; /* of the last begin */
	int ret;        /* of the last end */
};

static void note_begin(void *data, void *lock, unsigned int flags)
{
	struct waits *waits = data;

	if (lock != waits->lock)
		return;
	WRITE_ONCE(waits->flags, flags);
	atomic_inc(&waits->begun);
}

static void note_end(void *data, void *lock, int ret)
{
	struct waits *waits = data;

	if (lock != waits->lock)
		return;
	WRITE_ONCE(waits->ret, ret);
	atomic_inc(&waits->ended);
}

static void watch(struct selftest *test, struct waits *waits, const void *lock)
{
	*waits = (struct waits){ .lock = lock };
	EXPECT_EQ(register_trace_contention_begin(note_begin, waits), 0);
	EXPECT_EQ(register_trace_contention_end(note_end, waits), 0);
}

static void unwatch(struct selftest *test, struct waits *waits)
{
	EXPECT_EQ(unregister_trace_contention_begin(note_begin, waits), 0);
	EXPECT_EQ(unregister_trace_contention_end(note_end, waits), 0);
}

static void expect_wait(struct selftest *test, const struct waits *waits, unsigned flags, int ret)
{
	EXPECT_EQ(atomic_read(&waits->begun), 1);
	EXPECT_EQ(atomic_read(&waits->ended), 1);
	EXPECT_EQ(waits->flags, flags);
	EXPECT_EQ(waits->ret, ret);
}

static int use_mutex(void *mutex)
{
	mutex_lock(mutex);
	mutex_unlock(mutex);
	return 0;
}

static int use_mutex_interruptible(void *mutex)
{
	int ret = mutex_lock_interruptible(mutex);

	if (!ret)
		mutex_unlock(mutex);
	return ret;
}

static int read_rwsem(void *sem)
{
	down_read(sem);
	up_read(sem);
	return 0;
}

static int write_rwsem(void *sem)
{
	down_write(sem);
	up_write(sem);
	return 0;
}

/* Starts a task that uses the lock, which the caller holds. Returns when its wait has begun. */
static struct task_struct *start_waiter(struct selftest *test, const struct waits *waits,
					int (*use)(void *), void *lock)
{
	struct task_struct *task = test_task_start(use, lock, "waiter");
	ktime_t start = ktime_get();

	EXPECT(task);
	while (task && !atomic_read(&waits->begun) && ktime_get() - start < PATIENCE)
		msleep(1);
	return task;
}

SELFTEST(lock_events, a_wait_for_a_mutex_begins_and_ends)
{
	struct task_struct *task;
	struct waits waits;
	struct mutex mutex;

	mutex_init(&mutex);
	watch(test, &waits, &mutex);
	mutex_lock(&mutex);
	task = start_waiter(test, &waits, use_mutex, &mutex);
	EXPECT_EQ(atomic_read(&waits.ended), 0);
	mutex_unlock(&mutex);
	if (task)
		EXPECT_EQ(test_task_end(task), 0);
	expect_wait(test, &waits, LCB_F_MUTEX, 0);
	use_mutex(&mutex); /* it is free: no event */
	expect_wait(test, &waits, LCB_F_MUTEX, 0);
	unwatch(test, &waits);
}

SELFTEST(lock_events, a_wait_that_a_signal_interrupts_ends_with_eintr)
{
	struct task_struct *task;
	struct waits waits;
	struct mutex mutex;

	mutex_init(&mutex);
	watch(test, &waits, &mutex);
	mutex_lock(&mutex);
	task = start_waiter(test, &waits, use_mutex_interruptible, &mutex);
	if (task) {
		test_task_interrupt(task);
		EXPECT_EQ(test_task_end(task), -EINTR);
	}
	expect_wait(test, &waits, LCB_F_MUTEX, -EINTR);
	mutex_unlock(&mutex);
	unwatch(test, &waits);
}

SELFTEST(lock_events, a_wait_for_a_rwsem_says_what_for)
{
	struct rw_semaphore sem;
	struct task_struct *task;
	struct waits waits;

	init_rwsem(&sem);
	for (int write = 0; write < 2; write++) {
		watch(test, &waits, &sem);
		down_write(&sem);
		task = start_waiter(test, &waits, write ? write_rwsem : read_rwsem, &sem);
		up_write(&sem);
		if (task)
			EXPECT_EQ(test_task_end(task), 0);
		expect_wait(test, &waits, write ? LCB_F_WRITE : LCB_F_READ, 0);
		unwatch(test, &waits);
	}
}

struct spin_test {
	spinlock_t lock;
	bool held; /* by the test */
};

static void use_spinlock(void *arg, unsigned index)
{
	struct spin_test *spin = arg;

	(void)index;
	while (!READ_ONCE(spin->held))
		yield();
	spin_lock(&spin->lock);
	spin_unlock(&spin->lock);
}

SELFTEST(lock_events, a_wait_for_a_spinlock_begins_and_ends)
{
	struct spin_test spin = { .held = false };
	struct test_group group;
	struct waits waits;
	ktime_t start;

	if (num_online_cpus() < 2)
		return; /* nobody can wait for it */
	spin_lock_init(&spin.lock);
	watch(test, &waits, &spin.lock);
	EXPECT(run_on_nth_cpu(0));
	EXPECT(test_group_start(&group, 1, nth_online_cpu(1), use_spinlock, &spin));
	spin_lock(&spin.lock);
	WRITE_ONCE(spin.held, true);
	start = ktime_get();
	while (!atomic_read(&waits.begun) && ktime_get() - start < PATIENCE)
		cpu_relax();
	spin_unlock(&spin.lock);
	test_group_wait(&group);
	run_on_any_cpu();
	expect_wait(test, &waits, LCB_F_SPIN, 0);
	unwatch(test, &waits);
}
