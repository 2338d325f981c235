/*
 * The fair class: every task gets processor time in proportion to its weight.
 *
 * A task's vruntime is the time it has run, scaled by 1024/weight; the one with the least runs next. The
 * tasks that wait are in a tree by vruntime; the one that runs is taken out and put back when it stops.
 * min_vruntime follows the least vruntime and never goes back. A task that wakes up starts at most one
 * slice behind it, so that a long sleep is not paid back as a long run.
 */
#include "kernel/sched/runqueue.h"

/* Each step of nice is about 10 % of processor time, a factor of 1.25; nice 0 is 1024 (see sched(7)). */
static const u32 nice_to_weight[40] = {
	/* -20 */ 88761, 71755, 56483, 46273, 36291,
	/* -15 */ 29154, 23254, 18705, 14949, 11916,
	/* -10 */ 9548,	 7620,	6100,  4904,  3906,
	/*  -5 */ 3121,	 2501,	1991,  1586,  1277,
	/*   0 */ 1024,	 820,	655,   526,   423,
	/*   5 */ 335,	 272,	215,   172,   137,
	/*  10 */ 110,	 87,	70,    56,    45,
	/*  15 */ 36,	 29,	23,    18,    15,
};

#define se_of(node) rb_entry(node, struct sched_entity, run_node)
#define task_of(se_ptr) container_of(se_ptr, struct task_struct, se)

static bool vruntime_less(struct rb_node *a, const struct rb_node *b)
{
	return (s64)(se_of(a)->vruntime - se_of(b)->vruntime) < 0;
}

/* curr: the running task's entity if it is a fair one that stays runnable, else NULL. */
static __always_inline void update_min_vruntime(struct fair_rq *fair, const struct sched_entity *curr)
{
	struct rb_node *first = rb_first_cached(&fair->tree);
	u64 v;

	if (curr) {
		v = curr->vruntime;
		if (first && (s64)(se_of(first)->vruntime - v) < 0)
			v = se_of(first)->vruntime;
	} else if (first) {
		v = se_of(first)->vruntime;
	} else {
		return;
	}
	if ((s64)(v - fair->min_vruntime) > 0)
		fair->min_vruntime = v;
}

void update_curr_fair(struct runqueue *rq, struct task_struct *p, u64 delta)
{
	/* A division only for tasks that asked for another weight; delta stays far below 2^54. */
	if (unlikely(p->nice))
		delta = delta * NICE_0_WEIGHT / nice_to_weight[p->nice + 20];
	p->se.vruntime += delta;
	update_min_vruntime(&rq->fair, &p->se);
}

void enqueue_task_fair(struct runqueue *rq, struct task_struct *p)
{
	struct fair_rq *fair = &rq->fair;
	u64 earliest = fair->min_vruntime - SCHED_SLICE_NS;

	if ((s64)(p->se.vruntime - earliest) < 0)
		p->se.vruntime = earliest;
	fair->nr_running++;
	rb_add_cached(&p->se.run_node, &fair->tree, vruntime_less);
}

void dequeue_task_fair(struct runqueue *rq, struct task_struct *p)
{
	rq->fair.nr_running--;
	if (p != rq->curr)
		rb_erase_cached(&p->se.run_node, &rq->fair.tree);
}

void put_prev_task_fair(struct runqueue *rq, struct task_struct *p)
{
	rb_add_cached(&p->se.run_node, &rq->fair.tree, vruntime_less);
}

struct task_struct *pick_next_task_fair(struct runqueue *rq)
{
	struct rb_node *first = rb_first_cached(&rq->fair.tree);

	if (!first)
		return NULL;
	rb_erase_cached(first, &rq->fair.tree);
	return task_of(se_of(first));
}

void set_curr_task_fair(struct runqueue *rq, struct task_struct *p)
{
	rb_erase_cached(&p->se.run_node, &rq->fair.tree);
}

bool fair_wakeup_preempts(struct runqueue *rq, struct task_struct *p)
{
	return (s64)(rq->curr->se.vruntime - p->se.vruntime) > (s64)SCHED_WAKEUP_GRAN_NS;
}

/* Behind the first of those that wait: it runs next. */
void yield_task_fair(struct runqueue *rq, struct task_struct *p)
{
	struct rb_node *first = rb_first_cached(&rq->fair.tree);

	if (first && (s64)(se_of(first)->vruntime - p->se.vruntime) >= 0)
		p->se.vruntime = se_of(first)->vruntime + 1;
}
