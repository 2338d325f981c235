/*
 * RCU: readers that take no lock, and writers that wait for them before they free.
 *
 * A writer makes a changed copy, lets a pointer lead to it, and frees the old one after a grace
 * period: when nobody can still be using it. Who counts as a reader is what the two kinds differ
 * in (docs/rcu.md):
 *
 *	RCU		code between rcu_read_lock() and rcu_read_unlock(), and any other code with
 *			preemption off, interrupt handlers and NMIs included. A grace period ends
 *			when every CPU has switched tasks.
 *	RCU-tasks	every task, from one voluntary switch to the next. Readers say nothing at
 *			all, may be preempted, but may not sleep: for code that can be entered from
 *			anywhere, such as the trampolines of ftrace.
 *
 * Names as in Linux (Documentation/RCU/whatisRCU.rst).
 */
#pragma once

#include "kernel/preempt.h"

/* Part of what is to be freed: who waits in which queue. */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

/* Nests. No sleeping in between. Any context. */
static __always_inline void rcu_read_lock(void)
{
	preempt_disable();
}

static __always_inline void rcu_read_unlock(void)
{
	preempt_enable();
}

/* A reader loads a pointer once; what it leads to was complete when the pointer was assigned. */
#define rcu_dereference(p)       smp_load_acquire(&(p))
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
/* For the writer, whose lock keeps the pointer as it is. */
#define rcu_dereference_protected(p) (p)

/*
 * Call func(head) in task context, after a grace period that begins now. Callbacks are called in
 * the order in which they were queued; they may sleep, but all others wait meanwhile. Any context
 * but NMI, not under a task's or a run queue's lock.
 */
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
void call_rcu_tasks(struct rcu_head *head, void (*func)(struct rcu_head *head));

/* Wait for a grace period. Task context, not in a callback. */
void synchronize_rcu(void);
/*
 * The same for RCU-tasks. It ends with one of synchronize_rcu(), and so includes that. A task that
 * computes for long without a cond_resched() makes it long.
 */
void synchronize_rcu_tasks(void);
/* Wait until all callbacks queued so far have been called. Task context, not in a callback. */
void rcu_barrier(void);
void rcu_barrier_tasks(void);
