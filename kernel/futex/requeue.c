/* Operations on two words: moving waiters from one to the other, FUTEX_WAKE_OP. */
#include "kernel/futex/internal.h"

void futex_lock_two(struct futex_bucket *a, struct futex_bucket *b)
{
	spin_lock(&(a < b ? a : b)->lock);
	if (a != b)
		spin_lock(&(a < b ? b : a)->lock);
}

void futex_unlock_two(struct futex_bucket *a, struct futex_bucket *b)
{
	spin_unlock(&a->lock);
	if (a != b)
		spin_unlock(&b->lock);
}

int futex_read_locked(u32 *now, u32 __user *uaddr, struct futex_bucket *a, struct futex_bucket *b)
{
	if (!copy_from_user(now, uaddr, sizeof(*now)))
		return 0;
	futex_unlock_two(a, b);
	return get_user(*now, uaddr) ? -EFAULT : -EAGAIN;
}

void futex_move_waiter(struct futex_q *q, struct futex_bucket *to, const struct futex_key *key2)
{
	/* The waiter's reference to a page moves, too; the waiter drops it. */
	if (key2->page)
		get_page(key2->page);
	put_key(&q->key);
	q->key = *key2;
	if (q->bucket == to) /* the caller, which goes through the list, would find it again */
		return;
	list_del(&q->list);
	futex_enqueue(q, to);
	smp_store_release(&q->bucket, to);
}

long futex_requeue(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake, int nr_requeue,
		   const u32 *cmp)
{
	struct futex_bucket *from, *to;
	struct futex_key key, key2;
	struct futex_q *q, *n;
	long moved = 0, woken = 0;
	u32 now;
	int err;

	if (nr_wake < 0 || nr_requeue < 0)
		return -EINVAL;
	err = futex_get_key(uaddr, shared, &key);
	if (err)
		return err;
	err = futex_get_key(uaddr2, shared, &key2);
	if (err)
		goto put_first;
	from = bucket_of(&key);
	to = bucket_of(&key2);
	do {
		futex_lock_two(from, to);
		err = cmp ? futex_read_locked(&now, uaddr, from, to) : 0;
	} while (err == -EAGAIN);
	if (err)
		goto put_both;
	if (cmp && now != *cmp) {
		futex_unlock_two(from, to);
		err = -EAGAIN;
		goto put_both;
	}
	list_for_each_entry_safe (q, n, &from->waiters, list) {
		if (!same_key(&q->key, &key))
			continue;
		if (!q->bitset) { /* it waits for a lock with priority inheritance */
			err = -EINVAL;
			break;
		}
		if (woken < nr_wake) {
			futex_wake_waiter(q);
			woken++;
			continue;
		}
		if (moved == nr_requeue)
			break;
		futex_move_waiter(q, to, &key2);
		moved++;
	}
	futex_unlock_two(from, to);
put_both:
	put_key(&key2);
put_first:
	put_key(&key);
	return err ? err : woken + moved;
}

/* The operation of FUTEX_WAKE_OP in val3: futex(2). */
static int wake_op_new(u32 op, u32 old, u32 arg, u32 *new)
{
	switch (op) {
	case 0:
		*new = arg;
		return 0;
	case 1:
		*new = old + arg;
		return 0;
	case 2:
		*new = old | arg;
		return 0;
	case 3:
		*new = old & ~arg;
		return 0;
	case 4:
		*new = old ^ arg;
		return 0;
	}
	return -ENOSYS;
}

static int wake_op_holds(u32 cmp, s32 old, s32 arg)
{
	switch (cmp) {
	case 0:
		return old == arg;
	case 1:
		return old != arg;
	case 2:
		return old < arg;
	case 3:
		return old <= arg;
	case 4:
		return old > arg;
	case 5:
		return old >= arg;
	}
	return -ENOSYS;
}

long futex_wake_op(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake, int nr_wake2,
		   u32 encoded)
{
	s32 arg = (s32)(encoded << 8) >> 20, cmp_arg = (s32)(encoded << 20) >> 20;
	struct futex_bucket *bucket, *bucket2;
	struct futex_key key, key2;
	u32 old, now, new;
	bool fault;
	long ret;
	int err = futex_get_key(uaddr, shared, &key), holds;

	if (err)
		return err;
	ret = futex_get_key(uaddr2, shared, &key2);
	if (ret)
		goto put_first;
	if (encoded & 0x80000000U)
		arg = (s32)(1U << (arg & 31));
	bucket = bucket_of(&key);
	bucket2 = bucket_of(&key2);
	futex_lock_two(bucket, bucket2);
	old = now = 0;
	for (;;) {
		/* The first guess fails unless it is right, and then tells what is there. */
		err = wake_op_new((encoded >> 28) & 7, old, (u32)arg, &new);
		if (err)
			break;
		fault = cmpxchg_user(uaddr2, &now, new);
		if (!fault && now == old)
			break;
		old = now;
		if (!fault)
			continue;
		futex_unlock_two(bucket, bucket2);
		ret = -EFAULT;
		if (fault_in_writable(uaddr2))
			goto put_both;
		futex_lock_two(bucket, bucket2);
	}
	holds = wake_op_holds((encoded >> 24) & 15, (s32)old, cmp_arg);
	if (err || holds < 0) {
		ret = -ENOSYS;
	} else {
		ret = futex_wake_key(bucket, &key, nr_wake, FUTEX_BITSET_MATCH_ANY);
		if (holds && ret >= 0) {
			long more =
				futex_wake_key(bucket2, &key2, nr_wake2, FUTEX_BITSET_MATCH_ANY);

			ret = more < 0 ? more : ret + more;
		}
	}
	futex_unlock_two(bucket, bucket2);
put_both:
	put_key(&key2);
put_first:
	put_key(&key);
	return ret;
}
