/*
 * Mutexes.
 *
 * owner holds the task and, in its low bits, whether tasks wait. A free mutex without waiters is 0,
 * so each fast path is one cmpxchg. An unlock with waiters leaves the mutex free and wakes the
 * first waiter. Until that waiter runs, a task that already runs may take the mutex. So a busy
 * mutex is not idle during every wake-up. A waiter that was woken once without getting the mutex
 * asks for a hand-over: the next unlock makes it the owner. So no task starves.
 *
 * wait_lock protects the list and all of this. Every waiter takes wait_lock before it returns, so
 * the task that unlocked the mutex no longer uses it then.
 */
#include "kernel/sched/mutex.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/export.h"
#include "kernel/locking/held_locks.h"
#include "kernel/locking/lock_events.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/sched/sched.h"

#define MUTEX_WAITERS 1UL /* the list is not empty: lock and unlock take the slow path */
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

#ifdef CONFIG_DEBUG
static void debug_acquire(struct mutex *m)
{
	if (READ_ONCE(debug_locks) && mutex_owner(m) == current)
		lockdep_report("mutex taken again by its owner", m, m->class);
	sleeping_lock_acquire(m->class);
}

static void debug_acquired(struct mutex *m, const void *ip)
{
	sleeping_lock_acquired(m, m->class, ip);
}

static void debug_release(struct mutex *m)
{
	if (READ_ONCE(debug_locks) && mutex_owner(m) != current)
		lockdep_report("mutex unlocked by another task than its owner", m, m->class);
	sleeping_lock_release(m);
}
#else
#define debug_acquire(m)      ((void)(m))
#define debug_acquired(m, ip) ((void)(m))
#define debug_release(m)      ((void)(m))
#endif

static __always_inline bool mutex_trylock_fast(struct mutex *m)
{
	return cmpxchg(&m->owner, 0UL, (unsigned long)current) == 0;
}

struct task_struct *mutex_owner(const struct mutex *m)
{
	return (struct task_struct *)(READ_ONCE(m->owner) & ~MUTEX_FLAGS);
}

/* Takes the mutex if it is free, else sets MUTEX_WAITERS. True if taken. wait_lock held. */
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

/* Waits in the list until this task owns the mutex. wait_lock held; released while asleep. */
static int wait_for_turn(struct mutex *m, struct mutex_waiter *waiter, unsigned state)
{
	bool woken = false;

	/* mutex_owner() is this task after a hand-over. */
	while (mutex_owner(m) != waiter->task && !take_or_mark(m)) {
		if (state == TASK_INTERRUPTIBLE && signal_pending(waiter->task))
			return interrupted_error();
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
 * Says why this task will wait for ever, if an oops has ended the owner. Such an owner leaves its
 * mutexes locked, because the data that they protect may be inconsistent. wait_lock held, so an
 * owner that lives cannot finish its unlock and exit.
 */
static void report_dead_owner(const struct mutex *m)
{
	const struct task_struct *owner = mutex_owner(m);

	if (unlikely(owner->flags & PF_OOPSED))
		pr_err_ratelimited("INFO: task %s:%d is blocked on a mutex owned by task %s:%d, "
				   "which an oops has ended: %ps\n",
				   current->comm, current->pid, owner->comm, owner->pid, m);
}

static int mutex_lock_slow(struct mutex *m, unsigned state)
{
	struct mutex_waiter waiter = { .task = current };
	int ret = 0;

	spin_lock_irq(&m->wait_lock);
	if (!take_or_mark(m)) {
		trace_contention_begin(m, LCB_F_MUTEX);
		report_dead_owner(m);
		list_add_tail(&waiter.entry, &m->wait_list);
		ret = wait_for_turn(m, &waiter, state);
		__set_current_state(TASK_RUNNING);
		list_del(&waiter.entry);
		if (list_empty(&m->wait_list))
			__atomic_fetch_and(&m->owner, ~MUTEX_FLAGS, __ATOMIC_SEQ_CST);
		trace_contention_end(m, ret ? -EINTR : 0);
	}
	spin_unlock_irq(&m->wait_lock);
	return ret;
}

void mutex_lock(struct mutex *m)
{
	might_sleep();
	debug_acquire(m);
	if (unlikely(!mutex_trylock_fast(m)))
		mutex_lock_slow(m, TASK_UNINTERRUPTIBLE);
	debug_acquired(m, _RET_IP_);
}
EXPORT_SYMBOL(mutex_lock);

int mutex_lock_interruptible(struct mutex *m)
{
	int ret;

	might_sleep();
	debug_acquire(m);
	if (unlikely(!mutex_trylock_fast(m))) {
		ret = mutex_lock_slow(m, TASK_INTERRUPTIBLE);
		if (ret)
			return ret;
	}
	debug_acquired(m, _RET_IP_);
	return 0;
}
EXPORT_SYMBOL(mutex_lock_interruptible);

bool mutex_trylock(struct mutex *m)
{
	if (!mutex_trylock_fast(m))
		return false;
	debug_acquired(m, _RET_IP_);
	return true;
}
EXPORT_SYMBOL(mutex_trylock);

/* The list may be empty: the last waiter may have left because of a signal. */
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
	debug_release(m);
	if (unlikely(cmpxchg(&m->owner, (unsigned long)current, 0UL) != (unsigned long)current))
		mutex_unlock_slow(m);
}
EXPORT_SYMBOL(mutex_unlock);

bool mutex_is_locked(struct mutex *m)
{
	return mutex_owner(m) != NULL;
}
