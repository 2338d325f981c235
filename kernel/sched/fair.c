/*
 * The fair class: every task gets processor time in proportion to its weight.
 *
 * A task's vruntime is the time it has run, scaled by 1024/weight. The task with the least vruntime
 * runs next. The waiting task with the least vruntime is kept apart (first), so that a queue of one
 * task, the usual case, costs nothing. The other waiting tasks are in a tree by vruntime. The
 * running task is in neither place; it is put back when it stops. min_vruntime follows the least
 * vruntime and never decreases. A task that wakes up starts at most one slice behind min_vruntime,
 * so a long sleep does not earn a long run. A new task starts one slice after min_vruntime.
 */
#include "kernel/sched/runqueue.h"

/* A step of nice is a factor of 1.25, about 10 % of processor time; nice 0 is 1024 (sched(7)). */
static const u32 nice_to_weight[40] = {
	/* -20 */ 88761, 71755, 56483, 46273, 36291,
	/* -15 */ 29154, 23254, 18705, 14949, 11916,
	/* -10 */ 9548,  7620,  6100,  4904,  3906,
	/*  -5 */ 3121,  2501,  1991,  1586,  1277,
	/*   0 */ 1024,  820,   655,   526,   423,
	/*   5 */ 335,   272,   215,   172,   137,
	/*  10 */ 110,   87,    70,    56,    45,
	/*  15 */ 36,    29,    23,    18,    15,
};

#define se_of(node)   rb_entry(node, struct sched_entity, run_node)
#define task_of(node) container_of(se_of(node), struct task_struct, se)

/* Cannot overflow: delta is below the uptime in ns, far below 2^54. */
u64 calc_delta_fair(const struct task_struct *p, u64 delta)
{
	/*
	 * LAB 9: A task of twice the weight may run twice as long for the same virtual time.
	 * Starts as: (void)p;
	 * return delta;
	 */
	return delta * NICE_0_WEIGHT / p->se.weight;
	/* END LAB 9 */
}

void set_load_weight(struct task_struct *p)
{
	p->se.weight = task_is_rt(p) || (p->flags & PF_IDLE) ? 0 : nice_to_weight[p->nice + 20];
}

static bool runs_before(const struct task_struct *a, const struct task_struct *b)
{
	return (s64)(a->se.vruntime - b->se.vruntime) < 0;
}

static bool vruntime_less(struct rb_node *a, const struct rb_node *b)
{
	return runs_before(task_of(a), task_of(b));
}

void enqueue_behind_first(struct cfs_rq *fair, struct task_struct *p)
{
	if (runs_before(p, fair->first))
		swap(p, fair->first);
	rb_add_cached(&p->se.run_node, &fair->tree, vruntime_less);
}

void refill_first(struct cfs_rq *fair)
{
	struct rb_node *leftmost = rb_first_cached(&fair->tree);

	rb_erase_cached(leftmost, &fair->tree);
	fair->first = task_of(leftmost);
}

void dequeue_waiting_fair(struct cfs_rq *fair, struct task_struct *p)
{
	if (p != fair->first) {
		rb_erase_cached(&p->se.run_node, &fair->tree);
		return;
	}
	fair->first = NULL;
	if (fair->tree.rb_root.rb_node)
		refill_first(fair);
}

struct task_struct *next_waiting_fair(const struct cfs_rq *fair, const struct task_struct *p)
{
	struct rb_node *next;

	if (!p)
		return fair->first;
	next = p == fair->first ? rb_first_cached(&fair->tree) : rb_next(&p->se.run_node);
	return next ? task_of(next) : NULL;
}

/* Moves p behind the first waiting task, which then runs next. */
void yield_task_fair(struct runqueue *rq, struct task_struct *p)
{
	struct task_struct *first = rq->fair.first;

	if (first && !runs_before(first, p))
		p->se.vruntime = first->se.vruntime + 1;
}
