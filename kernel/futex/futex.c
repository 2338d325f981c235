/*
 * Futexes.
 *
 * A task that waits is in a bucket of a hash table, under a key that names the word: for words that
 * threads of one process share, the address space and the address; for words that processes share,
 * the page and the offset in it. The waiter keeps a reference to that page, so the page stays what
 * it is.
 *
 * A waiter takes the bucket's lock, compares the word, and queues itself before it releases the
 * lock. A waker changes the word first, and then takes the lock. So either the waiter sees the new
 * value, or the waker sees the waiter. The lock is held with preemption off; the word is read
 * with page faults disabled.
 *
 * The files: futex.c has waiters and wakers, requeue.c operations on two words, pi.c and
 * pi_requeue.c locks with priority inheritance, robust.c the end of an owner.
 *
 * Lock order: mmap_lock is taken before any bucket's lock, and not within; two buckets in the order
 * of their addresses; the lock of rt_mutexes within a bucket's lock.
 */
#include "kernel/futex/internal.h"
#include "kernel/init.h"
#include "kernel/posix_time/clock.h"
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/timekeeping.h"
#include "kernel/vm/mm.h"

#define KEY_SHARED 1 /* in futex_key.address, of a word that is asked for as shared */

struct futex_bucket futex_buckets[1 << FUTEX_HASH_BITS];

/* The key of a word that processes may share. */
static int get_shared_key(struct mm_struct *mm, unsigned long address, struct futex_key *key)
{
	struct vm_area_struct *vma;
	int err = 0;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, address);
	if (vma && (vma->vm_flags & VM_SHARED)) {
		key->page = get_user_page(mm, address, false);
		key->mm = NULL;
		key->address = address % PAGE_SIZE;
		err = IS_ERR(key->page) ? (int)PTR_ERR(key->page) : 0;
	} else if (vma) {
		/* No other process sees the word. Its page may change: copy on write. */
		key->address |= KEY_SHARED;
	} else {
		err = -EFAULT;
	}
	mmap_read_unlock(mm);
	return err;
}

static __always_inline int get_key(u32 __user *uaddr, bool shared, struct futex_key *key)
{
	struct mm_struct *mm = current->mm;
	unsigned long address = (unsigned long)uaddr;

	if (address % sizeof(u32))
		return -EINVAL;
	if (!mm || !access_ok(uaddr, sizeof(u32)))
		return -EFAULT;
	*key = (struct futex_key){ .mm = mm, .address = address };
	return shared ? get_shared_key(mm, address, key) : 0;
}

void futex_wake_waiter(struct futex_q *q)
{
	struct task_struct *task = get_task_struct(q->task);

	list_del(&q->list);
	/* From here on q may be gone: its task returns as soon as it reads NULL. */
	smp_store_release(&q->bucket, NULL);
	wake_up_state(task, TASK_NORMAL);
	put_task_struct(task);
}

static __always_inline long wake_key(struct futex_bucket *bucket, const struct futex_key *key,
				     int count, u32 bitset)
{
	struct futex_q *q, *n;
	long woken = 0;

	list_for_each_entry_safe (q, n, &bucket->waiters, list) {
		if (!same_key(&q->key, key))
			continue;
		if (!(q->bitset & bitset)) {
			if (!q->bitset)
				return -EINVAL;
			continue;
		}
		futex_wake_waiter(q);
		if (++woken >= count)
			break;
	}
	return woken;
}

long futex_wake(u32 __user *uaddr, bool shared, int count, u32 bitset)
{
	struct futex_bucket *bucket;
	struct futex_key key;
	long woken;
	int err;

	if (!bitset)
		return -EINVAL;
	err = get_key(uaddr, shared, &key);
	if (err)
		return err;
	bucket = bucket_of(&key);
	spin_lock(&bucket->lock);
	woken = wake_key(bucket, &key, count, bitset);
	spin_unlock(&bucket->lock);
	put_key(&key);
	return woken;
}

void futex_enqueue_rt(struct futex_q *q, struct futex_bucket *bucket)
{
	struct futex_q *other;

	list_for_each_entry (other, &bucket->waiters, list)
		if (other->task->rt_priority < q->task->rt_priority)
			break;
	list_add_tail(&q->list, &other->list);
}

static __always_inline int queue_if_equal(struct futex_q *q, u32 __user *uaddr, u32 val)
{
	struct futex_bucket *bucket = bucket_of(&q->key);
	u32 now;

	for (;;) {
		unsigned long left;

		spin_lock(&bucket->lock);
		left = copy_from_user(&now, uaddr, sizeof(now)); /* preemption is off: no sleep */
		if (!left)
			break;
		spin_unlock(&bucket->lock);
		if (get_user(now, uaddr)) /* fault the page in, and try again */
			return -EFAULT;
	}
	if (now != val) {
		spin_unlock(&bucket->lock);
		return -EAGAIN;
	}
	q->bucket = bucket;
	futex_enqueue(q, bucket);
	set_current_state(TASK_INTERRUPTIBLE);
	spin_unlock(&bucket->lock);
	return 0;
}

static bool unqueue(struct futex_q *q)
{
	struct futex_bucket *bucket;

	while ((bucket = smp_load_acquire(&q->bucket))) {
		spin_lock(&bucket->lock);
		if (q->bucket == bucket) {
			list_del(&q->list);
			q->bucket = NULL;
			spin_unlock(&bucket->lock);
			return true;
		}
		spin_unlock(&bucket->lock);
	}
	return false;
}

static long futex_wait_until(u32 __user *uaddr, bool shared, u32 val, u32 bitset,
			     struct deadline end);

/*
 * restart_block: time is the end; args are the address, the value with how to sleep, and the bits
 * with the flag.
 */
