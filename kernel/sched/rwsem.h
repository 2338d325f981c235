/*
 * Read-write semaphores: sleeping locks that many readers or one writer hold. Task context only.
 * The task that took the lock releases it, and must not take it again while it holds it, not even
 * for reading.
 *
 * The lock is fair: once a task waits, later tasks wait behind it, readers too. An unlock hands the
 * lock to the task that has waited longest, and if that is a reader, to all readers directly behind
 * it.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/locking/spinlock.h"

struct task_struct;

struct rw_semaphore {
	long count;                /* [A] RWSEM_* of rwsem.c; 0: free, without waiters */
	struct task_struct *owner; /* [A] the writer, for reports; NULL if there is none */
	spinlock_t wait_lock;
	struct list_head wait_list; /* [wait_lock] waiters in order of arrival */
#ifdef CONFIG_DEBUG
	struct lock_class *class;
#endif
};

#ifdef CONFIG_DEBUG
#define init_rwsem(sem)                                                                            \
	do {                                                                                       \
		static struct lock_class __rwsem_class = { .name = #sem };                         \
		__init_rwsem(sem);                                                                 \
		(sem)->class = &__rwsem_class;                                                     \
	} while (0)
#else
#define init_rwsem(sem) __init_rwsem(sem)
#endif

void __init_rwsem(struct rw_semaphore *sem);
void down_read(struct rw_semaphore *sem);
bool down_read_trylock(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
void down_write(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);
/* Whether any task holds the lock, and whether a writer does. For assertions. Any context. */
bool rwsem_is_locked(const struct rw_semaphore *sem);
bool rwsem_is_write_locked(const struct rw_semaphore *sem);
