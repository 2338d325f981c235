/*
 * Spinlocks out of line, under Linux's names. spin_lock() is inline, and so invisible to the
 * function tracer; the locks that softirqs take too use these functions (spin_lock_bh()), which
 * costs a call, and makes each place where they are taken 100 bytes shorter.
 */
#include "kernel/locking/spinlock.h"

void _raw_spin_lock(spinlock_t *lock)
{
	spin_lock(lock);
}

void _raw_spin_unlock(spinlock_t *lock)
{
	spin_unlock(lock);
}
