/*
 * The FIFO real-time class: 99 levels, each a list in order of arrival, and a bitmap of the levels
 * in use. One more level above them belongs to migration/N, which must get the CPU from any task
 * (Linux has a class of its own for that; here see kernel/sched/stop_task.c).
 *
 * A task runs until it sleeps, yields, or a more urgent task comes. In the last case it stays at
 * the head of its list. A SCHED_RR task goes to the tail at the end of its slice. While a task
 * spins, fair tasks run on its CPU only when it is throttled (kernel/sched/rt_bandwidth.c, if
 * linked); balancing moves them to other CPUs.
 */
#include "kernel/sched/runqueue.h"

static unsigned level_of(const struct task_struct *p)
{
	/*
	 * LAB 9: Level 0 is the most urgent one, for STOP_PRIO.
	 * Starts as: (void)p;
	 * return 0;
	 */
	return STOP_PRIO - (unsigned)p->rt_priority;
	/* END LAB 9 */
}

void rt_rq_init(struct rt_rq *rt)
{
	for (unsigned i = 0; i < RT_LEVELS; i++)
		INIT_LIST_HEAD(&rt->queue[i]);
}

void enqueue_task_rt(struct runqueue *rq, struct task_struct *p)
{
	unsigned level = level_of(p);

	list_add_tail(&p->rt_node, &rq->rt.queue[level]);
	/* LAB 9: Note that the level is in use. */
	rq->rt.bitmap[level / 64] |= 1UL << (level % 64);
	/* END LAB 9 */
	rq->rt.nr_running++;
}

void dequeue_task_rt(struct runqueue *rq, struct task_struct *p)
{
	unsigned level = level_of(p);

	list_del(&p->rt_node);
	/* LAB 9: The last task of a level may have left it. Starts as: (void)level; */
	if (list_empty(&rq->rt.queue[level]))
		rq->rt.bitmap[level / 64] &= ~(1UL << (level % 64));
	/* END LAB 9 */
	rq->rt.nr_running--;
}

/* The first task of the most urgent level; level 0, migration/N, is not limited. One exists. */
struct task_struct *pick_next_task_rt(struct runqueue *rq)
{
	struct rt_rq *rt = &rq->rt;
	/* LAB 9: The first bit that is set, of two words. Starts as: unsigned level = 0; */
	unsigned level = rt->bitmap[0] ? (unsigned)__builtin_ctzl(rt->bitmap[0])
				       : 64 + (unsigned)__builtin_ctzl(rt->bitmap[1]);
	/* END LAB 9 */

	if (likely(level)) {
		if (unlikely(!rt->in_period) && sched_ops.start_rt_period)
			sched_ops.start_rt_period(rq);
		if (unlikely(rt->throttled))
			return NULL;
	}
	return list_first_entry(&rt->queue[level], struct task_struct, rt_node);
}

void update_curr_rt(struct runqueue *rq, const struct task_struct *curr, u64 delta)
{
	if (curr->rt_priority && curr->rt_priority != STOP_PRIO)
		rq->rt.time += delta;
}

void yield_task_rt(struct runqueue *rq, struct task_struct *p)
{
	list_move_tail(&p->rt_node, &rq->rt.queue[level_of(p)]);
}

void requeue_first_rt(struct runqueue *rq, struct task_struct *p)
{
	list_del(&p->rt_node);
	list_add(&p->rt_node, &rq->rt.queue[level_of(p)]);
}

/* Whether a task of the same level waits for the CPU of p, which runs. R held. */
static bool rt_level_shared(const struct task_struct *p)
{
	return p->rt_node.next != p->rt_node.prev;
}

static int rr_slice_ms = RR_SLICE_MS; /* written by any task, for slices that begin later */

int sched_rr_slice_ms(void)
{
	return READ_ONCE(rr_slice_ms);
}

void sched_set_rr_slice_ms(int ms)
{
	WRITE_ONCE(rr_slice_ms, ms > 0 ? ms : RR_SLICE_MS);
}

/*
 * A slice is time that the task runs. A more urgent task may interrupt it, as often as it wants;
 * then the rest of the slice stays.
 */
void start_rr_slice(struct task_struct *p)
{
	p->rr_slice_end = p->se.sum_exec_runtime + (u64)sched_rr_slice_ms() * NSEC_PER_MSEC;
}

void task_tick_rr(struct runqueue *rq, struct task_struct *curr)
{
	if (curr->se.sum_exec_runtime < curr->rr_slice_end)
		return;
	start_rr_slice(curr);
	if (rt_level_shared(curr)) {
		yield_task_rt(rq, curr);
		resched_curr(rq);
	}
}
