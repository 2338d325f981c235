/* Wait queues: a task sleeps in a queue until its condition is true. A waker wakes it to test
 * again. */
#pragma once

#include "kernel/errno.h"
#include "kernel/lib/list.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/signal.h"

struct task_struct;

typedef struct wait_queue_head {
	spinlock_t lock;
	struct list_head head; /* [lock] of wait_queue_entry.entry */
} wait_queue_head_t;

/* Values of wait_queue_entry.flags. */
#define WQ_FLAG_EXCLUSIVE  1 /* wake_up() wakes at most one of these */
#define WQ_FLAG_AUTOREMOVE 2 /* the wake-up removes the entry: set by prepare_to_wait() */
#define WQ_FLAG_CALLBACK   4 /* the wake-up calls func, and does not know the task */
#define WQ_FLAG_BOOKMARK   8 /* no waiter: the place where a wake-up continues */

struct wait_queue_entry {
	/* With WQ_FLAG_CALLBACK func, else the task, which the wake-up wakes. */
	union {
		struct task_struct *task;
		/*
		 * events: the POLL* of wake_up_poll(), 0: any. True: it has woken a task, which
		 * counts for an exclusive entry. The lock of the queue is held; any context but
		 * NMI.
		 */
		bool (*func)(struct wait_queue_entry *entry, unsigned events);
	};
	unsigned flags; /* WQ_FLAG_* */
	struct list_head entry;
};

#define __WAIT_QUEUE_HEAD_INITIALIZER(name)                                                        \
	{                                                                                          \
		.lock = __SPINLOCK_INIT(name.lock), .head = LIST_HEAD_INIT(name.head)              \
	}
#define DECLARE_WAIT_QUEUE_HEAD(name) wait_queue_head_t name = __WAIT_QUEUE_HEAD_INITIALIZER(name)
#define init_waitqueue_head(wq)                                                                    \
	do {                                                                                       \
		spin_lock_init(&(wq)->lock);                                                       \
		INIT_LIST_HEAD(&(wq)->head);                                                       \
	} while (0)

/*
 * Wake all non-exclusive waiters and one exclusive one (wake_up_all: all). Any context but NMI. The
 * lock is free between batches of four waiters, with interrupts as the caller had them.
 */
void wake_up(wait_queue_head_t *wq);
void wake_up_all(wait_queue_head_t *wq);
void wake_up_interruptible(wait_queue_head_t *wq);
/*
 * As wake_up_all(), for a queue that several events use: tells the callbacks which POLL* have come.
 */
void wake_up_poll(wait_queue_head_t *wq, unsigned events);
/*
 * As wake_up(), for a condition that wq->lock protects and a queue that is not empty. The caller
 * holds wq->lock, interrupts on; it is released meanwhile if the first waiter is not in
 * do_wait_intr().
 */
void wake_up_locked(wait_queue_head_t *wq);
/* Only the next task in do_wait_intr(): nothing has changed, but it may go on. wq->lock held. */
void wake_up_next_locked(wait_queue_head_t *wq);

/*
 * Queues the current task and sets its state; the caller tests its condition after that. Task
 * context. An exclusive waiter that gives up because of a signal must wake the next waiter, because
 * it may have consumed a wake-up.
 */
void prepare_to_wait(wait_queue_head_t *wq, struct wait_queue_entry *entry, unsigned state);
void prepare_to_wait_exclusive(wait_queue_head_t *wq, struct wait_queue_entry *entry,
			       unsigned state);
#define finish_wait(wq, wait)                                                                      \
	do {                                                                                       \
		__set_current_state(TASK_RUNNING);                                                 \
		/* A waker that has removed the entry no longer uses it: del_entry(). */           \
		if (smp_load_acquire(&(wait)->entry.next) != &(wait)->entry)                       \
			remove_wait_queue(wq, wait);                                               \
	} while (0)
/* Only the queueing, for a task that waits on several queues at once, as poll() does. */
void add_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *entry);
void remove_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *entry);

#define DEFINE_WAIT(name)                                                                          \
	struct wait_queue_entry name = { .task = current, .entry = LIST_HEAD_INIT(name.entry) }

#define ___wait_event(wq, condition, state)                                                        \
	({                                                                                         \
		DEFINE_WAIT(__entry);                                                              \
		int __ret = 0;                                                                     \
		for (;;) {                                                                         \
			prepare_to_wait(&(wq), &__entry, state);                                   \
			if (condition)                                                             \
				break;                                                             \
			if ((state) == TASK_INTERRUPTIBLE && signal_pending(current)) {            \
				__ret = interrupted_error();                                       \
				break;                                                             \
			}                                                                          \
			schedule();                                                                \
			if (condition) /* the usual case: woken, and removed from the queue */     \
				break;                                                             \
		}                                                                                  \
		finish_wait(&(wq), &__entry);                                                      \
		__ret;                                                                             \
	})

/*
 * Sleeps until condition is true. Include kernel/sched/sched.h too. Task context, no spinlock held.
 */
#define wait_event(wq, condition)                                                                  \
	do {                                                                                       \
		if (!(condition))                                                                  \
			(void)___wait_event(wq, condition, TASK_UNINTERRUPTIBLE);                  \
	} while (0)

/*
 * The same, interruptible: 0 when the condition is true, interrupted_error() when a signal comes
 * first.
 */
#define wait_event_interruptible(wq, condition)                                                    \
	({                                                                                         \
		int __wret = 0;                                                                    \
		if (!(condition))                                                                  \
			__wret = ___wait_event(wq, condition, TASK_INTERRUPTIBLE);                 \
		__wret;                                                                            \
	})
