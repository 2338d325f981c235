/*
 * The events of locks for which a task or a CPU has to wait: mutexes, read-write semaphores, and
 * spinlocks. A lock that is free makes no event.
 *
 * A probe runs for a semaphore in the task that waits; for a mutex in that task, too, but with
 * interrupts off and the wait_lock of the mutex held; for a spinlock in any context but NMI, with
 * any locks held. So it must not sleep, and it takes no spinlock whose waits are events. Tracing
 * takes its locks by raw_ticket_lock(), which makes none. Those of run queues make none, too.
 *
 * The flags RT and PERCPU are for locks that nop5 does not have. As on Linux, the locks of futexes
 * with priority inheritance make no event.
 */
#if !defined(LOCK_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define LOCK_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lock

#include "kernel/tracepoint.h"

/* clang-format off */

#ifndef TRACE_EVENTS_PASS
#define LCB_F_SPIN   (1U << 0)
#define LCB_F_READ   (1U << 1)
#define LCB_F_WRITE  (1U << 2)
#define LCB_F_RT     (1U << 3)
#define LCB_F_PERCPU (1U << 4)
#define LCB_F_MUTEX  (1U << 5)
#endif

/* The wait begins. flags: LCB_F_* */
TRACE_EVENT(contention_begin,
	TP_PROTO(void *lock, unsigned int flags),
	TP_ARGS(lock, flags),
	TP_STRUCT__entry(
		__field(void *, lock_addr)
		__field(unsigned int, flags)
	),
	TP_fast_assign(
		__entry->lock_addr = lock;
		__entry->flags = flags;
	),
	TP_printk("%p (flags=%s)", __entry->lock_addr,
		  __print_flags(__entry->flags, "|",
				{ LCB_F_SPIN, "SPIN" }, { LCB_F_READ, "READ" },
				{ LCB_F_WRITE, "WRITE" }, { LCB_F_RT, "RT" },
				{ LCB_F_PERCPU, "PERCPU" }, { LCB_F_MUTEX, "MUTEX" } ))
);

/* The wait ends. ret: 0: the lock is taken; -EINTR: a signal came before. */
TRACE_EVENT(contention_end,
	TP_PROTO(void *lock, int ret),
	TP_ARGS(lock, ret),
	TP_STRUCT__entry(
		__field(void *, lock_addr)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->lock_addr = lock;
		__entry->ret = ret;
	),
	TP_printk("%p (ret=%d)", __entry->lock_addr, __entry->ret)
);

/* clang-format on */
#endif
