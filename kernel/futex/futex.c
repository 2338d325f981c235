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
 * Lock order: mmap_lock is taken before any bucket's lock, and not within; two buckets in the order
 * of their addresses.
 */
#include "kernel/futex/futex.h"

#include "arch/uaccess.h"
#include "kernel/init.h"
#include "kernel/lib/hash.h"
#include "kernel/posix_time/clock.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"
#include "kernel/vm/mm.h"
#include "kernel/vm/page.h"

#define FUTEX_HASH_BITS   8
#define KEY_SHARED        1    /* in futex_key.address, of a word that is asked for as shared */
#define ROBUST_LIST_LIMIT 2048 /* a list may be damaged, and be a ring */

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
	u32 bitset;
};

static struct futex_bucket buckets[1 << FUTEX_HASH_BITS];

static int get_key(u32 __user *uaddr, bool shared, struct futex_key *key)
{
	struct mm_struct *mm = current->mm;
	unsigned long address = (unsigned long)uaddr;
	struct vm_area_struct *vma;
	int err = 0;

	if (address % sizeof(u32))
		return -EINVAL;
	if (!mm || !access_ok(uaddr, sizeof(u32)))
		return -EFAULT;
	*key = (struct futex_key){ .mm = mm, .address = address };
	if (!shared)
		return 0;
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

static void put_key(const struct futex_key *key)
{
	if (key->page)
		put_page(key->page);
}

static bool same_key(const struct futex_key *a, const struct futex_key *b)
{
	return a->mm == b->mm && a->page == b->page && a->address == b->address;
}

static struct futex_bucket *bucket_of(const struct futex_key *key)
{
	u64 base = key->page ? (u64)(uintptr_t)key->page : (u64)(uintptr_t)key->mm;

	return &buckets[hash_64(base + key->address, FUTEX_HASH_BITS)];
}

/* Removes a waiter from its bucket and wakes it. The bucket's lock held. */
static void wake_waiter(struct futex_q *q)
{
	struct task_struct *task = get_task_struct(q->task);

	list_del(&q->list);
	/* From here on q may be gone: its task returns as soon as it reads NULL. */
	smp_store_release(&q->bucket, NULL);
	wake_up_state(task, TASK_NORMAL);
	put_task_struct(task);
}

static unsigned wake_key(struct futex_bucket *bucket, const struct futex_key *key, unsigned count,
			 u32 bitset)
{
	struct futex_q *q, *n;
	unsigned woken = 0;

	list_for_each_entry_safe (q, n, &bucket->waiters, list) {
		if (woken == count)
			break;
		if (!same_key(&q->key, key) || !(q->bitset & bitset))
			continue;
		wake_waiter(q);
		woken++;
	}
	return woken;
}

long futex_wake(u32 __user *uaddr, bool shared, unsigned count, u32 bitset)
{
	struct futex_bucket *bucket;
	struct futex_key key;
	unsigned woken;
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

/*
 * Queues q if the word is still val. 0; -EAGAIN: it has another value; -EFAULT. The state of the
 * task is TASK_INTERRUPTIBLE after 0.
 */
static int queue_if_equal(struct futex_q *q, u32 __user *uaddr, u32 val)
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
	list_add_tail(&q->list, &bucket->waiters);
	set_current_state(TASK_INTERRUPTIBLE);
	spin_unlock(&bucket->lock);
	return 0;
}

/* Takes q from its bucket. False: a waker has done that. A requeue may change the bucket. */
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

static long futex_wait_until(u32 __user *uaddr, bool shared, u32 val, u32 bitset, ktime_t end);

/* restart_block: time is the end; args are the address, the value, and the bits with the flag. */
static long futex_wait_restart(struct restart_block *restart)
{
	return futex_wait_until((u32 __user *)restart->args[0], restart->args[2] >> 32,
				(u32)restart->args[1], (u32)restart->args[2], restart->time);
}

/* end: a ktime, or KTIME_MAX. */
static long futex_wait_until(u32 __user *uaddr, bool shared, u32 val, u32 bitset, ktime_t end)
{
	struct futex_q q = { .task = current, .bitset = bitset };
	int err = get_key(uaddr, shared, &q.key);
	ktime_t now = 0;

	if (err)
		return err;
	for (;;) {
		err = queue_if_equal(&q, uaddr, val);
		if (err)
			break;
		if (end == KTIME_MAX) {
			schedule();
		} else {
			now = ktime_get();
			if (now < end)
				schedule_timeout(end - now);
		}
		__set_current_state(TASK_RUNNING);
		if (!unqueue(&q))
			break; /* woken: 0 */
		err = -ETIMEDOUT;
		if (end != KTIME_MAX && ktime_get() >= end)
			break;
		err = -ERESTARTSYS;
		if (signal_pending(current))
			break;
	}
	put_key(&q.key);
	if (err == -ERESTARTSYS && end != KTIME_MAX) {
		current->restart_block = (struct restart_block){
			.fn = futex_wait_restart,
			.time = end,
			.args = { (unsigned long)uaddr, val, bitset | (u64)shared << 32 },
		};
		err = -ERESTART_RESTARTBLOCK;
	}
	return err;
}

static void lock_two(struct futex_bucket *a, struct futex_bucket *b)
{
	spin_lock(&(a < b ? a : b)->lock);
	if (a != b)
		spin_lock(&(a < b ? b : a)->lock);
}

static void unlock_two(struct futex_bucket *a, struct futex_bucket *b)
{
	spin_unlock(&a->lock);
	if (a != b)
		spin_unlock(&b->lock);
}

/* Reads the word at uaddr with both locks held; -EAGAIN after a fault that was dealt with. */
static int read_locked(u32 *now, u32 __user *uaddr, struct futex_bucket *a, struct futex_bucket *b)
{
	if (!copy_from_user(now, uaddr, sizeof(*now)))
		return 0;
	unlock_two(a, b);
	return get_user(*now, uaddr) ? -EFAULT : -EAGAIN;
}

/* Wakes some waiters of uaddr, and lets others wait at uaddr2. cmp: only if the word is *cmp. */
static long futex_requeue(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake,
			  int nr_requeue, const u32 *cmp)
{
	struct futex_bucket *from, *to;
	struct futex_key key, key2;
	struct futex_q *q, *n;
	long moved = 0, woken = 0;
	u32 now;
	int err;

	if (nr_wake < 0 || nr_requeue < 0)
		return -EINVAL;
	err = get_key(uaddr, shared, &key);
	if (err)
		return err;
	err = get_key(uaddr2, shared, &key2);
	if (err)
		goto put_first;
	from = bucket_of(&key);
	to = bucket_of(&key2);
	do {
		lock_two(from, to);
		err = cmp ? read_locked(&now, uaddr, from, to) : 0;
	} while (err == -EAGAIN);
	if (err)
		goto put_both;
	if (cmp && now != *cmp) {
		unlock_two(from, to);
		err = -EAGAIN;
		goto put_both;
	}
	list_for_each_entry_safe (q, n, &from->waiters, list) {
		if (!same_key(&q->key, &key))
			continue;
		if (woken < nr_wake) {
			wake_waiter(q);
			woken++;
			continue;
		}
		if (moved == nr_requeue)
			break;
		/* The waiter's reference to a page moves, too; the waiter drops it. */
		if (key2.page)
			get_page(key2.page);
		put_key(&q->key);
		q->key = key2;
		list_move_tail(&q->list, &to->waiters);
		smp_store_release(&q->bucket, to);
		moved++;
	}
	unlock_two(from, to);
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

/* The word at uaddr in the kernel's own mapping, writable; *page keeps it. NULL: a fault. */
static u32 *pin_word(u32 __user *uaddr, struct page **page)
{
	struct mm_struct *mm = current->mm;
	unsigned long address = (unsigned long)uaddr;

	mmap_read_lock(mm);
	*page = get_user_page(mm, address, true);
	mmap_read_unlock(mm);
	if (IS_ERR(*page))
		return NULL;
	return (u32 *)((char *)page_address(*page) + address % PAGE_SIZE);
}

static long futex_wake_op(u32 __user *uaddr, bool shared, u32 __user *uaddr2, int nr_wake,
			  int nr_wake2, u32 encoded)
{
	s32 arg = (s32)(encoded << 8) >> 20, cmp_arg = (s32)(encoded << 20) >> 20;
	struct futex_bucket *bucket, *bucket2;
	struct futex_key key, key2;
	struct page *page;
	u32 *word, old, new;
	long ret;
	int err = get_key(uaddr, shared, &key), holds;

	if (err)
		return err;
	ret = get_key(uaddr2, shared, &key2);
	if (ret)
		goto put_first;
	if (encoded & 0x80000000U)
		arg = (s32)(1U << (arg & 31));
	word = pin_word(uaddr2, &page);
	ret = -EFAULT;
	if (!word)
		goto put_both;
	bucket = bucket_of(&key);
	bucket2 = bucket_of(&key2);
	lock_two(bucket, bucket2);
	do {
		old = READ_ONCE(*word);
		err = wake_op_new((encoded >> 28) & 7, old, (u32)arg, &new);
	} while (!err && cmpxchg(word, old, new) != old);
	holds = wake_op_holds((encoded >> 24) & 15, (s32)old, cmp_arg);
	if (err || holds < 0) {
		ret = -ENOSYS;
	} else {
		ret = wake_key(bucket, &key, (unsigned)nr_wake, FUTEX_BITSET_MATCH_ANY);
		if (holds)
			ret += wake_key(bucket2, &key2, (unsigned)nr_wake2, FUTEX_BITSET_MATCH_ANY);
	}
	unlock_two(bucket, bucket2);
	put_page(page);
put_both:
	put_key(&key2);
put_first:
	put_key(&key);
	return ret;
}

/* The end of a wait: FUTEX_WAIT has a duration, FUTEX_WAIT_BITSET a time. */
static int wait_end(int cmd, bool realtime, const struct __kernel_timespec __user *utime,
		    ktime_t *end)
{
	ktime_t now = ktime_get();
	u64 ns;
	int err;

	*end = KTIME_MAX;
	if (!utime)
		return 0;
	err = get_timespec(&ns, utime);
	if (err)
		return err;
	if (cmd == FUTEX_WAIT)
		*end = ns < KTIME_MAX - now ? now + ns : KTIME_MAX - 1;
	else
		*end = clock_to_ktime(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, ns);
	return 0;
}

/* Restricted: no priority inheritance (-ENOSYS). */
SYSCALL_DEFINE6(futex, u32 *, uaddr, int, op, u32, val, const struct __kernel_timespec *, utime,
		u32 *, uaddr2, u32, val3)
{
	bool shared = !(op & FUTEX_PRIVATE_FLAG);
	int cmd = op & FUTEX_CMD_MASK, err;
	/* utime is a number for these operations. */
	int val2 = (int)(unsigned long)utime;
	ktime_t end;

	if ((op & FUTEX_CLOCK_REALTIME) && cmd != FUTEX_WAIT_BITSET && cmd != FUTEX_WAIT)
		return -ENOSYS;
	switch (cmd) {
	case FUTEX_WAIT:
		val3 = FUTEX_BITSET_MATCH_ANY;
		fallthrough;
	case FUTEX_WAIT_BITSET:
		if (!val3)
			return -EINVAL;
		err = wait_end(cmd, op & FUTEX_CLOCK_REALTIME, utime, &end);
		return err ? err : futex_wait_until(uaddr, shared, val, val3, end);
	case FUTEX_WAKE:
		val3 = FUTEX_BITSET_MATCH_ANY;
		fallthrough;
	case FUTEX_WAKE_BITSET:
		return futex_wake(uaddr, shared, max(val, 1U), val3);
	case FUTEX_REQUEUE:
		return futex_requeue(uaddr, shared, uaddr2, (int)val, val2, NULL);
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(uaddr, shared, uaddr2, (int)val, val2, &val3);
	case FUTEX_WAKE_OP:
		return futex_wake_op(uaddr, shared, uaddr2, (int)val, val2, val3);
	}
	return -ENOSYS;
}

/* struct robust_list_head of set_robust_list(2): a list in user memory. */
struct robust_list_head {
	u64 list;            /* the first entry; the head itself ends the list */
	s64 futex_offset;    /* from an entry to its lock word */
	u64 list_op_pending; /* a lock that is being taken or released */
};

/* The task that holds this lock ends. */
static void owner_died(u32 __user *uaddr, pid_t pid, bool pending)
{
	struct page *page;
	u32 *word, old;

	if ((unsigned long)uaddr % sizeof(u32) || !access_ok(uaddr, sizeof(u32)))
		return;
	word = pin_word(uaddr, &page);
	if (!word)
		return;
	old = READ_ONCE(*word);
	/* The owner has released the lock, but may not have woken a waiter yet. */
	if (pending && !old)
		(void)futex_wake(uaddr, true, 1, FUTEX_BITSET_MATCH_ANY);
	while ((old & FUTEX_TID_MASK) == (u32)pid) {
		u32 found = cmpxchg(word, old, (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED);

		if (found == old) {
			if (old & FUTEX_WAITERS)
				(void)futex_wake(uaddr, true, 1, FUTEX_BITSET_MATCH_ANY);
			break;
		}
		old = found;
	}
	put_page(page);
}

/*
 * The current task ends, and still has its memory: marks the locks that it holds (its robust list)
 * as owned by a dead task, and wakes a waiter of each.
 */
static void exit_robust_list(struct task_struct *tsk)
{
	const struct robust_list_head __user *uhead = tsk->robust_list;
	struct robust_list_head head;
	u64 entry, next;

	tsk->robust_list = NULL;
	if (!uhead || copy_from_user(&head, uhead, sizeof(head)))
		return;
	/* Bit 0 of an entry marks a lock with priority inheritance. */
	entry = head.list & ~1UL;
	for (unsigned i = 0; i < ROBUST_LIST_LIMIT && entry != (u64)(uintptr_t)uhead; i++) {
		bool failed = get_user(next, (u64 __user *)entry) != 0;

		if (entry != (head.list_op_pending & ~1UL))
			owner_died((u32 __user *)(entry + (u64)head.futex_offset), tsk->pid, false);
		if (failed)
			return;
		entry = next & ~1UL;
		cond_resched();
	}
	if (head.list_op_pending & ~1UL)
		owner_died((u32 __user *)((head.list_op_pending & ~1UL) + (u64)head.futex_offset),
			   tsk->pid, true);
}

/* A task that ends has cleared its thread id at addr: wakes pthread_join(3). */
static void wake_joiner(int __user *addr)
{
	(void)futex_wake((u32 __user *)addr, true, 1, FUTEX_BITSET_MATCH_ANY);
}

static int __init futex_init(void)
{
	futex_exit_hook = exit_robust_list;
	futex_wake_hook = wake_joiner;
	for (size_t i = 0; i < ARRAY_SIZE(buckets); i++) {
		spin_lock_init(&buckets[i].lock);
		INIT_LIST_HEAD(&buckets[i].waiters);
	}
	return 0;
}
core_initcall(futex_init);
