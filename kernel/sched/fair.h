/*
 * The part of the fair class that every switch and wake-up executes. kernel/sched/fair.c has the
 * rest and the explanation. Only runqueue.h includes this. R held in all functions.
 */
#pragma once

/* Scales delta nanoseconds, at least 1, for a task with another weight than 1024. */
u64 calc_delta_fair(const struct task_struct *p, u64 delta);
/* For a queue with a first task: puts p or the first task, whichever is later, into the tree. */
void enqueue_behind_first(struct cfs_rq *fair, struct task_struct *p);
/* The leftmost task of the tree, which is not empty, becomes the first. */
void refill_first(struct cfs_rq *fair);
void dequeue_waiting_fair(struct cfs_rq *fair, struct task_struct *p);

/* Raises min_vruntime to the least vruntime in the queue; the running task has curr_vruntime. */
static __always_inline void update_min_vruntime(struct cfs_rq *fair, u64 curr_vruntime)
{
	u64 least = curr_vruntime;

	if (fair->first && (s64)(fair->first->se.vruntime - least) < 0)
		least = fair->first->se.vruntime;
	if ((s64)(least - fair->min_vruntime) > 0)
		fair->min_vruntime = least;
}

/* Charges delta nanoseconds to the running fair task p. */
static __always_inline void update_curr_fair(struct task_struct *p, u64 delta)
{
	p->se.vruntime += likely(p->se.weight == NICE_0_WEIGHT) ? delta : calc_delta_fair(p, delta);
}

/* Puts p among the waiting tasks. nr_running counts it already. */
static __always_inline void put_prev_task_fair(struct runqueue *rq, struct task_struct *p)
{
	if (!rq->fair.first)
		rq->fair.first = p;
	else
		enqueue_behind_first(&rq->fair, p);
}

/*
 * A task that has never run starts one slice after min_vruntime. Otherwise a task that makes one
 * child after the other could keep its CPU: it needs little time itself, so min_vruntime would stay
 * low, and each child would run before the tasks that wait.
 */
static __always_inline void place_new_task_fair(const struct cfs_rq *fair, struct task_struct *p)
{
	p->se.vruntime = fair->min_vruntime + SCHED_SLICE_NS;
}

static __always_inline void enqueue_task_fair(struct runqueue *rq, struct task_struct *p)
{
	/* LAB 9: A task that slept long starts at most one slice behind min_vruntime. */
	u64 earliest = rq->fair.min_vruntime - SCHED_SLICE_NS;

	if ((s64)(p->se.vruntime - earliest) < 0)
		p->se.vruntime = earliest;
	/* END LAB 9 */
	rq->fair.nr_running++;
	put_prev_task_fair(rq, p);
}

static __always_inline void dequeue_task_fair(struct runqueue *rq, struct task_struct *p)
{
	rq->fair.nr_running--;
	if (p != rq->curr)
		dequeue_waiting_fair(&rq->fair, p);
}

/* Removes the next task to run from the waiting tasks. NULL: no task waits. */
static __always_inline struct task_struct *pick_next_task_fair(struct runqueue *rq)
{
	struct task_struct *p = rq->fair.first;

	rq->fair.first = NULL;
	if (rq->fair.tree.rb_root.rb_node)
		refill_first(&rq->fair);
	/* p has the least vruntime of all runnable tasks. */
	if (p && (s64)(p->se.vruntime - rq->fair.min_vruntime) > 0)
		rq->fair.min_vruntime = p->se.vruntime;
	return p;
}

/* True if p, just woken, is so far behind the running fair task curr that p must run at once. */
static __always_inline bool fair_wakeup_preempts(const struct task_struct *curr,
						 const struct task_struct *p)
{
	return (s64)(curr->se.vruntime - p->se.vruntime) > (s64)SCHED_WAKEUP_GRAN_NS;
}
