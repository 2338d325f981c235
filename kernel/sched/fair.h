/*
 * The fair class, the part that every switch and wake-up goes through; the rest and the explanation
 * are in kernel/sched/fair.c. Included by runqueue.h alone. R held.
 */
#pragma once

/* Charge delta nanoseconds, at least 1, to a task whose weight is not 1024. */
u64 calc_delta_fair(const struct task_struct *p, u64 delta);
/* The queue has a first task already: put p, or it, into the tree. */
void enqueue_behind_first(struct fair_rq *fair, struct task_struct *p);
/* The tree is not empty: its leftmost becomes the first. */
void refill_first(struct fair_rq *fair);
void dequeue_waiting_fair(struct fair_rq *fair, struct task_struct *p);

/* min_vruntime follows the least of the queue, of which curr_vruntime is the running task's. */
static __always_inline void update_min_vruntime(struct fair_rq *fair, u64 curr_vruntime)
{
	u64 least = curr_vruntime;

	if (fair->first && (s64)(fair->first->se.vruntime - least) < 0)
		least = fair->first->se.vruntime;
	if ((s64)(least - fair->min_vruntime) > 0)
		fair->min_vruntime = least;
}

/* The running fair task p is charged for delta nanoseconds. */
static __always_inline void update_curr_fair(struct task_struct *p, u64 delta)
{
	p->se.vruntime += likely(p->se.weight == NICE_0_WEIGHT) ? delta : calc_delta_fair(p, delta);
}

/* Among those that wait; it is counted already. */
static __always_inline void put_prev_task_fair(struct runqueue *rq, struct task_struct *p)
{
	if (!rq->fair.first)
		rq->fair.first = p;
	else
		enqueue_behind_first(&rq->fair, p);
}

static __always_inline void enqueue_task_fair(struct runqueue *rq, struct task_struct *p)
{
	u64 earliest = rq->fair.min_vruntime - SCHED_SLICE_NS;

	if ((s64)(p->se.vruntime - earliest) < 0)
		p->se.vruntime = earliest;
	rq->fair.nr_running++;
	put_prev_task_fair(rq, p);
}

static __always_inline void dequeue_task_fair(struct runqueue *rq, struct task_struct *p)
{
	rq->fair.nr_running--;
	if (p != rq->curr)
		dequeue_waiting_fair(&rq->fair, p);
}

/* The one to run next, taken out of those that wait; NULL if none does. */
static __always_inline struct task_struct *pick_next_task_fair(struct runqueue *rq)
{
	struct task_struct *p = rq->fair.first;

	rq->fair.first = NULL;
	if (rq->fair.tree.rb_root.rb_node)
		refill_first(&rq->fair);
	/* It has the least of all that are runnable now. */
	if (p && (s64)(p->se.vruntime - rq->fair.min_vruntime) > 0)
		rq->fair.min_vruntime = p->se.vruntime;
	return p;
}

/* Does p, just woken, come before curr, the running fair task, by so much that it shall run at
 * once? */
static __always_inline bool fair_wakeup_preempts(const struct task_struct *curr,
						 const struct task_struct *p)
{
	return (s64)(curr->se.vruntime - p->se.vruntime) > (s64)SCHED_WAKEUP_GRAN_NS;
}
