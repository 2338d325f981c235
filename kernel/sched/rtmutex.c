/* Mutexes with priority inheritance. rtmutex.h describes them. */
#include "kernel/sched/rtmutex.h"

#include "kernel/init.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/sched/runqueue.h"

#define MAX_LOCK_DEPTH 1024 /* owners that wait for one another: more is taken for a deadlock */

DEFINE_SPINLOCK(rt_mutex_lock);

/* The order of waiters: by priority for real-time tasks. All others are alike. */
static int waiter_prio(const struct task_struct *task)
{
	return min(effective_prio(task), MAX_RT_PRIO);
}

static struct rt_mutex_waiter *waiter_of(const struct rb_node *node)
{
	return rb_entry(node, struct rt_mutex_waiter, node);
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return waiter_of(a)->prio < waiter_of(b)->prio;
}

static struct rt_mutex_waiter *top_waiter(const struct rt_mutex *mutex)
{
	struct rb_node *first = rb_first_cached(&mutex->waiters);

	return first ? waiter_of(first) : NULL;
}

/* The most urgent task that waits for a mutex of owner; NULL: none. M held. */
static struct task_struct *top_task(const struct task_struct *owner)
{
	struct task_struct *best = NULL;
	struct rt_mutex *mutex;

	list_for_each_entry (mutex, &owner->pi_mutexes, owned) {
		const struct rt_mutex_waiter *top = top_waiter(mutex);

		if (top && (!best || effective_prio(top->task) < effective_prio(best)))
			best = top->task;
	}
	return best;
}

static void sort_in(struct rt_mutex *mutex, struct rt_mutex_waiter *waiter)
{
	waiter->prio = waiter_prio(waiter->task);
	rb_add_cached(&waiter->node, &mutex->waiters, before);
}

/*
 * The priority of task has changed: sorts it again among the waiters of the mutex that it waits
 * for. Returns the owner of that mutex, whose priority may change, too. NULL: the chain ends. M
 * held.
 */
static struct task_struct *sort_again(struct task_struct *task)
{
	struct rt_mutex_waiter *waiter = task->pi_blocked_on;

	if (!waiter || waiter->prio == waiter_prio(task))
		return NULL;
	rb_erase_cached(&waiter->node, &waiter->mutex->waiters);
	sort_in(waiter->mutex, waiter);
	return waiter->mutex->owner;
}

/* The tasks that wait for task have changed. Follows the chain. M held. */
static void adjust_chain(struct task_struct *task)
{
	for (; task; task = sort_again(task))
		sched_set_pi_prio(task, top_task(task));
}

/* M held. */
static bool would_deadlock(const struct rt_mutex *mutex, const struct task_struct *task)
{
	const struct task_struct *owner = mutex->owner;

	for (unsigned depth = 0; owner; depth++) {
		if (owner == task)
			return true;
		if (depth == MAX_LOCK_DEPTH) {
			printk_ratelimited(KERN_WARNING
					   "Maximum lock depth %u reached task: %s (%d)\n",
					   depth, task->comm, task->pid);
			return true;
		}
		if (!owner->pi_blocked_on)
			return false;
		owner = owner->pi_blocked_on->mutex->owner;
	}
	return false;
}

static void set_owner(struct rt_mutex *mutex, struct task_struct *owner)
{
	mutex->owner = owner;
	list_add_tail(&mutex->owned, &owner->pi_mutexes);
}

int rt_mutex_init_owned(struct rt_mutex *mutex, struct task_struct *owner)
{
	int error = 0;

	*mutex = (struct rt_mutex){ .waiters = RB_ROOT_CACHED };
	spin_lock(&rt_mutex_lock);
	set_owner(mutex, owner);
	/* Either this CPU sees pi_dead, or the task that ends sees the mutex: rt_mutex_none(). */
	smp_mb();
	if (READ_ONCE(owner->pi_dead)) {
		list_del(&mutex->owned);
		error = -ESRCH;
	}
	spin_unlock(&rt_mutex_lock);
	return error;
}

