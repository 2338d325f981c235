/*
 * The lock checker of a DEBUG build, as sleeping locks use it (kernel/locking/lockdep.c). Spinlocks
 * call their own three functions: kernel/locking/spinlock.h.
 */
#pragma once

#include "kernel/locking/spinlock.h"

#ifdef CONFIG_DEBUG
#define MAX_HELD_LOCKS 32

/* The locks that a task holds. Only the task itself changes them, with interrupts off. */
struct held_locks {
	unsigned depth; /* may exceed MAX_HELD_LOCKS: further locks are counted, not recorded */
	struct held_lock {
		const void *lock;
		struct lock_class *class;
		const void *ip;  /* where it was taken */
	} locks[MAX_HELD_LOCKS]; /* innermost last */
};

/* Hook, defined by the scheduler: the held locks of the current task. */
struct held_locks *current_held_locks(void);

/* Task context: before the wait, after the lock is taken at ip, before it is released. */
void sleeping_lock_acquire(struct lock_class *class);
void sleeping_lock_acquired(const void *lock, struct lock_class *class, const void *ip);
void sleeping_lock_release(const void *lock);
/* Reports a wrong use of a lock, and turns the checker off. Any context. */
void lockdep_report(const char *what, const void *lock, const struct lock_class *class);

/* False after the first report: from then on nothing is checked. */
extern bool debug_locks;
/* For the checker's own tests: turn off without a report. */
extern bool debug_locks_silent;
#endif
