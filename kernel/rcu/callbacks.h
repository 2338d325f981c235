/* Inside kernel/rcu: the callback queue of one kind of RCU, and its kthread. */
#pragma once

#include "kernel/locking/spinlock.h"
#include "kernel/rcu/rcu.h"
#include "kernel/rcu/rcu_stats.h"

struct task_struct;

struct rcu_callbacks {
	const char *kthread_name;        /* [C] */
	void (*wait_for_readers)(void);  /* [C] one grace period; only the kthread calls it */
	spinlock_t lock;                 /* irqsave */
	struct rcu_head *first, **tail;  /* [lock] queue in order of arrival */
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
/* Waits until all callbacks queued before have been called. */
void rcu_wait_for_callback(struct rcu_callbacks *rcu);
/* Boot: starts the kthread. */
void rcu_start_kthread(struct rcu_callbacks *rcu);
void rcu_read_stats(struct rcu_callbacks *rcu, struct rcu_callback_stats *stats);
