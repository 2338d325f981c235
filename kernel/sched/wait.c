/* Wait queues. */
#include "kernel/sched/wait.h"

#include "kernel/export.h"
#include "kernel/sched/sched.h"

#define WAKE_BATCH 4U

/*
 * Removes the entry so that finish_wait() can see it without the lock. The entry is on the stack of
 * the woken task, so the store to next must be the last access to it.
 */
static void del_entry(struct wait_queue_entry *entry)
{
	list_del(&entry->entry);
	entry->entry.prev = &entry->entry;
	smp_store_release(&entry->entry.next, &entry->entry);
}

/*
 * Wakes an entry's task, or calls its function. Returns whether a task was woken. The entry is
 * removed after the wake-up, because the task cannot end while it is queued. wq->lock held.
 */
static __always_inline bool wake_entry(struct wait_queue_entry *entry, unsigned kind,
				       unsigned state, unsigned events)
{
	if (unlikely(kind & (WQ_FLAG_CALLBACK | WQ_FLAG_BOOKMARK)))
		return kind & WQ_FLAG_CALLBACK && entry->func(entry, events); /* may remove it */
	if (!try_to_wake_up(entry->task, state))
		return false;
	if (kind & WQ_FLAG_AUTOREMOVE)
		del_entry(entry);
	return true;
}

/*
 * Wakes up to WAKE_BATCH waiters in [first, end) with wq->lock held. Ends after a waiter that has a
 * flag of `last`. Returns the next one to wake, or NULL.
 */
static struct list_head *wake_batch(struct list_head *first, const struct list_head *end,
				    unsigned state, unsigned last, unsigned events)
{
	struct list_head *link = first, *next;

	for (unsigned count = 0; link != end; link = next, count++) {
		struct wait_queue_entry *entry = list_entry(link, struct wait_queue_entry, entry);
		unsigned kind = entry->flags;

		if (count == WAKE_BATCH)
			return link;
		next = link->next;
		if (wake_entry(entry, kind, state, events) && kind & last)
			break;
	}
	return NULL;
}

/*
 * A wake-up of many tasks would keep interrupts off for long. So the lock is free between batches,
 * with bookmarks before the next waiter and behind the last one. A woken task may then queue again,
 * before the place or behind the end. It is not woken again, because it has seen the caller's
 * change.
 */
static void __wake_up(wait_queue_head_t *wq, unsigned state, unsigned last, unsigned events)
{
	struct list_head *next;
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	next = wake_batch(wq->head.next, &wq->head, state, last, events);
	if (unlikely(next)) {
		struct wait_queue_entry place = { .flags = WQ_FLAG_BOOKMARK };
		struct wait_queue_entry end = { .flags = WQ_FLAG_BOOKMARK };

		list_add_tail(&end.entry, &wq->head);
		do {
			list_add_tail(&place.entry, next);
			spin_unlock_irqrestore(&wq->lock, flags);
			spin_lock_irqsave(&wq->lock, flags);
			next = place.entry.next;
			list_del(&place.entry);
			next = wake_batch(next, &end.entry, state, last, events);
		} while (next);
		list_del(&end.entry);
	}
	spin_unlock_irqrestore(&wq->lock, flags);
}

void wake_up(wait_queue_head_t *wq)
{
	__wake_up(wq, TASK_NORMAL, WQ_FLAG_EXCLUSIVE, 0);
}
EXPORT_SYMBOL(wake_up);

void wake_up_all(wait_queue_head_t *wq)
{
	__wake_up(wq, TASK_NORMAL, 0, 0);
}
EXPORT_SYMBOL(wake_up_all);

void wake_up_interruptible(wait_queue_head_t *wq)
{
	__wake_up(wq, TASK_INTERRUPTIBLE, WQ_FLAG_EXCLUSIVE, 0);
}
EXPORT_SYMBOL(wake_up_interruptible);

void wake_up_poll(wait_queue_head_t *wq, unsigned events)
{
	__wake_up(wq, TASK_NORMAL, 0, events);
}

/*
 * A task in do_wait_intr() takes the lock again before it looks at its entry. The fast path is for
 * such a task at the head of the queue.
 */
void wake_up_locked(wait_queue_head_t *wq)
{
	struct wait_queue_entry *entry;
	bool woken;

	local_irq_disable();
	entry = list_first_entry(&wq->head, struct wait_queue_entry, entry);
	woken = likely(entry->flags == WQ_FLAG_EXCLUSIVE) &&
		try_to_wake_up(entry->task, TASK_NORMAL);
	if (likely(woken))
		list_del_init(&entry->entry);
	local_irq_enable();
	if (unlikely(!woken)) {
		spin_unlock(&wq->lock);
		wake_up(wq);
		spin_lock(&wq->lock);
	}
}

void wake_up_next_locked(wait_queue_head_t *wq)
{
	struct wait_queue_entry *entry;

	local_irq_disable();
	list_for_each_entry (entry, &wq->head, entry) {
		if (entry->flags == WQ_FLAG_EXCLUSIVE && try_to_wake_up(entry->task, TASK_NORMAL)) {
			list_del_init(&entry->entry);
			break;
		}
	}
	local_irq_enable();
}

/* Queues non-exclusive waiters before exclusive ones, so that a wake-up reaches all of them. */
static __always_inline void queue_entry(wait_queue_head_t *wq, struct wait_queue_entry *entry)
{
	if (entry->flags & WQ_FLAG_EXCLUSIVE)
		list_add_tail(&entry->entry, &wq->head);
	else
		list_add(&entry->entry, &wq->head);
}

static __always_inline void prepare(wait_queue_head_t *wq, struct wait_queue_entry *entry,
				    unsigned state, bool exclusive)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	entry->flags = WQ_FLAG_AUTOREMOVE | (exclusive ? WQ_FLAG_EXCLUSIVE : 0);
	if (list_empty(&entry->entry))
		queue_entry(wq, entry);
	set_current_state(state);
	spin_unlock_irqrestore(&wq->lock, flags);
}

void prepare_to_wait(wait_queue_head_t *wq, struct wait_queue_entry *entry, unsigned state)
{
	prepare(wq, entry, state, false);
}
EXPORT_SYMBOL(prepare_to_wait);

void prepare_to_wait_exclusive(wait_queue_head_t *wq, struct wait_queue_entry *entry,
			       unsigned state)
{
	prepare(wq, entry, state, true);
}

void add_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	queue_entry(wq, entry);
	spin_unlock_irqrestore(&wq->lock, flags);
}
EXPORT_SYMBOL(add_wait_queue);

void remove_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	list_del_init(&entry->entry);
	spin_unlock_irqrestore(&wq->lock, flags);
}
EXPORT_SYMBOL(remove_wait_queue);

int interrupted_error(void)
{
	return current->mm ? -ERESTARTSYS : -EINTR;
}
