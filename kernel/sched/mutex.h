/*
 * Mutexes: sleeping locks with a known owner. Task context only. The owner unlocks.
 *
 * Mutexes belong to the scheduler's room because waiting for one means to sleep and to be woken.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/locking/spinlock.h"

struct task_struct;

struct mutex {
	unsigned long owner; /* [A] the task, 0 when free; flags of mutex.c in the low bits */
	spinlock_t wait_lock;
	struct list_head wait_list; /* [wait_lock] waiters in order of arrival */
#ifdef CONFIG_DEBUG
	struct lock_class *class;
#endif
};

#ifdef CONFIG_DEBUG
#define __MUTEX_INITIALIZER(mutex)                                                                 \
	{                                                                                          \
		.wait_lock = __SPINLOCK_INIT(mutex.wait_lock),                                     \
		.wait_list = LIST_HEAD_INIT(mutex.wait_list),                                      \
		.class = &(struct lock_class){ .name = #mutex },                                   \
	}
#define mutex_init(m)                                                                              \
	do {                                                                                       \
		static struct lock_class __mutex_class = { .name = #m };                           \
		__mutex_init(m);                                                                   \
		(m)->class = &__mutex_class;                                                       \
	} while (0)
#else
#define __MUTEX_INITIALIZER(mutex)                                                                 \
	{                                                                                          \
		.wait_lock = __SPINLOCK_INIT(mutex.wait_lock),                                     \
		.wait_list = LIST_HEAD_INIT(mutex.wait_list),                                      \
	}
#define mutex_init(m) __mutex_init(m)
#endif
#define DEFINE_MUTEX(name) struct mutex name = __MUTEX_INITIALIZER(name)

void __mutex_init(struct mutex *m);
void mutex_lock(struct mutex *m);
/* interrupted_error() when a signal came before the lock. */
int __must_check mutex_lock_interruptible(struct mutex *m);
bool mutex_trylock(struct mutex *m);
void mutex_unlock(struct mutex *m);
bool mutex_is_locked(struct mutex *m);
/* NULL when free. For reports: the owner may change before the caller uses it. Any context. */
struct task_struct *mutex_owner(const struct mutex *m);
