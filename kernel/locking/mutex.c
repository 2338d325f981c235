/*
 * Mutexes.
 *
 * owner holds the task and, in bit 0, whether tasks wait. Free and uncontended it is 0, so the fast paths
 * are one cmpxchg each. With waiters, unlock hands the mutex to the one that waits longest, which finds
 * itself the owner when it wakes up: fair, and nobody can be starved. The lists and the hand-over
 * happen under wait_lock; a woken waiter takes it too before it returns, so its unlocker is done with it.
 */
#include "kernel/locking/mutex.h"

#include "kernel/bug.h"
#include "kernel/locking/lockdep.h"
#include "kernel/sched/sched.h"

#define MUTEX_WAITERS 1UL

struct mutex_waiter {
	struct list_head entry; /* [wait_lock] */
	struct task_struct *task;
};

void __mutex_init(struct mutex *m)
{
	m->owner = 0;
	spin_lock_init(&m->wait_lock);
	INIT_LIST_HEAD(&m->wait_list);
}

static __always_inline bool mutex_trylock_fast(struct mutex *m)
{
	return cmpxchg(&m->owner, 0UL, (unsigned long)current) == 0;
}

struct task_struct *mutex_owner(const struct mutex *m)
{
	return (struct task_struct *)(READ_ONCE(m->owner) & ~MUTEX_WAITERS);
}

/* Say that somebody waits, or take the mutex if it is free. wait_lock held. True if it is ours now. */
static bool mark_contended(struct mutex *m)
{
	unsigned long owner = READ_ONCE(m->owner);

	for (;;) {
		unsigned long new = owner ? owner | MUTEX_WAITERS : (unsigned long)current, found;

		found = cmpxchg(&m->owner, owner, new);
		if (found == owner)
			return !owner;
		owner = found;
	}
}

static int mutex_lock_slow(struct mutex *m, unsigned state)
{
	struct mutex_waiter waiter = { .task = current };
	int ret = 0;

	spin_lock_irq(&m->wait_lock);
	if (mark_contended(m))
		goto out;
	list_add_tail(&waiter.entry, &m->wait_list);
	while (mutex_owner(m) != waiter.task) {
		if (state == TASK_INTERRUPTIBLE && signal_pending(waiter.task)) {
			list_del(&waiter.entry);
			if (list_empty(&m->wait_list))
				__atomic_fetch_and(&m->owner, ~MUTEX_WAITERS, __ATOMIC_SEQ_CST);
			ret = -EINTR;
			break;
		}
		set_current_state(state);
		spin_unlock_irq(&m->wait_lock);
		schedule();
		spin_lock_irq(&m->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
out:
	spin_unlock_irq(&m->wait_lock);
	return ret;
}

void mutex_lock(struct mutex *m)
{
	might_sleep();
	mutex_debug_acquire(m);
	if (unlikely(!mutex_trylock_fast(m)))
		mutex_lock_slow(m, TASK_UNINTERRUPTIBLE);
	mutex_debug_acquired(m);
}

int mutex_lock_interruptible(struct mutex *m)
{
	int ret;

	might_sleep();
	mutex_debug_acquire(m);
	if (unlikely(!mutex_trylock_fast(m))) {
		ret = mutex_lock_slow(m, TASK_INTERRUPTIBLE);
		if (ret)
			return ret;
	}
	mutex_debug_acquired(m);
	return 0;
}

bool mutex_trylock(struct mutex *m)
{
	if (!mutex_trylock_fast(m))
		return false;
	mutex_debug_acquired(m);
	return true;
}

/* Hand the mutex to the first waiter; there is none if it gave up for a signal just now. */
static noinline void mutex_unlock_slow(struct mutex *m)
{
	struct mutex_waiter *waiter;
	unsigned long flags, owner = 0;

	if (WARN_ON(mutex_owner(m) != current))
		return;
	spin_lock_irqsave(&m->wait_lock, flags);
	waiter = list_first_entry_or_null(&m->wait_list, struct mutex_waiter, entry);
	if (waiter) {
		list_del(&waiter->entry);
		owner = (unsigned long)waiter->task;
		if (!list_empty(&m->wait_list))
			owner |= MUTEX_WAITERS;
	}
	smp_store_release(&m->owner, owner);
	if (waiter)
		wake_up_process(waiter->task);
	spin_unlock_irqrestore(&m->wait_lock, flags);
}

void mutex_unlock(struct mutex *m)
{
	mutex_debug_release(m);
	if (unlikely(cmpxchg(&m->owner, (unsigned long)current, 0UL) != (unsigned long)current))
		mutex_unlock_slow(m);
}

bool mutex_is_locked(struct mutex *m)
{
	return READ_ONCE(m->owner) != 0;
}
