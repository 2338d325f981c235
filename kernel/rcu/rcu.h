/*
 * RCU: readers take no lock, and a writer waits for the readers before it frees memory.
 *
 * A writer makes a changed copy, publishes a pointer to the copy, and frees the old version after a
 * grace period. After it no reader can still use the old version. The two kinds of RCU have
 * different readers (docs/rcu.md):
 *
 *	RCU		code between rcu_read_lock() and rcu_read_unlock(), and all other code with
 *			preemption off, interrupt handlers and NMIs included. A grace period ends
 *			when every CPU has switched tasks.
 *	RCU-tasks	every task, from one quiescent point to the next: voluntary switches and
 *			system calls (kernel/sched/quiescent.h). Readers execute nothing for RCU.
 *			They may be preempted, but must not sleep. This kind is for code that a task
 *			can enter at any instruction, such as the trampolines of ftrace.
 *
 * Names as in Linux (Documentation/RCU/whatisRCU.rst).
 */
#pragma once

#include "kernel/preempt.h"

/* The entry in a callback queue. Usually a part of the object to free. */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

/* A reader must not sleep before rcu_read_unlock(). The pair nests. Any context. */
static __always_inline void rcu_read_lock(void)
{
	preempt_disable();
}

static __always_inline void rcu_read_unlock(void)
{
	preempt_enable();
}

/* A reader loads a pointer once. The object was complete before the pointer was assigned. */
#define rcu_dereference(p)       smp_load_acquire(&(p))
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
/* For a writer that holds the lock for changes of the pointer. */
#define rcu_dereference_protected(p) (p)

/*
 * Calls func(head) in task context, after a grace period that begins now. Callbacks run in the
 * order in which they were queued. A callback may sleep, but the others wait for it. Any context
 * but NMI, not with P or R of a task held.
 */
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
void call_rcu_tasks(struct rcu_head *head, void (*func)(struct rcu_head *head));

/* Waits for a grace period. Task context, not in a callback. */
void synchronize_rcu(void);
/*
 * The same for RCU-tasks. It includes a grace period of ordinary RCU. It lasts at least as long as
 * each task computes without a cond_resched() or another quiescent point.
 */
void synchronize_rcu_tasks(void);
/* Waits until all callbacks queued so far have been called. Task context, not in a callback. */
void rcu_barrier(void);
void rcu_barrier_tasks(void);