pid_t rt_mutex_owner_pid(struct rt_mutex *mutex, bool *died)
{
	pid_t pid;

	spin_lock(&rt_mutex_lock);
	pid = mutex->owner ? mutex->owner->pid : 0;
	*died = mutex->owner_died;
	spin_unlock(&rt_mutex_lock);
	return pid;
}

void rt_mutex_destroy(struct rt_mutex *mutex)
{
	spin_lock(&rt_mutex_lock);
	if (mutex->owner)
		list_del(&mutex->owned);
	spin_unlock(&rt_mutex_lock);
}

int rt_mutex_enqueue(struct rt_mutex *mutex, struct rt_mutex_waiter *waiter,
		     struct task_struct *task)
{
	int ret = 0;

	spin_lock(&rt_mutex_lock);
	if (!mutex->owner) {
		set_owner(mutex, task);
		ret = 1;
	} else if (would_deadlock(mutex, task)) {
		ret = -EDEADLK;
	} else {
		waiter->task = task;
		waiter->mutex = mutex;
		sort_in(mutex, waiter);
		task->pi_blocked_on = waiter;
		adjust_chain(mutex->owner);
	}
	spin_unlock(&rt_mutex_lock);
	return ret;
}

/* M held. */
static void remove_waiter(struct rt_mutex_waiter *waiter)
{
	rb_erase_cached(&waiter->node, &waiter->mutex->waiters);
	waiter->task->pi_blocked_on = NULL;
}

bool rt_mutex_cancel(struct rt_mutex_waiter *waiter)
{
	struct rt_mutex *mutex;

	spin_lock(&rt_mutex_lock);
	mutex = waiter->mutex;
	if (mutex) {
		remove_waiter(waiter);
		waiter->mutex = NULL;
		adjust_chain(mutex->owner);
	}
	spin_unlock(&rt_mutex_lock);
	return mutex;
}

struct rt_mutex_waiter *rt_mutex_top_waiter(struct rt_mutex *mutex)
{
	struct rt_mutex_waiter *top;

	spin_lock(&rt_mutex_lock);
	top = top_waiter(mutex);
	spin_unlock(&rt_mutex_lock);
	return top;
}

/* Gives the mutex, which is in no list of an owner, to a waiter. M held. */
static void give(struct rt_mutex *mutex, struct rt_mutex_waiter *to)
{
	struct task_struct *task = get_task_struct(to->task);

	remove_waiter(to);
	set_owner(mutex, task);
	adjust_chain(task);
	/* From here on the waiter may be gone: its task returns as soon as it reads NULL. */
	smp_store_release(&to->mutex, NULL);
	wake_up_state(task, TASK_NORMAL);
	put_task_struct(task);
}

void rt_mutex_pass(struct rt_mutex *mutex, struct rt_mutex_waiter *to)
{
	spin_lock(&rt_mutex_lock);
	list_del(&mutex->owned);
	adjust_chain(mutex->owner);
	give(mutex, to);
	spin_unlock(&rt_mutex_lock);
}

void rt_mutex_exit(struct task_struct *task)
{
	struct rt_mutex *mutex;

	spin_lock(&rt_mutex_lock);
	if (task->flags & PF_EXITING)
		WRITE_ONCE(task->pi_dead, true);
	while ((mutex = list_first_entry_or_null(&task->pi_mutexes, struct rt_mutex, owned))) {
		list_del(&mutex->owned);
		mutex->owner = NULL;
		mutex->owner_died = true;
		if (top_waiter(mutex))
			give(mutex, top_waiter(mutex));
	}
	adjust_chain(task);
	spin_unlock(&rt_mutex_lock);
}

/* Sorts task among the waiters, and follows the chain. */
static void priority_changed(struct task_struct *task)
{
	spin_lock(&rt_mutex_lock);
	adjust_chain(sort_again(task));
	spin_unlock(&rt_mutex_lock);
}

static int __init rt_mutex_init(void)
{
	sched_ops.priority_changed = priority_changed;
	return 0;
}
core_initcall(rt_mutex_init);
