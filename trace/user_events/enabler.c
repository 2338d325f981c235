/*
 * Enablers: bits in the memory of programs that say whether an event is on.
 *
 * An enabler belongs to an address space: fork copies it, exec and the last exit drop it. A bit is
 * written with mmap_lock held, so that the place stays what it is, and under U, so that the last
 * write shows the last state of the event. The caller of an update holds E. E must not wait for
 * mmap_lock: mmap() of perf's buffers takes perf_mutex under it, and perf takes E under perf_mutex.
 * So an update only tries mmap_lock, and writes only to a page that is there. What cannot be
 * written at once is pending, and a worker writes it, which holds nothing else and may fault the
 * page in.
 */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/mm.h"
#include "kernel/vm/mm_part.h"
#include "kernel/vm/writable_page.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/user_events/internal.h"

#define BUCKETS      64U
#define ENABLERS_MAX 1024U /* of one address space */
#define TRIES        3U    /* faults of one write: the page may go again meanwhile */

/* An address space with enablers. [U]; no letter: constant. */
struct user_event_mm {
	struct mm_struct *mm;      /* with mmgrab() */
	struct list_head node;     /* [U] in a bucket */
	struct list_head enablers; /* [U] */
	struct list_head pending;  /* [U] enablers that the worker must write */
	unsigned nr_enablers;      /* [U] */
	unsigned refs;             /* [U] one of the bucket, one of the queued work */
	struct work_struct work;
};

struct user_enabler {
	struct user_event_mm *owner;
	struct user_event *event;  /* with a reference */
	unsigned long addr;        /* of the word of 4 bytes in which the bit is */
	u32 mask;                  /* the bit */
	bool shown;                /* [U] the state of the bit */
	bool written;              /* [U] it was written once */
	bool ending;               /* [U] it is to be cleared */
	unsigned tries;            /* [U] while pending */
	struct list_head of_owner; /* [U] */
	struct list_head of_event; /* [U] */
	struct list_head pending;  /* [U] in owner->pending, or empty */
};

static struct list_head buckets[BUCKETS]; /* [U] struct user_event_mm */
static unsigned nr_mms;                   /* [U]; any context reads */

/* ---- address spaces. U held ---- */

static struct list_head *bucket_of(const struct mm_struct *mm)
{
	return &buckets[(unsigned long)mm / sizeof(*mm) % BUCKETS];
}

static struct user_event_mm *find_mm(const struct mm_struct *mm)
{
	struct user_event_mm *owner;

	list_for_each_entry (owner, bucket_of(mm), node)
		if (owner->mm == mm)
			return owner;
	return NULL;
}

static void write_later(struct work_struct *work);

static struct user_event_mm *get_mm(struct mm_struct *mm)
{
	struct user_event_mm *owner = find_mm(mm);

	if (owner)
		return owner;
	owner = kzalloc(sizeof(*owner), GFP_KERNEL);
	if (!owner)
		return NULL;
	mmgrab(mm);
	owner->mm = mm;
	owner->refs = 1;
	INIT_LIST_HEAD(&owner->enablers);
	INIT_LIST_HEAD(&owner->pending);
	INIT_WORK(&owner->work, write_later);
	list_add(&owner->node, bucket_of(mm));
	nr_mms++;
	return owner;
}

static void put_mm(struct user_event_mm *owner)
{
	if (--owner->refs)
		return;
	mmdrop(owner->mm);
	kfree(owner);
}

/* ---- enablers. U held ---- */

static struct user_enabler *find_enabler(struct user_event_mm *owner, unsigned long addr, u32 mask)
{
	struct user_enabler *enabler;

	list_for_each_entry (enabler, &owner->enablers, of_owner)
		if (enabler->addr == addr && enabler->mask == mask)
			return enabler;
	return NULL;
}

static struct user_enabler *make_enabler(struct user_event_mm *owner, struct user_event *event,
					 unsigned long addr, u32 mask)
{
	struct user_enabler *enabler = kzalloc(sizeof(*enabler), GFP_KERNEL);

	if (!enabler)
		return NULL;
	enabler->owner = owner;
	enabler->event = event;
	enabler->addr = addr;
	enabler->mask = mask;
	event->refs++;
	owner->nr_enablers++;
	list_add_tail(&enabler->of_owner, &owner->enablers);
	list_add_tail(&enabler->of_event, &event->enablers);
	INIT_LIST_HEAD(&enabler->pending);
	return enabler;
}

