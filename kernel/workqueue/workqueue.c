/*
 * Workqueues: queueing, flushing and cancelling work items. pool.c has the workers that run them.
 *
 * Two workers never run one item at the same time. If an item is queued again while it runs, it
 * goes to the pool where it runs, and the worker that runs it runs it once more.
 *
 *	pending bit	set by the context that queues the item (or arms its timer), and cleared
 *			just before the item's function is called. The context that sets the bit
 *			owns the item's entry and may put the entry into a pool. Other CPUs may
 *			spin for the bit (grab_pending), so its interrupts are off until the item
 *			is queued or its timer is armed. A task that cancels the item keeps the
 *			bit for longer, and says so with the cancelling bit: others sleep
 *	pool->lock	protects all else; taken with interrupts off
 */
#include "kernel/workqueue/workqueue.h"

#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/workqueue/internal.h"
#include "kernel/workqueue/workqueue_events.h"

void INIT_WORK(struct work_struct *work, work_func_t func)
{
	*work = (struct work_struct){ .func = func };
	INIT_LIST_HEAD(&work->entry);
}

/*
 * True if the item is in a list of this pool. The owner of the pending bit may put the item into
 * another pool at this moment, under that pool's lock; it writes pool before the entry. Pool lock
 * held.
 */
static bool is_queued_on(const struct worker_pool *pool, const struct work_struct *work)
{
	if (list_empty(&work->entry))
		return false;
	smp_rmb();
	return READ_ONCE(work->pool) == pool;
}

/*
 * Puts the item into pool, or into the pool where it runs now. req_cpu: for the event. The caller
 * owns the pending bit. Interrupts off.
 */
static void __queue_work(unsigned req_cpu, struct worker_pool *pool, struct work_struct *work)
{
	struct worker_pool *last;
	struct worker *worker = NULL;

	last = READ_ONCE(work->pool);
	if (last && last != pool) {
		spin_lock(&last->lock);
		worker = find_worker_executing(last, work);
		if (worker)
			pool = last;
		else
			spin_unlock(&last->lock);
	}
	if (!worker)
		spin_lock(&pool->lock);
	trace_workqueue_queue_work((int)req_cpu,
				   pool->cpu == CPU_UNBOUND ? "events_unbound" : "events",
				   (int)pool->cpu, work);
	trace_workqueue_activate_work(work);
	insert_work(pool, work);
	spin_unlock(&pool->lock);
}

/* pool: NULL is that of this CPU. False if the item was queued already. */
static bool queue_work(unsigned req_cpu, struct worker_pool *pool, struct work_struct *work)
{
	unsigned long flags;
	bool queue;

	local_irq_save(flags);
	queue = !test_and_set_bit(WORK_PENDING, &work->pending);
	if (queue)
		__queue_work(req_cpu, pool ? pool : this_cpu_ptr(&worker_pools), work);
	local_irq_restore(flags);
	return queue;
}

bool schedule_work_on(unsigned cpu, struct work_struct *work)
{
	return queue_work(cpu, per_cpu_ptr(&worker_pools, cpu), work);
}
EXPORT_SYMBOL(schedule_work_on);

bool schedule_work(struct work_struct *work)
{
	return queue_work(WORK_CPU_UNBOUND, NULL, work);
}
EXPORT_SYMBOL(schedule_work);

bool schedule_work_unbound(struct work_struct *work)
{
	return queue_work(WORK_CPU_UNBOUND, &unbound_pool, work);
}
EXPORT_SYMBOL(schedule_work_unbound);

static void delayed_work_timer(struct timer_list *timer)
{
	struct delayed_work *dwork = container_of(timer, struct delayed_work, timer);
	unsigned long flags;

	local_irq_save(flags);
	__queue_work(WORK_CPU_UNBOUND, this_cpu_ptr(&worker_pools), &dwork->work);
	local_irq_restore(flags);
}

void INIT_DELAYED_WORK(struct delayed_work *dwork, work_func_t func)
{
	INIT_WORK(&dwork->work, func);
	timer_setup(&dwork->timer, delayed_work_timer);
}

/* The caller owns the pending bit. Interrupts off. */
static void __queue_delayed_work(struct delayed_work *dwork, u64 delay_ns)
{
	if (delay_ns)
		mod_timer(&dwork->timer, ktime_get() + delay_ns);
	else
		__queue_work(WORK_CPU_UNBOUND, this_cpu_ptr(&worker_pools), &dwork->work);
}

