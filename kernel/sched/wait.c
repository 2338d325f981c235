/* Wait queues. */
#include "kernel/sched/wait.h"

#include "kernel/export.h"
#include "kernel/sched/sched.h"

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
 * Wakes the task before it removes its entry, because the task cannot end while the entry is
 * queued. wq->lock held.
 */
static __always_inline void __wake_up_common(wait_queue_head_t *wq, unsigned state, bool all,
					     unsigned events)
{
	struct wait_queue_entry *entry, *next;

	list_for_each_entry_safe (entry, next, &wq->head, entry) {
		unsigned kind = entry->flags;

		if (unlikely(kind & WQ_FLAG_CALLBACK)) {
			if (!entry->func(entry, events)) /* may remove the entry */
				continue;
		} else {
			if (!try_to_wake_up(entry->task, state))
				continue;
			if (kind & WQ_FLAG_AUTOREMOVE)
				del_entry(entry);
		}
		if ((kind & WQ_FLAG_EXCLUSIVE) && !all)
			break;
	}
}

static __always_inline void __wake_up(wait_queue_head_t *wq, unsigned state, bool all,
				      unsigned events)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	__wake_up_common(wq, state, all, events);
	spin_unlock_irqrestore(&wq->lock, flags);
}

void wake_up(wait_queue_head_t *wq)
{
	__wake_up(wq, TASK_NORMAL, false, 0);
}
EXPORT_SYMBOL(wake_up);

void wake_up_all(wait_queue_head_t *wq)
{
	__wake_up(wq, TASK_NORMAL, true, 0);
}
EXPORT_SYMBOL(wake_up_all);

void wake_up_interruptible(wait_queue_head_t *wq)
{
	__wake_up(wq, TASK_INTERRUPTIBLE, false, 0);
}
EXPORT_SYMBOL(wake_up_interruptible);

void wake_up_poll(wait_queue_head_t *wq, unsigned events)
{
	__wake_up(wq, TASK_NORMAL, true, events);
}

/* The same as wake_up_locked(), for entries of any kind. Interrupts off. */
static noinline void wake_up_entries_locked(wait_queue_head_t *wq)
{
	struct wait_queue_entry *entry, *next;

	list_for_each_entry_safe (entry, next, &wq->head, entry) {
		if (entry->flags & WQ_FLAG_CALLBACK) {
			if (entry->func(entry, 0) && (entry->flags & WQ_FLAG_EXCLUSIVE))
				break;
		} else if (try_to_wake_up(entry->task, TASK_NORMAL) &&
			   (entry->flags & WQ_FLAG_EXCLUSIVE)) {
			list_del_init(&entry->entry);
			break;
		}
	}
}

/*
 * A task in do_wait_intr() takes the lock again before it looks at its entry. The fast path is for
 * such a task at the head of the queue.
 */
void wake_up_locked(wait_queue_head_t *wq)
{
	struct wait_queue_entry *entry;

	local_irq_disable();
	entry = list_first_entry(&wq->head, struct wait_queue_entry, entry);
	if (unlikely(&entry->entry == &wq->head))
		goto out;
	if (likely(entry->flags == WQ_FLAG_EXCLUSIVE) && try_to_wake_up(entry->task, TASK_NORMAL))
		list_del_init(&entry->entry);
	else
		wake_up_entries_locked(wq);
out:
	local_irq_enable();
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
