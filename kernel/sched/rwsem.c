/*
 * Read-write semaphores.
 *
 * count tells the holders of the lock: RWSEM_WRITER, or a number of readers, each RWSEM_READER. So
 * each fast path is one atomic instruction. RWSEM_WAITERS is set while the list is not empty: then
 * a task can take the lock only under wait_lock, and a release that makes the lock free goes to
 * rwsem_wake(), which gives the lock to the first waiters. A waiter never has to compete for the
 * lock after its wake-up, so no task starves.
 *
 * A waiter takes wait_lock before it returns. So the task that gave it the lock no longer uses the
 * waiter's record, which is on the waiter's stack, nor the semaphore.
 */
#include "kernel/sched/rwsem.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/locking/held_locks.h"
#include "kernel/locking/lock_events.h"
#include "kernel/sched/sched.h"

#define RWSEM_WRITER  1L
#define RWSEM_WAITERS 2L
#define RWSEM_READER  4L

struct rwsem_waiter {
	struct list_head entry; /* [wait_lock] */
	struct task_struct *task;
	bool write;
	bool granted; /* [wait_lock] the task holds the lock, and is in the list no more */
};

void __init_rwsem(struct rw_semaphore *sem)
{
	sem->count = 0;
	sem->owner = NULL;
	spin_lock_init(&sem->wait_lock);
	INIT_LIST_HEAD(&sem->wait_list);
}

#ifdef CONFIG_DEBUG
static bool held_by_current(const struct rw_semaphore *sem)
{
	const struct held_locks *held = current_held_locks();

	for (unsigned i = 0; i < held->depth && i < MAX_HELD_LOCKS; i++)
		if (held->locks[i].lock == sem)
			return true;
	return false;
}

static void debug_acquire(struct rw_semaphore *sem)
{
	might_sleep();
	if (READ_ONCE(debug_locks) && held_by_current(sem))
		lockdep_report("rw_semaphore taken again by a task that holds it", sem, sem->class);
	sleeping_lock_acquire(sem->class);
}

static void debug_acquired(struct rw_semaphore *sem, const void *ip)
{
	sleeping_lock_acquired(sem, sem->class, ip);
}

static void debug_release(struct rw_semaphore *sem)
{
	if (READ_ONCE(debug_locks) && !held_by_current(sem))
		lockdep_report("rw_semaphore released by a task that does not hold it", sem,
			       sem->class);
	sleeping_lock_release(sem);
}
#else
#define debug_acquire(sem)      ((void)(sem))
#define debug_acquired(sem, ip) ((void)(sem))
#define debug_release(sem)      ((void)(sem))
#endif

/* Whether a task could take the lock if count is that, and no task waited before it. */
static bool is_available(long count, bool write)
{
	return write ? (count & ~RWSEM_WAITERS) == 0 : (count & RWSEM_WRITER) == 0;
}

/* Takes the lock for a task. RWSEM_WAITERS is set, so no fast path takes it. wait_lock held. */
static void take(struct rw_semaphore *sem, bool write)
{
	__atomic_fetch_add(&sem->count, write ? RWSEM_WRITER : RWSEM_READER, __ATOMIC_SEQ_CST);
}

/* Gives the lock to the first waiters, as far as it is available. wait_lock held. */
static void grant(struct rw_semaphore *sem)
{
	struct rwsem_waiter *waiter, *next;

	list_for_each_entry_safe (waiter, next, &sem->wait_list, entry) {
		if (!is_available(READ_ONCE(sem->count), waiter->write))
			return;
		take(sem, waiter->write);
		list_del(&waiter->entry);
		waiter->granted = true;
		wake_up_process(waiter->task);
	}
	__atomic_fetch_and(&sem->count, ~RWSEM_WAITERS, __ATOMIC_SEQ_CST);
}

static noinline void rwsem_wake(struct rw_semaphore *sem)
{
	unsigned long flags;

	spin_lock_irqsave(&sem->wait_lock, flags);
	grant(sem);
	spin_unlock_irqrestore(&sem->wait_lock, flags);
}

static noinline void rwsem_down_slow(struct rw_semaphore *sem, bool write)
{
	struct rwsem_waiter waiter = { .task = current, .write = write };

	trace_contention_begin(sem, write ? LCB_F_WRITE : LCB_F_READ);
	spin_lock_irq(&sem->wait_lock);
	list_add_tail(&waiter.entry, &sem->wait_list);
	__atomic_fetch_or(&sem->count, RWSEM_WAITERS, __ATOMIC_SEQ_CST);
	grant(sem); /* the holder may have released it before it could see RWSEM_WAITERS */
	while (!waiter.granted) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		spin_unlock_irq(&sem->wait_lock);
		schedule();
		spin_lock_irq(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	spin_unlock_irq(&sem->wait_lock);
	trace_contention_end(sem, 0);
}

static __always_inline bool read_trylock_fast(struct rw_semaphore *sem)
{
	long count = READ_ONCE(sem->count);

	while (!(count & (RWSEM_WRITER | RWSEM_WAITERS)))
		if (__atomic_compare_exchange_n(&sem->count, &count, count + RWSEM_READER, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

void down_read(struct rw_semaphore *sem)
{
	debug_acquire(sem);
	if (unlikely(!read_trylock_fast(sem)))
		rwsem_down_slow(sem, false);
	debug_acquired(sem, _RET_IP_);
}

bool down_read_trylock(struct rw_semaphore *sem)
{
	if (!read_trylock_fast(sem))
		return false;
	debug_acquired(sem, _RET_IP_);
	return true;
}

void up_read(struct rw_semaphore *sem)
{
	debug_release(sem);
	if (unlikely(__atomic_sub_fetch(&sem->count, RWSEM_READER, __ATOMIC_SEQ_CST) ==
		     RWSEM_WAITERS))
		rwsem_wake(sem);
}

void down_write(struct rw_semaphore *sem)
{
	debug_acquire(sem);
	if (unlikely(cmpxchg(&sem->count, 0L, RWSEM_WRITER)))
		rwsem_down_slow(sem, true);
	WRITE_ONCE(sem->owner, current);
	debug_acquired(sem, _RET_IP_);
}

void up_write(struct rw_semaphore *sem)
{
	debug_release(sem);
	WARN_ON(READ_ONCE(sem->owner) != current);
	WRITE_ONCE(sem->owner, NULL);
	if (unlikely(__atomic_sub_fetch(&sem->count, RWSEM_WRITER, __ATOMIC_SEQ_CST)))
		rwsem_wake(sem);
}

bool rwsem_is_locked(const struct rw_semaphore *sem)
{
	return (READ_ONCE(sem->count) & ~RWSEM_WAITERS) != 0;
}

bool rwsem_is_write_locked(const struct rw_semaphore *sem)
{
	return READ_ONCE(sem->count) & RWSEM_WRITER;
}
