/*
 * The internals of futexes: the keys that name a word, the waiters, their buckets. futex.c
 * describes them. Only kernel/futex includes it.
 */
#pragma once

#include "arch/mm/uaccess.h"
#include "kernel/futex/futex.h"
#include "kernel/lib/hash.h"
#include "kernel/sched/rtmutex.h"
#include "kernel/sched/sched.h"
#include "kernel/time/timer.h"
#include "kernel/mm/user_page.h"

#define FUTEX_HASH_BITS 8

/* Names a word. page: counted, for words that processes share; else NULL. */
struct futex_key {
	struct mm_struct *mm;
	struct page *page;
	unsigned long address; /* shared: the offset in the page */
};

struct futex_bucket {
	spinlock_t lock;
	struct list_head waiters; /* [lock] of futex_q.list */
};

/* A task that waits; on its stack. [B] the lock of bucket. */
struct futex_q {
	struct list_head list; /* [B] */
	struct task_struct *task;
	struct futex_key key;        /* [B] */
	struct futex_bucket *bucket; /* [B] of key; NULL: woken, and in no list */
	u32 bitset;                  /* 0: the futex_q is that of a struct futex_pi_q */
};

/*
 * A lock with priority inheritance for which tasks wait. [B] the lock of the bucket of its word.
 * It exists while a struct futex_pi_q refers to it.
 */
struct futex_pi_state {
	struct rt_mutex mutex;
	unsigned users; /* [B] */
};

/* A task that waits for such a lock, or for being requeued to one; on its stack. */
struct futex_pi_q {
	struct futex_q q;
	struct rt_mutex_waiter waiter;
	struct futex_pi_state *pi;    /* [B] NULL: not requeued yet */
	struct futex_key requeue_key; /* the lock to which it wants to be requeued */
};

extern struct futex_bucket futex_buckets[1 << FUTEX_HASH_BITS];

static inline struct futex_bucket *bucket_of(const struct futex_key *key)
{
	u64 base = key->page ? (u64)(uintptr_t)key->page : (u64)(uintptr_t)key->mm;

	return &futex_buckets[hash_64(base + key->address, FUTEX_HASH_BITS)];
}

static inline bool same_key(const struct futex_key *a, const struct futex_key *b)
{
	return a->mm == b->mm && a->page == b->page && a->address == b->address;
}

static inline void put_key(const struct futex_key *key)
{
	if (key->page)
		put_page(key->page);
}

static inline struct futex_pi_q *pi_q_of(struct futex_q *q)
{
	return container_of(q, struct futex_pi_q, q);
}

/*
 * Adds q to the bucket: real-time tasks by priority, then all others, in order of arrival. The lock
 * of the bucket held.
 */
void futex_enqueue_rt(struct futex_q *q, struct futex_bucket *bucket);
static inline void futex_enqueue(struct futex_q *q, struct futex_bucket *bucket)
{
	if (unlikely(q->task->rt_priority))
		futex_enqueue_rt(q, bucket);
	else
		list_add_tail(&q->list, &bucket->waiters);
}

/* futex.c: the key of a word. 0; -EINVAL: not aligned; -EFAULT. Takes mmap_lock if shared. */
int futex_get_key(u32 __user *uaddr, bool shared, struct futex_key *key);
/* Removes a waiter from its bucket and wakes it. The bucket's lock held. */
void futex_wake_waiter(struct futex_q *q);
/*
 * Wakes at most count waiters of key; one if count is less, as Linux. Their number, or -EINVAL: one
 * of them waits for a lock with priority inheritance. The bucket's lock held.
 */
long futex_wake_key(struct futex_bucket *bucket, const struct futex_key *key, int count,
		    u32 bitset);
/*
 * Queues q if the word is still val. 0; -EAGAIN: it has another value; -EFAULT. The state of the
 * task is TASK_INTERRUPTIBLE after 0.
 */
int futex_queue_if_equal(struct futex_q *q, u32 __user *uaddr, u32 val);

/* requeue.c: the locks of two buckets, which may be the same. */
void futex_lock_two(struct futex_bucket *a, struct futex_bucket *b);
void futex_unlock_two(struct futex_bucket *a, struct futex_bucket *b);
/* Reads the word at uaddr with both locks held; -EAGAIN after a fault that was dealt with. */
int futex_read_locked(u32 *now, u32 __user *uaddr, struct futex_bucket *a, struct futex_bucket *b);
/* Gives q the key and the bucket of key2. Both locks held. */
void futex_move_waiter(struct futex_q *q, struct futex_bucket *to, const struct futex_key *key2);
/* Wakes some waiters of uaddr, and lets others wait at uaddr2. cmp: only if the word is *cmp. */
long futex_requeue(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake, int nr_requeue,
		   const u32 *cmp);
long futex_wake_op(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake, int nr_wake2,
		   u32 encoded);

/* pi.c: the operations of futex(2). */
long futex_lock_pi(u32 __user *uaddr, bool shared, struct deadline end, bool trylock);
long futex_unlock_pi(u32 __user *uaddr, bool shared);
/*
 * Takes the lock at uaddr for task if it is free: 1. Else 0: *pi is its state, counted once, and
 * task may wait. Without *pi before the call, *spare becomes the state, and NULL. set_waiters: the
 * caller wants the state also after 1. -EFAULT and -EAGAIN: try again, without the lock of the
 * bucket in between. The lock of the bucket held.
 */
int futex_lock_pi_atomic(u32 __user *uaddr, struct futex_bucket *bucket,
			 const struct futex_key *key, struct task_struct *task, bool set_waiters,
			 struct futex_pi_state **pi, struct futex_pi_state **spare);
/* The first waiter of key, or NULL. The lock of the bucket held. */
struct futex_q *futex_first_waiter(struct futex_bucket *bucket, const struct futex_key *key);
/* Drops a reference. The lock of the bucket held. */
void futex_put_pi_state(struct futex_pi_state *pi);
/*
 * The end of a wait that began with q->pi. error 0: the task has the lock; else it gives up. The
 * result: 0 if it has the lock, even if it has only just got it; error; -EFAULT. Takes the lock of
 * the bucket.
 */
long futex_end_pi_wait(struct futex_pi_q *q, u32 __user *uaddr, long error);
/* Sleeps until the task is woken or the time has come: -ETIMEDOUT, -EINTR, or 0. */
long futex_sleep_until(struct deadline end);

/* pi_requeue.c */
long futex_wait_requeue_pi(u32 __user *uaddr, bool shared, u32 val, struct deadline end,
			   u32 __user *uaddr2);
long futex_cmp_requeue_pi(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake,
			  int nr_requeue, u32 cmp);

/* robust.c: the current task ends or calls exec: releases the locks that it has. */
void futex_exit(struct task_struct *tsk);
