/*
 * Mutexes with priority inheritance: the owner runs at least with the priority of the most urgent
 * waiter of its mutexes. If the owner waits for a mutex itself, the owner of that mutex inherits
 * this priority, too, and so on.
 *
 * The mutex has no word of its own that says "free": kernel/futex makes one when the first task has
 * to wait, for a lock whose state is a word of user memory. An owner passes the mutex on to a task
 * that waits. So no other task can take it in between.
 *
 * All functions: task context, and a spinlock may be held, but none of those below rt_mutex_lock in
 * docs/locking.md.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/lib/rbtree.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/task.h"

/*
 * One lock for all mutexes, owners and waiters: a change of priority follows the chain of owners,
 * and finds the whole chain at rest. It is taken only where tasks wait.
 */
extern spinlock_t rt_mutex_lock;

/* [M] rt_mutex_lock to write. */
struct rt_mutex {
	struct task_struct *owner;     /* [M] NULL: it has ended, and no task waited */
	struct rb_root_cached waiters; /* [M] by priority; of the same one, by arrival */
	struct list_head owned;        /* [M] in owner->pi_mutexes */
	bool owner_died;               /* [M] an owner has ended; the user clears it */
};

/*
 * A task that waits. The memory belongs to the task, which stays in its call as long as it waits.
 */
struct rt_mutex_waiter {
	struct rb_node node; /* [M] in mutex->waiters */
	struct task_struct *task;
	struct rt_mutex
		*mutex; /* [M] NULL: the task does not wait: it owns the mutex, or never has */
	int prio;       /* [M] the key in waiters */
};

/*
 * Initializes a mutex that owner has. -ESRCH: owner has ended, as far as mutexes go; then the mutex
 * is not used.
 */
int rt_mutex_init_owned(struct rt_mutex *mutex, struct task_struct *owner);
/* The thread id of the owner, 0: none. *died: its owner_died. */
pid_t rt_mutex_owner_pid(struct rt_mutex *mutex, bool *died);
/* The end of a mutex for which no task waits. */
void rt_mutex_destroy(struct rt_mutex *mutex);
/*
 * Lets task wait, which is the current task or one that sleeps: 0. 1: the mutex had no owner, and
 * now task has it. -EDEADLK: the owner waits for task, perhaps through other owners.
 */
int rt_mutex_enqueue(struct rt_mutex *mutex, struct rt_mutex_waiter *waiter,
		     struct task_struct *task);
/* The task does not wait any longer. False: it has got the mutex. */
bool rt_mutex_cancel(struct rt_mutex_waiter *waiter);
/* The most urgent waiter; NULL: none. It stays one as long as the caller keeps it from leaving. */
struct rt_mutex_waiter *rt_mutex_top_waiter(struct rt_mutex *mutex);
/* The owner gives the mutex to a task that waits, which is woken. The owner loses its priority. */
void rt_mutex_pass(struct rt_mutex *mutex, struct rt_mutex_waiter *to);
/*
 * The task gives up all of its mutexes: each goes to the most urgent waiter, with owner_died set.
 * If the task is ending, it cannot own one later.
 */
void rt_mutex_exit(struct task_struct *task);
/* For a waiter that has no mutex yet. */
static inline void rt_mutex_init_waiter(struct rt_mutex_waiter *waiter)
{
	waiter->mutex = NULL;
}

/* Whether the task still waits. Once false, and the task has been queued: it owns the mutex. */
static inline bool rt_mutex_waiting(const struct rt_mutex_waiter *waiter)
{
	return smp_load_acquire(&waiter->mutex) != NULL;
}
