/*
 * Condition variables whose mutex has priority inheritance: a task waits at the word of the
 * condition (FUTEX_WAIT_REQUEUE_PI), and the waker makes it wait for the lock, or gives it the lock
 * (FUTEX_CMP_REQUEUE_PI). The woken task does not have to ask for it.
 *
 * While the task sleeps, one of three things is true, under the lock of q.bucket:
 *
 *	pi is NULL		it waits for the condition
 *	pi is not NULL		it has been requeued: it waits for the lock, or has got it
 *	q.bucket is NULL	it has got the lock at once, and is in no list
 */
#include "kernel/futex/internal.h"
#include "kernel/mm/slab.h"

/* Sleeps until one of the last two is true and the task has the lock, or an error. */
static long wait_for_requeue(struct futex_pi_q *q, struct deadline end)
{
	long error;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(q->q.bucket) ||
		    (smp_load_acquire(&q->pi) && !rt_mutex_waiting(&q->waiter))) {
			error = 0;
			break;
		}
		error = futex_sleep_until(end);
		if (error)
			break;
	}
	__set_current_state(TASK_RUNNING);
	return error;
}

/* Leaves the condition, unless the task has already been requeued or woken. True if it has left. */
static bool leave_condition(struct futex_pi_q *q)
{
	struct futex_bucket *bucket;
	bool left = false;

	while (!left && !smp_load_acquire(&q->pi) && (bucket = smp_load_acquire(&q->q.bucket))) {
		spin_lock(&bucket->lock);
		if (q->q.bucket == bucket && !q->pi) {
			list_del(&q->q.list);
			left = true;
		}
		spin_unlock(&bucket->lock);
	}
	return left;
}

static long wait_requeue_pi(u32 __user *uaddr, u32 __user *uaddr2, struct futex_pi_q *q, u32 val,
			    struct deadline end)
{
	long error;

	if (same_key(&q->q.key, &q->requeue_key))
		return -EINVAL;
	error = futex_queue_if_equal(&q->q, uaddr, val);
	if (error)
		return error;
	error = wait_for_requeue(q, end);
	if (error && leave_condition(q))
		return error == -EINTR ? -ERESTARTNOINTR : error;
	if (!smp_load_acquire(&q->q.bucket))
		return 0;
	/* The program has to look at the condition again: no restart. */
	return futex_end_pi_wait(q, uaddr2, error == -EINTR ? -EAGAIN : error);
}

long futex_wait_requeue_pi(u32 __user *uaddr, bool shared, u32 val, struct deadline end,
			   u32 __user *uaddr2)
{
	struct futex_pi_q q = { .q.task = current };
	long ret;

	if (uaddr == uaddr2)
		return -EINVAL;
	ret = futex_get_key(uaddr2, shared, &q.requeue_key);
	if (ret)
		return ret;
	ret = futex_get_key(uaddr, shared, &q.q.key);
	if (!ret) {
		rt_mutex_init_waiter(&q.waiter);
		ret = wait_requeue_pi(uaddr, uaddr2, &q, val, end);
		put_key(&q.q.key);
	}
	put_key(&q.requeue_key);
	return ret;
}

/* What a call of FUTEX_CMP_REQUEUE_PI works on. Both locks held. */
struct pi_requeue {
	struct futex_key key, key2;
	struct futex_bucket *from, *to;
	struct futex_pi_state *pi, *spare; /* pi: counted once */
};

static bool wants(struct futex_q *q, const struct pi_requeue *r)
{
	return !q->bitset && !pi_q_of(q)->pi && same_key(&pi_q_of(q)->requeue_key, &r->key2);
}

/* Makes a waiter wait for the lock, unless it gets it: the owner has ended. */
static int requeue_one(struct futex_q *q, struct pi_requeue *r)
{
	struct futex_pi_q *pq = pi_q_of(q);
	int ret = rt_mutex_enqueue(&r->pi->mutex, &pq->waiter, q->task);

	if (ret < 0)
		return ret;
	r->pi->users++;
	futex_move_waiter(q, r->to, &r->key2);
	smp_store_release(&pq->pi, r->pi);
	/* An owner that ends may have given the lock before the waiter could see pi. */
	if (ret || !rt_mutex_waiting(&pq->waiter))
		wake_up_state(q->task, TASK_NORMAL);
	return 0;
}

static long requeue_locked(u32 __user *uaddr2, struct pi_requeue *r, int nr_requeue)
{
	struct futex_q *q = futex_first_waiter(r->from, &r->key);
	long count = 0;
	int ret;

	if (!q)
		return 0;
	if (!wants(q, r))
		return -EINVAL;
	ret = futex_lock_pi_atomic(uaddr2, r->to, &r->key2, q->task, nr_requeue, &r->pi, &r->spare);
	if (ret < 0)
		return ret;
	if (ret) {
		futex_wake_waiter(q);
		count++;
	}
	ret = 0;
	while (!ret && r->pi && count - 1 < nr_requeue &&
	       (q = futex_first_waiter(r->from, &r->key))) {
		ret = wants(q, r) ? requeue_one(q, r) : -EINVAL;
		if (!ret)
			count++;
	}
	return ret ? ret : count;
}

/* One attempt. *again: the call has to be repeated. */
static long cmp_requeue_pi(u32 __user *uaddr, u32 __user *uaddr2, struct pi_requeue *r,
			   int nr_requeue, u32 cmp, bool *again)
{
	long ret;
	u32 now;

	r->from = bucket_of(&r->key);
	r->to = bucket_of(&r->key2);
	futex_lock_two(r->from, r->to);
	ret = futex_read_locked(&now, uaddr, r->from, r->to);
	if (ret) { /* the locks have been released */
		*again = ret == -EAGAIN;
		return ret;
	}
	if (now != cmp) {
		futex_unlock_two(r->from, r->to);
		return -EAGAIN;
	}
	ret = requeue_locked(uaddr2, r, nr_requeue);
	if (r->pi)
		futex_put_pi_state(r->pi);
	r->pi = NULL;
	futex_unlock_two(r->from, r->to);
	*again = ret == -EAGAIN || (ret == -EFAULT && !fault_in_writable(uaddr2));
	return ret;
}

long futex_cmp_requeue_pi(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake,
			  int nr_requeue, u32 cmp)
{
	struct pi_requeue r = { 0 };
	bool again;
	long ret;

	if (nr_wake != 1 || nr_requeue < 0 || uaddr == uaddr2)
		return -EINVAL;
	do {
		again = false;
		if (!r.spare)
			r.spare = kzalloc(sizeof(*r.spare), GFP_KERNEL);
		if (!r.spare)
			return -ENOMEM;
		ret = futex_get_key(uaddr, shared, &r.key);
		if (ret)
			break;
		ret = futex_get_key(uaddr2, shared, &r.key2);
		if (!ret) {
			ret = same_key(&r.key, &r.key2)
				      ? -EINVAL
				      : cmp_requeue_pi(uaddr, uaddr2, &r, nr_requeue, cmp, &again);
			put_key(&r.key2);
		}
		put_key(&r.key);
		cond_resched();
	} while (again);
	kfree(r.spare);
	return ret;
}