static long futex_wait_restart(struct restart_block *restart)
{
	struct deadline end = { .how = restart->args[1] >> 32, .time = restart->time };

	return futex_wait_until((u32 __user *)restart->args[0], restart->args[2] >> 32,
				(u32)restart->args[1], (u32)restart->args[2], end);
}

static long futex_wait_until(u32 __user *uaddr, bool shared, u32 val, u32 bitset,
			     struct deadline end)
{
	struct futex_q q = { .task = current, .bitset = bitset };
	int err = get_key(uaddr, shared, &q.key);
	bool late;

	if (err)
		return err;
	for (;;) {
		err = queue_if_equal(&q, uaddr, val);
		if (err)
			break;
		late = deadline_passed(end) || schedule_until(end);
		__set_current_state(TASK_RUNNING);
		if (!unqueue(&q))
			break; /* woken: 0 */
		err = -ETIMEDOUT;
		if (late)
			break;
		err = -ERESTARTSYS;
		if (signal_pending(current))
			break;
	}
	put_key(&q.key);
	if (err == -ERESTARTSYS && end.time != KTIME_MAX) {
		current->restart_block = (struct restart_block){
			.fn = futex_wait_restart,
			.time = end.time,
			.args = { (unsigned long)uaddr, val | (u64)end.how << 32,
				  bitset | (u64)shared << 32 },
		};
		err = -ERESTART_RESTARTBLOCK;
	}
	return err;
}

int futex_get_key(u32 __user *uaddr, bool shared, struct futex_key *key)
{
	return get_key(uaddr, shared, key);
}

long futex_wake_key(struct futex_bucket *bucket, const struct futex_key *key, int count, u32 bitset)
{
	return wake_key(bucket, key, count, bitset);
}

int futex_queue_if_equal(struct futex_q *q, u32 __user *uaddr, u32 val)
{
	return queue_if_equal(q, uaddr, val);
}

/* The end of a wait: FUTEX_WAIT has a duration, all others have a time. */
static int wait_end(int cmd, bool realtime, const struct __kernel_timespec __user *utime,
		    struct deadline *end)
{
	u64 ns;
	int err;

	*end = (struct deadline){ .time = KTIME_MAX };
	if (!utime)
		return 0;
	err = get_timespec(&ns, utime);
	if (!err) {
		*end = make_deadline(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, cmd != FUTEX_WAIT,
				     ns);
		end->relative = false; /* as on Linux, also a duration */
	}
	return err;
}

SYSCALL_DEFINE6(futex, u32 *, uaddr, int, op, u32, val, const struct __kernel_timespec *, utime,
		u32 *, uaddr2, u32, val3)
{
	bool shared = !(op & FUTEX_PRIVATE_FLAG);
	int cmd = op & FUTEX_CMD_MASK, err;
	/* utime is a number for these operations. */
	int val2 = (int)(unsigned long)utime;
	bool realtime = (op & FUTEX_CLOCK_REALTIME) || cmd == FUTEX_LOCK_PI;
	struct deadline end;

	if ((op & FUTEX_CLOCK_REALTIME) && cmd != FUTEX_WAIT_BITSET &&
	    cmd != FUTEX_WAIT_REQUEUE_PI && cmd != FUTEX_LOCK_PI2)
		return -ENOSYS;
	switch (cmd) {
	case FUTEX_WAIT:
		val3 = FUTEX_BITSET_MATCH_ANY;
		fallthrough;
	case FUTEX_WAIT_BITSET:
		if (!val3)
			return -EINVAL;
		err = wait_end(cmd, realtime, utime, &end);
		return err ? err : futex_wait_until(uaddr, shared, val, val3, end);
	case FUTEX_WAKE:
		val3 = FUTEX_BITSET_MATCH_ANY;
		fallthrough;
	case FUTEX_WAKE_BITSET:
		return futex_wake(uaddr, shared, (int)val, val3);
	case FUTEX_REQUEUE:
		return futex_requeue(uaddr, shared, uaddr2, (int)val, val2, NULL);
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(uaddr, shared, uaddr2, (int)val, val2, &val3);
	case FUTEX_WAKE_OP:
		return futex_wake_op(uaddr, shared, uaddr2, (int)val, val2, val3);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		err = wait_end(cmd, realtime, utime, &end);
		return err ? err : futex_lock_pi(uaddr, shared, end, false);
	case FUTEX_TRYLOCK_PI:
		return futex_lock_pi(uaddr, shared, (struct deadline){ .time = KTIME_MAX }, true);
	case FUTEX_UNLOCK_PI:
		return futex_unlock_pi(uaddr, shared);
	case FUTEX_WAIT_REQUEUE_PI:
		err = wait_end(cmd, realtime, utime, &end);
		return err ? err : futex_wait_requeue_pi(uaddr, shared, val, end, uaddr2);
	case FUTEX_CMP_REQUEUE_PI:
		return futex_cmp_requeue_pi(uaddr, shared, uaddr2, (int)val, val2, val3);
	}
	return -ENOSYS;
}

/* A task that ends has cleared its thread id at addr: wakes pthread_join(3). */
static void wake_joiner(int __user *addr)
{
	(void)futex_wake((u32 __user *)addr, true, 1, FUTEX_BITSET_MATCH_ANY);
}

static int __init futex_init(void)
{
	futex_exit_hook = futex_exit;
	futex_wake_hook = wake_joiner;
	for (size_t i = 0; i < ARRAY_SIZE(futex_buckets); i++) {
		spin_lock_init(&futex_buckets[i].lock);
		INIT_LIST_HEAD(&futex_buckets[i].waiters);
	}
	return 0;
}
core_initcall(futex_init);
