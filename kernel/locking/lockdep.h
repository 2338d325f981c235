/*
 * The hooks by which mutexes take part in the order checking of a DEBUG build
 * (kernel/locking/lockdep.c).
 */
#pragma once

#include "kernel/locking/mutex.h"

#ifdef CONFIG_DEBUG
void mutex_debug_acquire(struct mutex *m);
void mutex_debug_acquired(struct mutex *m);
void mutex_debug_release(struct mutex *m);
/* False once something was reported: from then on nothing is checked. */
extern bool debug_locks;
/* Report nothing, only turn off: for the checker's own tests. */
extern bool debug_locks_silent;
#else
static __always_inline void mutex_debug_acquire(struct mutex *m)
{
	(void)m;
}
static __always_inline void mutex_debug_acquired(struct mutex *m)
{
	(void)m;
}
static __always_inline void mutex_debug_release(struct mutex *m)
{
	(void)m;
}
#endif