bool schedule_delayed_work(struct delayed_work *dwork, u64 delay_ns)
{
	unsigned long flags;
	bool queue;

	local_irq_save(flags);
	queue = !test_and_set_bit(WORK_PENDING, &dwork->work.pending);
	if (queue)
		__queue_delayed_work(dwork, delay_ns);
	local_irq_restore(flags);
	return queue;
}
EXPORT_SYMBOL(schedule_delayed_work);

/* Returns the pool of the item, locked, or NULL if the item was never queued. Interrupts off. */
static struct worker_pool *lock_work_pool(struct work_struct *work)
{
	for (;;) {
		struct worker_pool *pool = READ_ONCE(work->pool);

		if (!pool)
			return NULL;
		spin_lock(&pool->lock);
		if (likely(READ_ONCE(work->pool) == pool))
			return pool;
		spin_unlock(&pool->lock);
	}
}

/* Takes the item off the list of its pool. False if it is in none. Interrupts off. */
static bool dequeue(struct work_struct *work)
{
	struct worker_pool *pool = lock_work_pool(work);
	bool queued;

	if (!pool)
		return false;
	queued = is_queued_on(pool, work);
	if (queued) {
		list_del_init(&work->entry);
		cancel_flushers(pool, work);
	}
	spin_unlock(&pool->lock);
	return queued;
}

/*
 * Makes the caller the owner of the pending bit, and turns interrupts off. Removes the item from
 * its timer or its list if necessary: 1, else 0. -ENOENT: a task cancels the item. Then the caller
 * owns nothing, and interrupts are as before.
 */
static int grab_pending(struct work_struct *work, struct timer_list *timer, unsigned long *flags)
{
	for (;;) {
		bool cancelling;

		local_irq_save(*flags);
		if (timer && del_timer(timer))
			return 1;
		if (!test_and_set_bit(WORK_PENDING, &work->pending))
			return 0;
		if (dequeue(work))
			return 1;
		cancelling = test_bit(WORK_CANCELLING, &work->pending);
		local_irq_restore(*flags);
		if (cancelling)
			return -ENOENT;
		cpu_relax(); /* another CPU has set the bit and is about to queue the item */
	}
}

bool mod_delayed_work(struct delayed_work *dwork, u64 delay_ns)
{
	unsigned long flags;
	int was_pending = grab_pending(&dwork->work, &dwork->timer, &flags);

	if (was_pending >= 0) {
		__queue_delayed_work(dwork, delay_ns);
		local_irq_restore(flags);
	}
	return was_pending;
}

/*
 * Waits for the instance of the item that runs, and with queued also for one that is queued. True
 * if it had to wait.
 */
static bool wait_for_work(struct work_struct *work, bool queued)
{
	struct flusher flusher = { .work = work };
	struct worker_pool *pool;
	struct worker *worker;

	might_sleep();
	init_completion(&flusher.done);
	local_irq_disable();
	pool = lock_work_pool(work);
	if (!pool) {
		local_irq_enable();
		return false;
	}
	worker = find_worker_executing(pool, work);
	WARN_ON(worker && worker->task == current);
	if (queued && is_queued_on(pool, work)) {
		list_add_tail(&flusher.entry, &pool->flushers);
	} else if (worker) {
		list_add_tail(&flusher.entry, &worker->flushers);
	} else {
		spin_unlock_irq(&pool->lock);
		return false;
	}
	spin_unlock_irq(&pool->lock);
	wait_for_completion(&flusher.done);
	return true;
}

bool flush_work(struct work_struct *work)
{
	return wait_for_work(work, true);
}
EXPORT_SYMBOL(flush_work);

/* Tasks that cancel an item which another task cancels. They are few, so one queue is enough. */
static DECLARE_WAIT_QUEUE_HEAD(cancel_wait);

static bool __cancel_work_sync(struct work_struct *work, struct timer_list *timer)
{
	unsigned long flags;
	int was_pending;

	while ((was_pending = grab_pending(work, timer, &flags)) == -ENOENT)
		wait_event(cancel_wait, !test_bit(WORK_CANCELLING, &work->pending));
	set_bit(WORK_CANCELLING, &work->pending);
	local_irq_restore(flags);
	/* While the caller owns the bit, the function cannot queue its item again. */
	wait_for_work(work, false);
	(void)xchg(&work->pending, 0); /* both bits; a full barrier before the wake-up */
	wake_up_all(&cancel_wait);
	return was_pending;
}

bool cancel_work_sync(struct work_struct *work)
{
	return __cancel_work_sync(work, NULL);
}
EXPORT_SYMBOL(cancel_work_sync);

bool cancel_delayed_work_sync(struct delayed_work *dwork)
{
	return __cancel_work_sync(&dwork->work, &dwork->timer);
}
