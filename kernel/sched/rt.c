/*
 * The FIFO real-time class: 99 levels, each a list in order of arrival, and a bitmap of those in
 * use. One more above them is migration/N's: who needs a task's CPU gets it whatever runs there
 * (Linux has a class for that, kernel/sched/stop_task.c).
 *
 * A task runs until it sleeps, yields or a better one comes; then it stays at the head of its list.
 * There is no throttling: a FIFO task that spins keeps fair tasks from its CPU (balancing takes
 * them elsewhere).
 */
#include "kernel/sched/runqueue.h"

static unsigned level_of(const struct task_struct *p)
{
	return STOP_PRIO - (unsigned)p->rt_priority;
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
	rq->rt.bitmap[level / 64] |= 1UL << (level % 64);
	rq->rt.nr_running++;
}

void dequeue_task_rt(struct runqueue *rq, struct task_struct *p)
{
	unsigned level = level_of(p);

	list_del(&p->rt_node);
	if (list_empty(&rq->rt.queue[level]))
		rq->rt.bitmap[level / 64] &= ~(1UL << (level % 64));
	rq->rt.nr_running--;
}

/* The first of the best level; there is one. */
struct task_struct *pick_next_task_rt(struct runqueue *rq)
{
	const struct rt_rq *rt = &rq->rt;
	unsigned level = rt->bitmap[0] ? (unsigned)__builtin_ctzl(rt->bitmap[0])
				       : 64 + (unsigned)__builtin_ctzl(rt->bitmap[1]);

	return list_first_entry(&rt->queue[level], struct task_struct, rt_node);
}

void yield_task_rt(struct runqueue *rq, struct task_struct *p)
{
	list_move_tail(&p->rt_node, &rq->rt.queue[level_of(p)]);
}
