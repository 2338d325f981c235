/*
 * Locks with priority inheritance: FUTEX_LOCK_PI and its kin.
 *
 * The word holds the thread id of the owner, 0: the lock is free. As long as no task waits,
 * programs change it without a system call. A task that has to wait sets FUTEX_WAITERS, so the
 * owner's unlock is a system call, too. The kernel then has a struct futex_pi_state, whose rt_mutex
 * has the owner that the word names; all waiters of the word refer to it.
 *
 * An unlock writes the thread id of the most urgent waiter into the word, and gives it the
 * rt_mutex. Both happen under the lock of the bucket. If the owner ends, only the rt_mutex is
 * given: the word may be in memory that the owner does not have. rt_mutex.owner_died says that the
 * word is wrong until the new owner has corrected it.
 */
#include "kernel/futex/internal.h"
#include "kernel/mm/slab.h"
#include "kernel/time/timekeeping.h"
#include "kernel/task/pid.h"

void futex_put_pi_state(struct futex_pi_state *pi)
{
	if (--pi->users)
		return;
	rt_mutex_destroy(&pi->mutex);
	kfree(pi);
}

struct futex_q *futex_first_waiter(struct futex_bucket *bucket, const struct futex_key *key)
{
	struct futex_q *q;

	list_for_each_entry (q, &bucket->waiters, list)
		if (same_key(&q->key, key))
			return q;
	return NULL;
}

/* The state that the waiters of a word have. now: the word. */
static int attach_to_waiters(struct futex_q *q, u32 now, struct futex_pi_state **pi)
{
	struct futex_pi_state *state = q->bitset ? NULL : pi_q_of(q)->pi;
	bool died;
	pid_t owner;

	if (!state) /* it waits for something else */
		return -EINVAL;
	owner = rt_mutex_owner_pid(&state->mutex, &died);
	if (!died && (now & FUTEX_TID_MASK) != (u32)owner && now != FUTEX_OWNER_DIED &&
	    now != (FUTEX_OWNER_DIED | FUTEX_WAITERS))
		return -EINVAL;
	state->users++;
	*pi = state;
	return 0;
}

/* The owner is no task, or one that ends: it may have released the lock while it ended. */
static int owner_gone(u32 __user *uaddr, u32 then)
{
	u32 now;

	if (copy_from_user(&now, uaddr, sizeof(now)))
		return -EFAULT;
	return now == then ? -ESRCH : -EAGAIN;
}

/* A new state, for the owner that the word names. */
static int attach_to_owner(u32 __user *uaddr, u32 now, struct futex_pi_state **pi,
			   struct futex_pi_state **spare)
{
	struct task_struct *owner = find_get_task_by_pid((pid_t)(now & FUTEX_TID_MASK));
	int ret;

	if (!owner)
		return owner_gone(uaddr, now);
	if (owner->flags & PF_KTHREAD)
		ret = -EPERM;
	else if (rt_mutex_init_owned(&(*spare)->mutex, owner))
		ret = owner_gone(uaddr, now);
	else
		ret = 0;
	put_task_struct(owner);
	if (ret)
		return ret;
	*pi = *spare;
	*spare = NULL;
	(*pi)->users = 1;
	return 0;
}

int futex_lock_pi_atomic(u32 __user *uaddr, struct futex_bucket *bucket,
			 const struct futex_key *key, struct task_struct *task, bool set_waiters,
			 struct futex_pi_state **pi, struct futex_pi_state **spare)
{
	struct futex_q *first = futex_first_waiter(bucket, key);
	u32 now, old, new;

	if (copy_from_user(&now, uaddr, sizeof(now)))
		return -EFAULT;
	if ((now & FUTEX_TID_MASK) == (u32)task->pid)
		return -EDEADLK;
	if (first)
		return attach_to_waiters(first, now, pi);
	new = now | FUTEX_WAITERS;
	if (!(now & FUTEX_TID_MASK))
		new = (now & FUTEX_OWNER_DIED) | (u32)task->pid | (set_waiters ? FUTEX_WAITERS : 0);
	old = now;
	if (cmpxchg_user(uaddr, &old, new))
		return -EFAULT;
	if (old != now)
		return -EAGAIN;
	if (now & FUTEX_TID_MASK)
		return attach_to_owner(uaddr, new, pi, spare);
	if (set_waiters)
		(void)attach_to_owner(uaddr, new, pi, spare);
	return 1;
}

/* An owner has ended, and the current task has its lock. Lock of the bucket held, and released. */
static int correct_word(struct futex_pi_q *q, u32 __user *uaddr)
{
	struct futex_bucket *bucket = q->q.bucket;
	u32 now, old, new;

	for (;;) {
		bool fault = copy_from_user(&now, uaddr, sizeof(now));

		new = FUTEX_OWNER_DIED | FUTEX_WAITERS | (u32)current->pid;
		old = now;
		if (!fault && !cmpxchg_user(uaddr, &old, new)) {
			if (old == now)
				break;
			continue;
		}
		spin_unlock(&bucket->lock);
		fault = fault_in_writable(uaddr);
		spin_lock(&bucket->lock);
		if (fault)
			return -EFAULT;
	}
	q->pi->mutex.owner_died = false;
	return 0;
}

