/* Inside kernel/rcu: the queue of callbacks that one kind of RCU has, and the kthread behind it. */
#pragma once

#include "kernel/locking/spinlock.h"
#include "kernel/rcu/rcu.h"
#include "kernel/rcu/rcu_stats.h"

struct task_struct;

struct rcu_callbacks {
	const char *kthread_name;        /* [C] */
	void (*wait_for_readers)(void);  /* [C] one grace period; the kthread alone calls it */
	spinlock_t lock;                 /* irqsave */
	struct rcu_head *first, **tail;  /* [lock] in order of arrival */
	struct task_struct *kthread;     /* written once, at boot */
	struct rcu_callback_stats stats; /* [lock] */
};

#define RCU_CALLBACKS_INITIALIZER(var, name, wait)                                                 \
	{                                                                                          \
		.kthread_name = (name), .wait_for_readers = (wait),                                \
		.lock = __SPINLOCK_INIT(var.lock), .tail = &(var).first                            \
	}

void rcu_queue_callback(struct rcu_callbacks *rcu, struct rcu_head *head,
			void (*func)(struct rcu_head *head));
/* Queue a callback of one's own and wait until it is called: all before it have been. */
void rcu_wait_for_callback(struct rcu_callbacks *rcu);
/* Boot: start the kthread. */
void rcu_start_kthread(struct rcu_callbacks *rcu);
void rcu_read_stats(struct rcu_callbacks *rcu, struct rcu_callback_stats *stats);
