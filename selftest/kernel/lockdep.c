/* Self-tests of the lock checker, in a DEBUG build: it reports each fault, and no correct use. */
#include "kernel/locking/held_locks.h"
#include "kernel/sched/mutex.h"

#include "kernel/workqueue/workqueue.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"
#include "kernel/time/timer.h"

/* Runs fn without printing reports. True if the checker reported. Turns the checker on again. */
static bool objects_to(void (*fn)(void))
{
	bool objected;

	debug_locks_silent = true;
	fn();
	objected = !debug_locks;
	debug_locks = true;
	debug_locks_silent = false;
	return objected;
}

static DEFINE_SPINLOCK(lock_a);
static DEFINE_SPINLOCK(lock_b);
static DEFINE_SPINLOCK(lock_c);

static void both(spinlock_t *outer, spinlock_t *inner)
{
	spin_lock(outer);
	spin_lock(inner);
	spin_unlock(inner);
	spin_unlock(outer);
}

static void a_then_b(void)
{
	both(&lock_a, &lock_b);
}

static void b_then_c(void)
{
	both(&lock_b, &lock_c);
}

static void c_then_a(void)
{
	both(&lock_c, &lock_a);
}

SELFTEST(lockdep, cycle_of_three_is_found_without_a_deadlock)
{
	EXPECT(debug_locks);
	EXPECT(!objects_to(a_then_b));
	EXPECT(!objects_to(b_then_c));
	EXPECT(!objects_to(a_then_b));
	EXPECT(objects_to(c_then_a));
}

static DEFINE_MUTEX(mutex_d);
static DEFINE_SPINLOCK(lock_e);
static DEFINE_MUTEX(mutex_f);

static void mutexes_d_f(void)
{
	mutex_lock(&mutex_d);
	mutex_lock(&mutex_f);
	mutex_unlock(&mutex_f);
	mutex_unlock(&mutex_d);
}

static void mutexes_f_d(void)
{
	mutex_lock(&mutex_f);
	mutex_lock(&mutex_d);
	mutex_unlock(&mutex_d);
	mutex_unlock(&mutex_f);
}

SELFTEST(lockdep, order_of_mutexes_is_checked)
{
	EXPECT(!objects_to(mutexes_d_f));
	EXPECT(objects_to(mutexes_f_d));
}

static DEFINE_SPINLOCK(timer_lock);
static bool timer_ran;

static void take_timer_lock(struct timer_list *timer __unused)
{
	spin_lock(&timer_lock);
	WRITE_ONCE(timer_ran, true);
	spin_unlock(&timer_lock);
}

/* A fault: the timer's softirq could interrupt the holder of the lock, and would spin for ever. */
static void softirq_and_task(void)
{
	struct timer_list timer;

	spin_lock(&timer_lock);
	spin_unlock(&timer_lock);
	timer_setup(&timer, take_timer_lock);
	mod_timer(&timer, ktime_get());
	while (!READ_ONCE(timer_ran))
		msleep(1);
	del_timer_sync(&timer);
}

SELFTEST(lockdep, lock_of_a_softirq_taken_with_softirqs_on_is_found)
{
	EXPECT(objects_to(softirq_and_task));
}

static void unlock_free_lock(void)
{
	spin_lock(&lock_e);
	spin_unlock(&lock_e);
	preempt_disable();
	spin_lock_debug_release(&lock_e);
	preempt_enable();
}

SELFTEST(lockdep, unlock_of_a_free_lock_is_found)
{
	EXPECT(objects_to(unlock_free_lock));
}

static void take_twice(void)
{
	spin_lock(&lock_e);
	spin_lock_debug_acquire(&lock_e);
	spin_unlock(&lock_e);
}

SELFTEST(lockdep, recursion_is_found)
{
	EXPECT(objects_to(take_twice));
}
