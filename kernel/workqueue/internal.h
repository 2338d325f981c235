/*
 * Between the two files of kernel/workqueue: the worker pools (pool.c) and the queueing of work
 * items (workqueue.c). No other room includes this.
 */
#pragma once

#include "kernel/sched/completion.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/workqueue/workqueue.h"

#define CPU_UNBOUND ~0U
/* Bits of work->pending. */
#define WORK_PENDING    0U /* queued, or its timer runs, or a task cancels it */
#define WORK_CANCELLING 1U

struct worker_pool {
	spinlock_t lock;
	unsigned cpu;              /* [C] or CPU_UNBOUND */
	struct list_head worklist; /* [lock] work_struct.entry, in order of arrival */
	struct list_head idle;     /* [lock] worker.entry, the last to become idle first */
	struct list_head busy;     /* [lock] worker.entry: those within process_one_work() */
	struct list_head flushers; /* [lock] of items queued here */
	unsigned nr_workers, nr_idle, next_id; /* [lock] */
	unsigned nr_running; /* [lock] workers that are neither idle nor asleep within an item */
	bool managing;       /* [lock] a worker is creating another one */
};

struct worker {
	struct worker_pool *pool;         /* [C] */
	struct task_struct *task;         /* [C] */
	struct list_head entry;           /* [pool lock] in idle or busy */
	struct work_struct *current_work; /* [pool lock] address only: the function may free it */
	work_func_t current_func;         /* [pool lock] */
	struct list_head scheduled; /* [pool lock] items queued again while this worker runs them */
	struct list_head flushers;  /* [pool lock] wait for the end of current_work */
	bool running;               /* [pool lock] counted in nr_running */
	bool sleeping;              /* [O] asleep within an item */
	bool is_idle;               /* [pool lock] in pool->idle */
};

/* A task that waits for the end of an item. On the stack of that task. */
struct flusher {
	struct list_head entry; /* [pool lock] */
	struct work_struct *work;
	struct completion done;
};

DECLARE_PER_CPU(struct worker_pool, worker_pools);
extern struct worker_pool unbound_pool;

/* The worker of pool that runs this item now, or NULL. Pool lock held. */
struct worker *find_worker_executing(struct worker_pool *pool, struct work_struct *work);
/* Puts an item into pool and wakes a worker if none is awake. Pool lock held. */
void insert_work(struct worker_pool *pool, struct work_struct *work);
/*
 * A queued item is cancelled. The tasks that wait for it wait for the instance that runs, if one
 * does, else they go on. Pool lock held.
 */
void cancel_flushers(struct worker_pool *pool, struct work_struct *work);