static void free_enabler(struct user_enabler *enabler)
{
	enabler->owner->nr_enablers--;
	list_del(&enabler->of_owner);
	list_del(&enabler->of_event);
	list_del(&enabler->pending);
	user_event_put(enabler->event);
	kfree(enabler);
}

static bool wanted(const struct user_enabler *enabler)
{
	return user_event_is_on(enabler->event) && !enabler->ending;
}

static bool is_right(const struct user_enabler *enabler)
{
	return enabler->written && enabler->shown == wanted(enabler);
}

/* Writes the bit if its page is there. False: it is not. mmap_lock held for reading, too. */
static bool write_bit(struct user_enabler *enabler)
{
	struct page *page = get_writable_page(enabler->owner->mm, enabler->addr);
	u32 *word;

	if (!page)
		return false;
	word = (u32 *)((u8 *)page_address(page) + (enabler->addr & ~PAGE_MASK));
	enabler->shown = wanted(enabler);
	enabler->written = true;
	if (enabler->shown)
		__atomic_fetch_or(word, enabler->mask, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(word, ~enabler->mask, __ATOMIC_SEQ_CST);
	put_page(page);
	list_del_init(&enabler->pending);
	return true;
}

static void set_pending(struct user_enabler *enabler)
{
	enabler->tries = 0;
	list_move_tail(&enabler->pending, &enabler->owner->pending);
}

static void queue_write(struct user_event_mm *owner)
{
	if (!list_empty(&owner->pending) && schedule_work_unbound(&owner->work))
		owner->refs++;
}

/* ---- writing ---- */

/*
 * Writes what is pending, as far as the program may write there. Task context, no lock; the address
 * space has users.
 */
static void write_pending(struct user_event_mm *owner)
{
	mmap_read_lock(owner->mm);
	mutex_lock(&user_event_mutex);
	while (!list_empty(&owner->pending)) {
		struct user_enabler *enabler =
			list_first_entry(&owner->pending, struct user_enabler, pending);
		unsigned long addr = enabler->addr;

		if (write_bit(enabler))
			continue;
		if (enabler->tries++ == TRIES) {
			list_del_init(&enabler->pending);
			continue;
		}
		mutex_unlock(&user_event_mutex);
		fault_in_writable_page(owner->mm, addr);
		mutex_lock(&user_event_mutex);
	}
	mutex_unlock(&user_event_mutex);
	mmap_read_unlock(owner->mm);
}

static void write_later(struct work_struct *work)
{
	struct user_event_mm *owner = container_of(work, struct user_event_mm, work);

	if (mmget_not_zero(owner->mm)) {
		write_pending(owner);
		mmput(owner->mm);
	}
	mutex_lock(&user_event_mutex);
	put_mm(owner);
	mutex_unlock(&user_event_mutex);
}

void user_enablers_update(struct user_event *event)
{
	struct user_enabler *enabler;

	list_for_each_entry (enabler, &event->enablers, of_event) {
		struct user_event_mm *owner = enabler->owner;
		bool done = false;

		if (mmap_read_trylock(owner->mm)) {
			done = write_bit(enabler);
			mmap_read_unlock(owner->mm);
		}
		if (!done) {
			set_pending(enabler);
			queue_write(owner);
		}
	}
}

/* ---- the calls of a program ---- */

/* U held. The new enabler is pending. */
static int add(struct user_event *event, unsigned long addr, u32 mask)
{
	struct user_event_mm *owner = get_mm(current->mm);
	struct user_enabler *enabler;

	if (!owner)
		return -ENOMEM;
	if (find_enabler(owner, addr, mask))
		return -EADDRINUSE;
	if (owner->nr_enablers >= ENABLERS_MAX)
		return -ENOSPC;
	enabler = make_enabler(owner, event, addr, mask);
	if (!enabler)
		return -ENOMEM;
	set_pending(enabler);
	return 0;
}

/* Ends an enabler whose bit is not to be set, or that never was written. U held. */
static int end(struct user_event_mm *owner, unsigned long addr, u32 mask)
{
	struct user_enabler *enabler = find_enabler(owner, addr, mask);
	int error = 0;

	if (enabler && (enabler->ending || !enabler->written)) {
		error = is_right(enabler) ? 0 : -EFAULT;
		free_enabler(enabler);
	}
	return error;
}

/* Writes the bit now, and drops the enabler if it has no more use. 0 or -EFAULT. */
static int write_now(unsigned long addr, u32 mask)
{
	struct user_event_mm *owner;
	int error;

	mutex_lock(&user_event_mutex);
	owner = find_mm(current->mm);
	mutex_unlock(&user_event_mutex);
	write_pending(owner); /* it stays: the address space has this task */
	mutex_lock(&user_event_mutex);
	error = end(owner, addr, mask);
	mutex_unlock(&user_event_mutex);
	return error;
}

/* The word of 4 bytes with the bit. */
static unsigned long word_of(unsigned long addr, unsigned bit, u32 *mask)
{
	*mask = 1U << bit % 32;
	return addr + bit / 32 * sizeof(u32);
}

int user_enabler_add(struct user_event *event, unsigned long addr, unsigned bit)
{
	u32 mask;
	int error;

	addr = word_of(addr, bit, &mask);
	mutex_lock(&user_event_mutex);
	error = add(event, addr, mask);
	mutex_unlock(&user_event_mutex);
	return error ? error : write_now(addr, mask);
}

int user_enabler_remove(unsigned long addr, unsigned bit)
{
	struct user_enabler *enabler = NULL;
	struct user_event_mm *owner;
	u32 mask;

	addr = word_of(addr, bit, &mask);
	mutex_lock(&user_event_mutex);
	owner = find_mm(current->mm);
	if (owner)
		enabler = find_enabler(owner, addr, mask);
	if (enabler && enabler->ending)
		enabler = NULL;
	if (enabler) {
		enabler->ending = true;
		enabler->written = false;
		set_pending(enabler);
	}
	mutex_unlock(&user_event_mutex);
	return enabler ? write_now(addr, mask) : -ENOENT;
}

/* ---- the life of address spaces ---- */

/*
 * The bits of the copy are those of the original, which nobody writes while mmap_lock is held. An
 * event may have changed since they were written.
 */
static int copy_enablers(struct user_event_mm *from, struct mm_struct *mm)
{
	struct user_event_mm *owner = get_mm(mm);
	struct user_enabler *enabler, *copy;

	if (!owner)
		return -ENOMEM;
	list_for_each_entry (enabler, &from->enablers, of_owner) {
		if (enabler->ending || !enabler->written)
			continue;
		copy = make_enabler(owner, enabler->event, enabler->addr, enabler->mask);
		if (!copy)
			return -ENOMEM;
		copy->shown = enabler->shown;
		copy->written = true;
		if (!is_right(copy))
			set_pending(copy);
	}
	queue_write(owner);
	return 0;
}

static int user_events_copy(struct mm_struct *old, struct mm_struct *mm)
{
	struct user_event_mm *owner;
	int error = 0;

	if (likely(!READ_ONCE(nr_mms)))
		return 0;
	mutex_lock(&user_event_mutex);
	owner = find_mm(old);
	if (owner)
		error = copy_enablers(owner, mm);
	mutex_unlock(&user_event_mutex);
	return error;
}

static void user_events_exit(struct mm_struct *mm)
{
	struct user_enabler *enabler, *next;
	struct user_event_mm *owner;

	if (likely(!READ_ONCE(nr_mms)))
		return;
	mutex_lock(&user_event_mutex);
	owner = find_mm(mm);
	if (owner) {
		list_for_each_entry_safe (enabler, next, &owner->enablers, of_owner)
			free_enabler(enabler);
		list_del(&owner->node);
		nr_mms--;
		put_mm(owner);
	}
	mutex_unlock(&user_event_mutex);
}

static const struct mm_part user_events MM_PART(user_events) = {
	.copy = user_events_copy,
	.exit = user_events_exit,
};

static int user_enablers_init(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		INIT_LIST_HEAD(&buckets[i]);
	return 0;
}
core_initcall(user_enablers_init);
