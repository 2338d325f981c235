/* Scheduling parameters of a task: policy and priority, nice, affinity. And yield(). */
#include "kernel/sched/runqueue.h"

#include "kernel/sched/sched_events.h"
#include "kernel/smp.h"

/*
 * The two functions enclose a change of the parameters that order a queue: the task leaves its
 * queue for the change. on_rq does not change; no waker reads it in between, because P is held. P
 * and R held.
 */
static void dequeue_for_change(struct runqueue *rq, struct task_struct *p)
{
	update_curr(rq, ktime_get());
	if (!p->on_rq)
		return;
	if (task_is_rt(p))
		dequeue_task_rt(rq, p);
	else
		dequeue_task_fair(rq, p);
}

static void enqueue_after_change(struct runqueue *rq, struct task_struct *p)
{
	if (!p->on_rq)
		return;
	if (task_is_rt(p)) {
		enqueue_task_rt(rq, p);
	} else {
		enqueue_task_fair(rq, p);
		if (p == rq->curr) /* the running task is not among the waiting ones */
			dequeue_waiting_fair(&rq->fair, p);
	}
	if (p == rq->curr)
		resched_curr(rq); /* p may have become less urgent than a waiting task */
	else
		check_preempt_curr(rq, p);
}

/* A real-time task that has become less urgent is the first one of its level. P and R held. */
static void requeue_if_lowered(struct runqueue *rq, struct task_struct *p, int old_prio)
{
	if (p->on_rq && task_is_rt(p) && effective_prio(p) > old_prio)
		requeue_first_rt(rq, p);
}

/* The real-time priority with which p runs if that is its own one: it may inherit another. */
static int effective_rt_priority(const struct task_struct *p, int own)
{
	return max(own, max(MAX_RT_PRIO - 1 - p->pi_prio, 0));
}

/*
 * Sets what the queues order by, from the task's own priority and the inherited one. P and R held.
 */
static void set_effective_priority(struct task_struct *p)
{
	p->rt_priority = effective_rt_priority(p, p->normal_rt_priority);
	set_load_weight(p);
}

/* P and R held. p is charged, and in no queue unless it keeps its place there. */
static void change_policy(struct task_struct *p, enum sched_policy policy, int priority)
{
	if (policy == SCHED_RR && p->policy != SCHED_RR)
		start_rr_slice(p);
	WRITE_ONCE(p->policy, policy);
	p->normal_rt_priority = priority;
	set_effective_priority(p);
}

static void set_policy(struct task_struct *p, enum sched_policy policy, int priority)
{
	unsigned long flags;
	struct runqueue *rq = task_rq_lock(p, &flags);
	int old = effective_prio(p);

	/*
	 * sched(7): a task that keeps its priority keeps its place in the queue, too. One that
	 * becomes less urgent is the first one of its level, any other one the last.
	 */
	if (p->rt_priority == effective_rt_priority(p, priority)) {
		update_curr(rq, ktime_get());
		change_policy(p, policy, priority);
	} else {
		dequeue_for_change(rq, p);
		change_policy(p, policy, priority);
		enqueue_after_change(rq, p);
		requeue_if_lowered(rq, p, old);
	}
	task_rq_unlock(rq, p, flags);
	if (sched_ops.priority_changed)
		sched_ops.priority_changed(p);
}

void sched_set_pi_prio(struct task_struct *p, struct task_struct *from)
{
	int prio = from ? effective_prio(from) : PI_PRIO_NONE, old;
	struct runqueue *rq;
	unsigned long flags;

	if (p->pi_prio == prio)
		return;
	rq = task_rq_lock(p, &flags);
	dequeue_for_change(rq, p);
	old = effective_prio(p);
	p->pi_prio = prio;
	set_effective_priority(p);
	if (effective_prio(p) != old)
		trace_sched_pi_setprio(p, old);
	enqueue_after_change(rq, p);
	requeue_if_lowered(rq, p, old);
	task_rq_unlock(rq, p, flags);
}

void sched_set_stop_task(struct task_struct *p)
{
	set_policy(p, SCHED_FIFO, STOP_PRIO);
}

int sched_setscheduler(struct task_struct *p, int policy, int priority)
{
	if (!policy_takes_priority(policy, priority) || (p->flags & PF_IDLE))
		return -EINVAL;
	set_policy(p, (enum sched_policy)policy, priority);
	return 0;
}

