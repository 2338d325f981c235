/*
 * Completions. The waiter reads done only with the lock held, and complete() does not use the
 * completion after its unlock. So a completion may lie on the waiter's stack.
 */
#include "kernel/sched/completion.h"

#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/sched/sched.h"

#define DONE_ALL (~0U)

void init_completion(struct completion *c)
{
	c->done = 0;
	init_waitqueue_head(&c->wait);
}
EXPORT_SYMBOL(init_completion);

static void wake_waiters(struct completion *c, bool all)
{
	struct wait_queue_entry *entry, *next;

	list_for_each_entry_safe (entry, next, &c->wait.head, entry) {
		list_del_init(&entry->entry);
		try_to_wake_up(entry->task, TASK_NORMAL);
		if (!all)
			break;
	}
}

void complete(struct completion *c)
{
	unsigned long flags;

	spin_lock_irqsave(&c->wait.lock, flags);
	if (c->done != DONE_ALL)
		c->done++;
	wake_waiters(c, false);
	spin_unlock_irqrestore(&c->wait.lock, flags);
}
EXPORT_SYMBOL(complete);

void complete_all(struct completion *c)
{
	unsigned long flags;

	spin_lock_irqsave(&c->wait.lock, flags);
	c->done = DONE_ALL;
	wake_waiters(c, true);
	spin_unlock_irqrestore(&c->wait.lock, flags);
}
EXPORT_SYMBOL(complete_all);

static __always_inline int do_wait_for_completion(struct completion *c, unsigned state)
{
	DEFINE_WAIT(entry);
	int error = 0;

	might_sleep();
	spin_lock_irq(&c->wait.lock);
	while (!c->done) {
		if (signal_pending_state(state, current)) {
			error = -EINTR;
			break;
		}
		if (list_empty(&entry.entry))
			list_add_tail(&entry.entry, &c->wait.head);
		set_current_state(state);
		spin_unlock_irq(&c->wait.lock);
		schedule();
		spin_lock_irq(&c->wait.lock);
	}
	if (!list_empty(&entry.entry))
		list_del(&entry.entry);
	if (!error && c->done != DONE_ALL)
		c->done--;
	spin_unlock_irq(&c->wait.lock);
	__set_current_state(TASK_RUNNING);
	return error;
}

void wait_for_completion(struct completion *c)
{
	(void)do_wait_for_completion(c, TASK_UNINTERRUPTIBLE);
}
EXPORT_SYMBOL(wait_for_completion);

int wait_for_completion_killable(struct completion *c)
{
	return do_wait_for_completion(c, TASK_KILLABLE);
}

bool completion_done(struct completion *c)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&c->wait.lock, flags);
	done = c->done;
	spin_unlock_irqrestore(&c->wait.lock, flags);
	return done;
}
EXPORT_SYMBOL(completion_done);