long futex_end_pi_wait(struct futex_pi_q *q, u32 __user *uaddr, long error)
{
	struct futex_bucket *bucket = q->q.bucket;
	struct futex_pi_state *pi = q->pi;
	struct rt_mutex_waiter *next;

	spin_lock(&bucket->lock);
	if (!error || !rt_mutex_cancel(&q->waiter)) {
		error = pi->mutex.owner_died ? correct_word(q, uaddr) : 0;
		next = error ? rt_mutex_top_waiter(&pi->mutex) : NULL;
		if (next)
			rt_mutex_pass(&pi->mutex, next);
	}
	list_del(&q->q.list);
	futex_put_pi_state(pi);
	spin_unlock(&bucket->lock);
	return error;
}

long futex_sleep_until(struct deadline end)
{
	if (signal_pending(current))
		return -EINTR;
	return deadline_passed(end) || schedule_until(end) ? -ETIMEDOUT : 0;
}

/* Waits until q has the lock. q is queued. */
static long wait_for_pi(struct futex_pi_q *q, struct deadline end)
{
	long error = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!rt_mutex_waiting(&q->waiter))
			break;
		error = futex_sleep_until(end);
		if (error)
			break;
	}
	__set_current_state(TASK_RUNNING);
	return error == -EINTR ? -ERESTARTNOINTR : error;
}

/* One attempt. -EFAULT and -EAGAIN: try again. -EBUSY: trylock, and the lock has an owner. */
static long lock_pi(u32 __user *uaddr, struct futex_pi_q *q, struct deadline end, bool trylock,
		    struct futex_pi_state **spare)
{
	struct futex_bucket *bucket = bucket_of(&q->q.key);
	int ret;

	spin_lock(&bucket->lock);
	ret = futex_lock_pi_atomic(uaddr, bucket, &q->q.key, current, false, &q->pi, spare);
	if (ret) {
		spin_unlock(&bucket->lock);
		return ret;
	}
	ret = trylock ? -EBUSY : rt_mutex_enqueue(&q->pi->mutex, &q->waiter, current);
	if (ret < 0) {
		futex_put_pi_state(q->pi);
		spin_unlock(&bucket->lock);
		return ret;
	}
	q->q.bucket = bucket;
	list_add_tail(&q->q.list, &bucket->waiters);
	spin_unlock(&bucket->lock);
	return futex_end_pi_wait(q, uaddr, ret ? 0 : wait_for_pi(q, end));
}

long futex_lock_pi(u32 __user *uaddr, bool shared, struct deadline end, bool trylock)
{
	struct futex_pi_q q = { .q.task = current };
	struct futex_pi_state *spare = NULL;
	long ret;

	do {
		if (!spare)
			spare = kzalloc(sizeof(*spare), GFP_KERNEL);
		if (!spare)
			return -ENOMEM;
		ret = futex_get_key(uaddr, shared, &q.q.key);
		if (ret)
			break;
		rt_mutex_init_waiter(&q.waiter);
		ret = lock_pi(uaddr, &q, end, trylock, &spare);
		put_key(&q.q.key);
		if (ret == -EFAULT && !fault_in_writable(uaddr))
			ret = fatal_signal_pending(current) ? -EINTR : -EAGAIN;
		cond_resched();
	} while (ret == -EAGAIN);
	kfree(spare);
	if (ret == -EBUSY)
		return -EAGAIN;
	return ret > 0 ? 0 : ret;
}

/* One attempt, with the lock of the bucket. now: the word. */
static long unlock_pi(u32 __user *uaddr, struct futex_bucket *bucket, const struct futex_key *key,
		      u32 now)
{
	struct futex_q *first = futex_first_waiter(bucket, key);
	struct futex_pi_state *pi = NULL;
	struct rt_mutex_waiter *next = NULL;
	u32 old = now;

	if (first) {
		pi = first->bitset ? NULL : pi_q_of(first)->pi;
		if (!pi || pi->mutex.owner != current)
			return -EINVAL;
		next = rt_mutex_top_waiter(&pi->mutex);
	}
	if (cmpxchg_user(uaddr, &old, next ? FUTEX_WAITERS | (u32)next->task->pid : 0))
		return -EFAULT;
	if (old != now)
		return -EAGAIN;
	if (next)
		rt_mutex_pass(&pi->mutex, next);
	return 0;
}

long futex_unlock_pi(u32 __user *uaddr, bool shared)
{
	struct futex_bucket *bucket;
	struct futex_key key;
	long ret;
	u32 now;

	do {
		if (get_user(now, uaddr))
			return -EFAULT;
		if ((now & FUTEX_TID_MASK) != (u32)current->pid)
			return -EPERM;
		ret = futex_get_key(uaddr, shared, &key);
		if (ret)
			return ret;
		bucket = bucket_of(&key);
		spin_lock(&bucket->lock);
		ret = unlock_pi(uaddr, bucket, &key, now);
		spin_unlock(&bucket->lock);
		put_key(&key);
		if (ret == -EFAULT && !fault_in_writable(uaddr))
			ret = fatal_signal_pending(current) ? -EINTR : -EAGAIN;
	} while (ret == -EAGAIN);
	return ret;
}
