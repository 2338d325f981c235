/*
 * The callbacks of one kind of RCU. They wait in a queue. A kthread takes all of them, waits for
 * one grace period, and calls them. Callbacks that are queued during that time wait for the next
 * grace period.
 */
#include "kernel/rcu/callbacks.h"

#include "kernel/panic.h"
#include "kernel/rcu/rcu_events.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/kthread.h"

void rcu_queue_callback(struct rcu_callbacks *rcu, struct rcu_head *head,
			void (*func)(struct rcu_head *head))
{
	struct task_struct *kthread;
	unsigned long flags;
	bool was_empty;

	head->func = func;
	head->next = NULL;
	spin_lock_irqsave(&rcu->lock, flags);
	was_empty = !rcu->first;
	*rcu->tail = head;
	rcu->tail = &head->next;
	rcu->stats.queued++;
	kthread = rcu->kthread;
	spin_unlock_irqrestore(&rcu->lock, flags);
	if (was_empty && kthread)
		wake_up_process(kthread);
}

struct waiting_callback {
	struct rcu_head head;
	struct completion called;
};

static void callback_called(struct rcu_head *head)
{
	complete(&container_of(head, struct waiting_callback, head)->called);
}

void rcu_wait_for_callback(struct rcu_callbacks *rcu)
{
	struct waiting_callback waiting;

	might_sleep();
	init_completion(&waiting.called);
	rcu_queue_callback(rcu, &waiting.head, callback_called);
	wait_for_completion(&waiting.called);
}

/* Takes all queued callbacks. Sleeps while the queue is empty. */
static struct rcu_head *take_callbacks(struct rcu_callbacks *rcu)
{
	for (;;) {
		struct rcu_head *list;

		set_current_state(TASK_IDLE);
		spin_lock_irq(&rcu->lock);
		list = rcu->first;
		rcu->first = NULL;
		rcu->tail = &rcu->first;
		spin_unlock_irq(&rcu->lock);
		if (list) {
			__set_current_state(TASK_RUNNING);
			return list;
		}
		schedule();
	}
}

static u64 call_callbacks(struct rcu_head *list)
{
	u64 count = 0;

	while (list) {
		struct rcu_head *next = list->next;

		list->func(list); /* may free list */
		list = next;
		count++;
		cond_resched();
	}
	return count;
}

static int rcu_kthread(void *data)
{
	struct rcu_callbacks *rcu = data;

	for (;;) {
		struct rcu_head *list = take_callbacks(rcu);
		u64 called;

		rcu->wait_for_readers();
		spin_lock_irq(&rcu->lock);
		rcu->stats.grace_periods++;
		spin_unlock_irq(&rcu->lock);
		trace_rcu_utilization(tracepoint_string("Start RCU core"));
		called = call_callbacks(list);
		trace_rcu_utilization(tracepoint_string("End RCU core"));
		spin_lock_irq(&rcu->lock);
		rcu->stats.called += called;
		spin_unlock_irq(&rcu->lock);
	}
	return 0;
}

void rcu_start_kthread(struct rcu_callbacks *rcu)
{
	struct task_struct *kthread = kthread_create(rcu_kthread, rcu, "%s", rcu->kthread_name);

	if (IS_ERR(kthread))
		panic("no memory for %s", rcu->kthread_name);
	spin_lock_irq(&rcu->lock);
	rcu->kthread = kthread;
	spin_unlock_irq(&rcu->lock);
	wake_up_process(kthread);
}

void rcu_read_stats(struct rcu_callbacks *rcu, struct rcu_callback_stats *stats)
{
	spin_lock_irq(&rcu->lock);
	*stats = rcu->stats;
	spin_unlock_irq(&rcu->lock);
}