void sched_fork(struct task_struct *child, struct task_struct *parent)
{
	unsigned long flags;
	struct runqueue *rq = task_rq_lock(parent, &flags); /* another task may change them */

	/* A child of a real-time task that has reset_on_fork starts as SCHED_NORMAL with nice 0. */
	if (!parent->reset_on_fork || !rt_policy(parent->policy)) {
		child->policy = parent->policy;
		child->normal_rt_priority = child->rt_priority = parent->normal_rt_priority;
		child->nice = parent->reset_on_fork ? max(parent->nice, 0) : parent->nice;
	}
	start_rr_slice(child);
	task_rq_unlock(rq, parent, flags);
}

int set_user_nice(struct task_struct *p, int nice)
{
	struct runqueue *rq;
	unsigned long flags;

	if (nice < -20 || nice > 19 || (p->flags & PF_IDLE))
		return -EINVAL;
	rq = task_rq_lock(p, &flags);
	dequeue_for_change(rq, p);
	p->nice = nice;
	/* As on Linux: what a task inherits from one without real-time priority ends here. */
	if (p->pi_prio >= MAX_RT_PRIO)
		p->pi_prio = PI_PRIO_NONE;
	set_load_weight(p);
	enqueue_after_change(rq, p);
	task_rq_unlock(rq, p, flags);
	return 0;
}

/* An online CPU of the mask, or NR_CPUS. */
static unsigned any_online_cpu(const struct cpumask *mask)
{
	unsigned cpu;

	for_each_cpu (cpu, mask)
		if (cpu_online(cpu))
			return cpu;
	return NR_CPUS;
}

/*
 * Moves p, queued on rq, to a CPU that it may use. P and R held. It releases R in between: p may
 * begin to run then, or balancing may move it, so the caller must check again.
 */
static void migrate_queued_task(struct runqueue *rq, struct task_struct *p)
{
	unsigned cpu = any_online_cpu(&p->cpus_allowed);
	struct runqueue *to = cpu_rq(cpu);

	rq_unlock(rq);
	double_rq_lock(rq, to);
	if (p->cpu == rq->cpu && p->on_rq && p != rq->curr && !task_allowed(p, rq->cpu))
		move_queued_task(rq, to, p);
	rq_unlock(to);
}

/* Runs in migration/N, so p does not run on this CPU now. */
static void migration_cpu_stop(void *arg)
{
	struct task_struct *p = arg;
	unsigned long flags;
	struct runqueue *rq = task_rq_lock(p, &flags);

	if (rq->cpu == smp_processor_id() && p->on_rq && !task_allowed(p, rq->cpu))
		migrate_queued_task(rq, p);
	task_rq_unlock(rq, p, flags);
}

int set_cpus_allowed(struct task_struct *p, const struct cpumask *mask)
{
	unsigned long flags;
	struct runqueue *rq;

	if (any_online_cpu(mask) >= NR_CPUS || (p->flags & (PF_IDLE | PF_NO_SETAFFINITY)))
		return -EINVAL;
	rq = task_rq_lock(p, &flags);
	p->cpus_allowed = *mask;
	p->nr_cpus_allowed = cpumask_weight(mask);
	/* For a sleeping task, its next wake-up chooses an allowed CPU. */
	while (p->on_rq && !task_allowed(p, rq->cpu)) {
		unsigned cpu = rq->cpu;
		bool running = p == rq->curr;

		if (!running)
			migrate_queued_task(rq, p);
		task_rq_unlock(rq, p, flags);
		if (running)
			stop_one_cpu(cpu, migration_cpu_stop, p);
		rq = task_rq_lock(p, &flags);
	}
	task_rq_unlock(rq, p, flags);
	return 0;
}

void yield(void)
{
	struct task_struct *p = current;
	struct runqueue *rq;
	unsigned long flags;

	task_quiescent(p);
	rq = task_rq_lock(p, &flags);
	update_curr(rq, ktime_get());
	if (task_is_rt(p))
		yield_task_rt(rq, p);
	else
		yield_task_fair(rq, p);
	task_rq_unlock(rq, p, flags);
	__set_current_state(TASK_RUNNING);
	preempt_disable();
	__schedule(false);
	preempt_enable();
}
