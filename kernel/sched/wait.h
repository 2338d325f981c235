/* Wait queues: tasks that sleep until a condition holds, and the wakers that say it may. */
#pragma once

#include "kernel/errno.h"
#include "kernel/lib/list.h"
#include "kernel/locking/spinlock.h"

struct task_struct;

typedef struct wait_queue_head {
	spinlock_t lock;
	struct list_head head; /* [lock] of wait_queue_entry.entry */
} wait_queue_head_t;

struct wait_queue_entry {
	struct task_struct *task;
	bool exclusive;  /* wake_up() wakes at most one of these */
	bool autoremove; /* taken off the queue by the wake-up itself: set by prepare_to_wait() */
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

/* Wake all non-exclusive waiters and one exclusive one (wake_up_all: all). Any context but NMI. */
void wake_up(wait_queue_head_t *wq);
void wake_up_all(wait_queue_head_t *wq);
void wake_up_interruptible(wait_queue_head_t *wq);
/*
 * As wake_up(), for those who guard their condition with wq->lock, which is held, interrupts on.
 * The exclusive waiters are all in do_wait_intr().
 */
void wake_up_locked(wait_queue_head_t *wq);

/*
 * Queue the current task and set its state; the condition is to be tested after. Task context. An
 * exclusive waiter that does not go on, as a signal came, wakes the next one: a wake-up may have
 * been for him.
 */
void prepare_to_wait(wait_queue_head_t *wq, struct wait_queue_entry *entry, unsigned state);
void prepare_to_wait_exclusive(wait_queue_head_t *wq, struct wait_queue_entry *entry,
			       unsigned state);
#define finish_wait(wq, wait)                                                                      \
	do {                                                                                       \
		__set_current_state(TASK_RUNNING);                                                 \
		/* A waker that took the entry off has done with it: see del_entry(). */           \
		if (smp_load_acquire(&(wait)->entry.next) != &(wait)->entry)                       \
			remove_wait_queue(wq, wait);                                               \
	} while (0)
/* The queue half alone, for poll-style waiting on several queues at once. */
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
				__ret = -EINTR;                                                    \
				break;                                                             \
			}                                                                          \
			schedule();                                                                \
			if (condition) /* the usual case: woken, off the queue, and done */        \
				break;                                                             \
		}                                                                                  \
		finish_wait(&(wq), &__entry);                                                      \
		__ret;                                                                             \
	})

/*
 * Sleep until condition is true. The users include kernel/sched/sched.h. Task context, no spinlock.
 */
#define wait_event(wq, condition)                                                                  \
	do {                                                                                       \
		if (!(condition))                                                                  \
			(void)___wait_event(wq, condition, TASK_UNINTERRUPTIBLE);                  \
	} while (0)

/* The same, or -EINTR when a signal comes first; 0 when the condition is true. */
#define wait_event_interruptible(wq, condition)                                                    \
	({                                                                                         \
		int __wret = 0;                                                                    \
		if (!(condition))                                                                  \
			__wret = ___wait_event(wq, condition, TASK_INTERRUPTIBLE);                 \
		__wret;                                                                            \
	})
