/*
 * Mutexes.
 *
 * owner holds the task and, in its low bits, that tasks wait. Free and uncontended it is 0, so the
 * fast paths are one cmpxchg each. Unlock with waiters leaves the mutex free and wakes the first of
 * them; until that one runs, a task that is running already may take the mutex, so that a busy
 * mutex does not stand idle through every wake-up. A waiter that was woken in vain once asks for a
 * hand-over: the next unlock makes it the owner, so nobody is starved. The list and all of this are
 * under wait_lock; every waiter takes it before it returns, so its unlocker is done with the mutex.
 */
#include "kernel/locking/mutex.h"

#include "kernel/bug.h"
#include "kernel/locking/lockdep.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"

#define MUTEX_WAITERS 1UL /* the list is not empty: unlock and lock go the slow way */
#define MUTEX_HANDOFF 2UL /* unlock gives the mutex to the first waiter */
#define MUTEX_FLAGS   (MUTEX_WAITERS | MUTEX_HANDOFF)

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
	return (struct task_struct *)(READ_ONCE(m->owner) & ~MUTEX_FLAGS);
}

/* Take the mutex if it is free, else say that somebody waits. wait_lock held. True if it is ours
 * now. */
static bool take_or_mark(struct mutex *m)
{
	unsigned long owner = READ_ONCE(m->owner);

	for (;;) {
		bool is_free = !(owner & ~MUTEX_FLAGS);
		unsigned long found,
			new = owner | (is_free ? (unsigned long)current : MUTEX_WAITERS);

		found = cmpxchg(&m->owner, owner, new);
		if (found == owner)
			return is_free;
		owner = found;
	}
}

/* Wait in the list until the mutex is ours. wait_lock held, and given up while asleep. */
static int wait_for_turn(struct mutex *m, struct mutex_waiter *waiter, unsigned state)
{
	bool woken = false;

	/* mutex_owner(): handed over. */
	while (mutex_owner(m) != waiter->task && !take_or_mark(m)) {
		if (state == TASK_INTERRUPTIBLE && signal_pending(waiter->task))
			return -EINTR;
		if (woken && m->wait_list.next == &waiter->entry)
			__atomic_fetch_or(&m->owner, MUTEX_HANDOFF, __ATOMIC_SEQ_CST);
		set_current_state(state);
		spin_unlock_irq(&m->wait_lock);
		schedule();
		spin_lock_irq(&m->wait_lock);
		woken = true;
	}
	return 0;
}

/*
 * A task that an oops ends leaves its mutexes locked, for what they guard may be half done. Who
 * wants one waits for ever, and says why. wait_lock held: an owner that lives cannot unlock, and
 * go.
 */
static void report_dead_owner(const struct mutex *m)
{
	const struct task_struct *owner = mutex_owner(m);

	if (unlikely(owner->flags & PF_OOPSED))
		pr_err("INFO: task %s:%d is blocked on a mutex owned by task %s:%d, "
		       "which an oops has ended: %ps\n",
		       current->comm, current->pid, owner->comm, owner->pid, m);
}

static int mutex_lock_slow(struct mutex *m, unsigned state)
{
	struct mutex_waiter waiter = { .task = current };
	int ret = 0;

	spin_lock_irq(&m->wait_lock);
	if (!take_or_mark(m)) {
		report_dead_owner(m);
		list_add_tail(&waiter.entry, &m->wait_list);
		ret = wait_for_turn(m, &waiter, state);
		__set_current_state(TASK_RUNNING);
		list_del(&waiter.entry);
		if (list_empty(&m->wait_list))
			__atomic_fetch_and(&m->owner, ~MUTEX_FLAGS, __ATOMIC_SEQ_CST);
	}
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

/* There is no waiter left if it gave up for a signal just now. */
static noinline void mutex_unlock_slow(struct mutex *m)
{
	struct mutex_waiter *waiter;
	unsigned long flags, owner = 0;

	if (WARN_ON(mutex_owner(m) != current))
		return;
	spin_lock_irqsave(&m->wait_lock, flags);
	waiter = list_first_entry_or_null(&m->wait_list, struct mutex_waiter, entry);
	if (waiter) {
		owner = MUTEX_WAITERS;
		if (READ_ONCE(m->owner) & MUTEX_HANDOFF)
			owner |= (unsigned long)waiter->task;
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
	return mutex_owner(m) != NULL;
}
