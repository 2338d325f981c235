/*
 * The scheduler's core: run queues, the context switch, sleeping and waking.
 *
 * Three fields of a task say what it does now:
 *
 *	on_rq	1 while the task is runnable, queued or running. Under R.
 *	on_cpu	1 while a CPU uses its registers and its stack. Set under R before the switch to
 *		the task. Cleared with release order by finish_task_switch(), on the stack of the
 *		next task.
 *	state	written by the task itself before it sleeps, and by its waker under P.
 *
 * A task that goes to sleep writes its state, tests its condition, then calls schedule().
 * schedule() takes R and clears on_rq if the state still says that the task sleeps. A waker makes
 * the condition true, takes P (a full barrier), and reads state and then on_rq. If on_rq is 1, the
 * task has not left its queue: the waker sets the state to running under R, and the task stays. If
 * on_rq is 0, the task may still be switching out on another CPU. So the waker spins until on_cpu
 * is 0 before it queues the task. P serialises the wakers of one task.
 */
#include "kernel/sched/runqueue.h"

#include "kernel/sections.h"
#include "arch/unwind/stacktrace.h"
#include "arch/cpu/switch.h"
#include "arch/mm/uaccess.h"
#include "kernel/bug.h"
#include "kernel/export.h"
#include "kernel/printk/printk.h"
#include "kernel/task/program.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/schedstats.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

DEFINE_PER_CPU(struct runqueue, runqueues);
DEFINE_PER_CPU(struct task_struct *, current_task) = &init_task;
EXPORT_SYMBOL(current_task);
void (*klp_sched_try_switch_hook)(void);
void (*wq_worker_sleeping_hook)(struct task_struct *task);
void (*wq_worker_running_hook)(struct task_struct *task);
struct sched_ops sched_ops __ro_after_init;
/* Every CPU starts with preemption disabled, in its idle task, and an idle task stays so. */
DEFINE_PER_CPU(u32, __preempt_count) = PREEMPT_NEED_RESCHED | PREEMPT_OFFSET;
EXPORT_SYMBOL(__preempt_count);

struct cpumask sched_idle_mask;

void resched_curr(struct runqueue *rq)
{
	if (rq->need_resched)
		return;
	WRITE_ONCE(rq->need_resched, true);
	trace_sched_set_need_resched_tp(rq->curr, (int)rq->cpu);
	if (rq->cpu == smp_processor_id()) {
		set_preempt_need_resched();
		return;
	}
	smp_mb(); /* do_idle() writes polling before it reads need_resched */
	if (READ_ONCE(rq->polling))
		trace_sched_wake_idle_without_ipi((int)rq->cpu);
	else
		smp_send_reschedule(rq->cpu);
}

void resched_cpu(unsigned cpu)
{
	struct runqueue *rq = cpu_rq(cpu);
	unsigned long flags;

	local_irq_save(flags);
	rq_lock(rq);
	resched_curr(rq);
	rq_unlock(rq);
	local_irq_restore(flags);
}

/* Copies need_resched, which another CPU has set, to the preempt_count of this CPU. */
void scheduler_ipi(void)
{
	struct runqueue *rq = this_rq();
	void (*hook)(void);

	if (READ_ONCE(rq->need_resched))
		set_preempt_need_resched();
	start_tick_if_needed(rq);
	hook = READ_ONCE(sched_ops.ipi);
	if (hook)
		hook();
}

static __always_inline void __update_curr(struct runqueue *rq, struct task_struct *curr, u64 now)
{
	s64 delta = (s64)(now - curr->se.exec_start);

	if (delta <= 0) /* the clocks of two CPUs may differ by a little */
		return;
	curr->se.exec_start = now;
	curr->se.sum_exec_runtime += (u64)delta;
	if (curr->se.weight) {
		update_curr_fair(curr, (u64)delta);
		trace_sched_stat_runtime(curr, (u64)delta, curr->se.vruntime);
	} else {
		update_curr_rt(rq, curr, (u64)delta);
	}
}

void update_curr(struct runqueue *rq, u64 now)
{
	__update_curr(rq, rq->curr, now);
	if (rq->curr->se.weight)
		update_min_vruntime(&rq->fair, rq->curr->se.vruntime);
}

static __always_inline void __activate_task(struct runqueue *rq, struct task_struct *p)
{
	if (task_is_rt(p))
		enqueue_task_rt(rq, p);
	else
		enqueue_task_fair(rq, p);
	rq->nr_running++;
	p->on_rq = 1;
}

void activate_task(struct runqueue *rq, struct task_struct *p)
{
	__activate_task(rq, p);
}

static __always_inline void deactivate_task(struct runqueue *rq, struct task_struct *p)
{
	if (task_is_rt(p))
		dequeue_task_rt(rq, p);
	else
		dequeue_task_fair(rq, p);
	rq->nr_running--;
	/* Release: a waker that sees 0 may queue the task as soon as on_cpu is 0 too. */
	smp_store_release(&p->on_rq, 0);
}

/* Tasks compete on rq, and its CPU does not tick yet. R held. */
static noinline void request_tick(struct runqueue *rq)
{
	if (rq->cpu == smp_processor_id())
		start_tick_if_needed(rq);
	else
		smp_send_reschedule(rq->cpu);
}

/* p has become runnable on rq: asks for a reschedule if p must run at once, else for the tick. */
static __always_inline void __check_preempt_curr(struct runqueue *rq, struct task_struct *p)
{
	struct task_struct *curr = rq->curr;
	bool preempt;

	if (likely(curr->se.weight)) {
		preempt = task_is_rt(p) || fair_wakeup_preempts(curr, p);
	} else if (curr == rq->idle) {
		preempt = true;
		if (cpumask_test_cpu(rq->cpu, &sched_idle_mask))
			cpumask_clear_cpu(rq->cpu, &sched_idle_mask);
	} else {
		preempt = p->rt_priority > curr->rt_priority;
	}
	if (unlikely(preempt))
		resched_curr(rq);
	else if (unlikely(!rq->tick_armed))
		request_tick(rq);
}

void check_preempt_curr(struct runqueue *rq, struct task_struct *p)
{
	__check_preempt_curr(rq, p);
}

/* p, which is not new, gets another CPU than it has. p is in no queue. P or R held. */
static void set_task_cpu(struct task_struct *p, unsigned cpu)
{
	trace_sched_migrate_task(p, cpu);
	p->se.nr_migrations++;
	/* Virtual time is counted from each queue's own origin. */
	p->se.vruntime += cpu_rq(cpu)->fair.min_vruntime - p->se.cfs_rq->min_vruntime;
	__set_task_cpu(p, cpu);
}

/*
 * Moves a runnable task, which does not run, to another queue. on_rq stays 1 throughout, so a waker
 * of the task waits in __task_rq_lock() until the move is complete.
 */
void move_queued_task(struct runqueue *from, struct runqueue *to, struct task_struct *p)
{
	if (task_is_rt(p))
		dequeue_task_rt(from, p);
	else
		dequeue_task_fair(from, p);
	from->nr_running--;
	update_curr(to, ktime_get());
	set_task_cpu(p, to->cpu);
	activate_task(to, p);
	check_preempt_curr(to, p);
}

void double_rq_lock(struct runqueue *a, struct runqueue *b)
{
	rq_lock(a->cpu < b->cpu ? a : b);
	rq_lock(a->cpu < b->cpu ? b : a);
}

/* Locks the run queue of p. P held. */
static struct runqueue *__task_rq_lock(struct task_struct *p)
{
	for (;;) {
		struct runqueue *rq = task_rq(p);

		rq_lock(rq);
		if (likely(rq == task_rq(p))) /* balancing moves tasks under R alone */
			return rq;
		rq_unlock(rq);
	}
}

struct runqueue *task_rq_lock(struct task_struct *p, unsigned long *flags)
{
	spin_lock_irqsave(&p->lock, *flags);
	return __task_rq_lock(p);
}

void task_rq_unlock(struct runqueue *rq, struct task_struct *p, unsigned long flags)
{
	rq_unlock(rq);
	spin_unlock_irqrestore(&p->lock, flags);
}

/* Keeps p in its run queue if it has not left it to sleep. False if it has left. P held. */
static noinline bool ttwu_runnable(struct task_struct *p)
{
	struct runqueue *rq = __task_rq_lock(p);
	bool runnable = p->on_rq;

	if (runnable) {
		WRITE_ONCE(p->__state, TASK_RUNNING);
		trace_sched_wakeup(p);
	}
	rq_unlock(rq);
	return runnable;
}

/* Queues a task that sleeps, or that is new. P held, interrupts off. */
static __always_inline void ttwu_queue(struct task_struct *p, bool new)
{
	struct runqueue *rq;
	unsigned cpu;

	/* It may still be switching out on another CPU: its registers are not all saved yet. */
	while (unlikely(smp_load_acquire(&p->on_cpu)))
		cpu_relax();
	cpu = select_task_rq(p);
	if (cpu != p->cpu) {
		if (new)
			__set_task_cpu(p, cpu);
		else
			set_task_cpu(p, cpu);
	}
	rq = cpu_rq(cpu);
	rq_lock(rq);
	if (p->__state == TASK_UNINTERRUPTIBLE)
		rq->nr_uninterruptible--;
	/* While the CPU ticks, its running task was charged a slice ago: precise enough. */
	if (!rq->tick_armed)
		update_curr(rq, ktime_get());
	schedstat_wakeup(p);
	if (new)
		place_new_task_fair(&rq->fair, p);
	__activate_task(rq, p);
	WRITE_ONCE(p->__state, TASK_RUNNING);
	if (new)
		trace_sched_wakeup_new(p);
	else
		trace_sched_wakeup(p);
	__check_preempt_curr(rq, p);
	rq_unlock(rq);
}

bool try_to_wake_up(struct task_struct *p, unsigned state)
{
	bool woken = false;

	spin_lock_debug_acquire(&p->lock);
	raw_ticket_lock(&p->lock);
	spin_lock_debug_acquired(&p->lock);
	if (READ_ONCE(p->__state) & state) {
		trace_sched_waking(p);
		woken = true;
		if (likely(!smp_load_acquire(&p->on_rq)) || !ttwu_runnable(p))
			ttwu_queue(p, false);
	}
	__spin_unlock(&p->lock);
	return woken;
}

bool wake_up_state(struct task_struct *p, unsigned state)
{
	unsigned long flags;
	bool woken;

	local_irq_save(flags);
	preempt_disable();
	woken = try_to_wake_up(p, state);
	local_irq_restore(flags);
	preempt_enable();
	return woken;
}

bool wake_up_new_task(struct task_struct *p)
{
	unsigned long flags;
	bool woken;

	spin_lock_irqsave(&p->lock, flags);
	woken = p->__state == TASK_NEW;
	if (woken)
		ttwu_queue(p, true);
	spin_unlock_irqrestore(&p->lock, flags);
	return woken;
}

bool wake_up_process(struct task_struct *p)
{
	/* A task that is not new never becomes new again. */
	if (unlikely(READ_ONCE(p->__state) == TASK_NEW) && wake_up_new_task(p))
		return true;
	return wake_up_state(p, TASK_NORMAL);
}
EXPORT_SYMBOL(wake_up_process);

/*
 * Runs on the stack of the new task, after __switch_to() has switched away from prev. Releases R,
 * which __schedule() took on the stack of prev.
 */
static __always_inline void finish_task_switch(struct task_struct *prev)
{
	bool dead = prev->__state == TASK_DEAD;

	/*
	 * After this store another CPU may run prev, and prev may exit there. A dead prev stays
	 * until this function drops its reference.
	 */
	smp_store_release(&prev->on_cpu, 0);
	rq_unlock(this_rq());
	local_irq_enable();
	trace_sched_exit_tp(true);
	if (unlikely(dead))
		put_task_struct(prev);
}

void schedule_tail(struct task_struct *prev)
{
	int __user *tid;

	finish_task_switch(prev);
	preempt_enable();
	tid = current->set_child_tid;
	if (unlikely(tid))
		(void)put_user(current->pid, tid); /* Linux ignores a bad address, too */
}

/* One of the two tasks is a program. R held. */
static noinline void switch_program(struct task_struct *prev, struct task_struct *next)
{
	if (next->mm && !this_rq()->tick_armed)
		start_program_tick(this_rq());
	program_ops.switch_to(prev, next);
}

static __always_inline void switch_programs(struct task_struct *prev, struct task_struct *next)
{
	if ((unsigned long)prev->mm | (unsigned long)next->mm) /* one branch for both */
		switch_program(prev, next);
}

/* The CPU switches from its idle task to another task, or back. R held. */
static noinline void switch_idle(struct runqueue *rq, struct task_struct *prev,
				 struct task_struct *next, u64 now)
{
	if (next == rq->idle) {
		rq->idle_nr = rq->nr_running;
		calc_global_load(now, !prev->on_rq);
	} else {
		calc_global_load(now, (long)rq->idle_nr - (long)rq->nr_running);
	}
	if (next != rq->idle) {
		void (*hook)(ktime_t now) = READ_ONCE(sched_ops.leave_idle);

		if (cpumask_test_cpu(rq->cpu, &sched_idle_mask))
			cpumask_clear_cpu(rq->cpu, &sched_idle_mask);
		if (hook)
			hook(now);
	}
}

static noinline void schedule_bug(struct task_struct *prev)
{
	printk(KERN_ERR "BUG: scheduling while atomic: %s/%d/0x%08x\n", prev->comm, prev->pid,
	       preempt_count());
	dump_stack();
	this_cpu_write(__preempt_count, PREEMPT_NEED_RESCHED | PREEMPT_OFFSET);
}

/* prev stays runnable: it waits with the others, unless its class keeps running tasks queued. */
static __always_inline void put_prev_task(struct runqueue *rq, struct task_struct *prev)
{
	if (!task_is_rt(prev) && prev != rq->idle)
		put_prev_task_fair(rq, prev);
}

static __always_inline struct task_struct *pick_next_task(struct runqueue *rq)
{
	struct task_struct *next;

	if (unlikely(rq->rt.nr_running)) {
		next = pick_next_task_rt(rq);
		if (next)
			return next;
	}
	next = pick_next_task_fair(rq);
	return next ? next : rq->idle;
}

static __always_inline void call_switch_hooks(bool last, struct task_struct *prev,
					      struct task_struct *next)
{
	for (struct sched_switch_hook *hook = smp_load_acquire(&sched_switch_hooks[last]); hook;
	     hook = READ_ONCE(hook->next))
		hook->fn(prev, next);
}

void __schedule(bool preempt)
{
	struct runqueue *rq = this_rq();
	struct task_struct *prev = rq->curr, *next;
	u64 now, *switch_count = &prev->nivcsw;
	unsigned state;

	trace_sched_entry_tp(preempt);
	if (unlikely(preempt_count() != PREEMPT_OFFSET))
		schedule_bug(prev);
	local_irq_disable();
	/* A full barrier: the task has written its state before it, a waker reads it after P. */
	rq_lock(rq);
	now = ktime_get();
	__update_curr(rq, prev, now);

	state = prev->__state;
	if (preempt || !state) {
		put_prev_task(rq, prev);
	} else {
		switch_count = &prev->nvcsw;
		if (unlikely(signal_pending_state(state, prev))) {
			state = TASK_RUNNING;
			WRITE_ONCE(prev->__state, state);
			put_prev_task(rq, prev);
		} else {
			if (state == TASK_UNINTERRUPTIBLE)
				rq->nr_uninterruptible++;
			deactivate_task(rq, prev);
		}
	}

	next = pick_next_task(rq);
	WRITE_ONCE(rq->need_resched, false);
	clear_preempt_need_resched();
	start_tick_if_needed(rq);
	rq->picked = now;
	if (next == prev) {
		rq->same_picked++;
		rq_unlock(rq);
		local_irq_enable();
		trace_sched_exit_tp(false);
		return;
	}
	if (unlikely(prev == rq->idle || next == rq->idle))
		switch_idle(rq, prev, next, now);
	next->se.exec_start = now;
	WRITE_ONCE(rq->curr, next);
	rq->nr_switches++;
	++*switch_count;
	WRITE_ONCE(next->on_cpu, 1);
	schedstat_switch(prev, next, now);
	trace_sched_switch(preempt, prev, next, state);
	if (static_branch_unlikely(&sched_switch_hooks_key)) {
		call_switch_hooks(false, prev, next);
		switch_programs(prev, next);
		call_switch_hooks(true, prev, next);
	} else {
		switch_programs(prev, next);
	}
	finish_task_switch(__switch_to(prev, next));
}

static __always_inline void schedule_loop(void)
{
	do {
		preempt_disable();
		__schedule(false);
	} while (unlikely(arch_preempt_enable()));
}

static noinline void schedule_worker(struct task_struct *tsk)
{
	if (tsk->__state)
		wq_worker_sleeping_hook(tsk);
	schedule_loop();
	wq_worker_running_hook(tsk);
}

__kprobes /* the task would be in a detour after its quiescent point: that may be freed */
void task_quiescent_slow(struct task_struct *p)
{
	WRITE_ONCE(p->rcu_tasks_holdout, false);
	klp_sched_try_switch(p);
}

void schedule(void)
{
	struct task_struct *tsk = current;

	task_quiescent(tsk);
	if (unlikely(tsk->worker))
		schedule_worker(tsk);
	else
		schedule_loop();
}
EXPORT_SYMBOL(schedule);

__kprobes /* tracers and probes end with preempt_enable(): it would call itself */
noinline void preempt_schedule(void) /* noinline: stacks name it */
{
	if (irqs_disabled())
		return;
	do {
		preempt_disable();
		__schedule(true);
		preempt_enable_no_resched();
	} while (test_preempt_need_resched());
}
EXPORT_SYMBOL(preempt_schedule);

/*
 * Interrupts stay off until the switch is done. With interrupts on, an interrupt could come before
 * each switch. Under heavy tracing an interrupt may take longer than the time to the next one, and
 * the switch would never happen.
 */
void preempt_schedule_irq(void)
{
	do {
		preempt_disable();
		__schedule(true);
		local_irq_disable();
		preempt_enable_no_resched();
	} while (test_preempt_need_resched());
}

void __cond_resched(void)
{
	might_sleep();
	task_quiescent(current);
	if (this_cpu_read(__preempt_count) == 0)
		preempt_schedule();
}
EXPORT_SYMBOL(__cond_resched);

void do_task_dead(void)
{
	struct task_struct *tsk = current;

	/* Under P, so that a late waker, which has read an older state, cannot overwrite it. */
	spin_lock_irq(&tsk->lock);
	__set_current_state(TASK_DEAD);
	__spin_unlock(&tsk->lock);
	preempt_enable_no_resched();
	__schedule(false);
	BUG();
}

void __init sched_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct runqueue *rq = cpu_rq(cpu);

		spin_lock_init(&rq->lock);
		rq->cpu = cpu;
		rq->fair.tree = RB_ROOT_CACHED;
		rt_rq_init(&rq->rt);
	}
	cpu_rq(0)->curr = cpu_rq(0)->idle = &init_task;
	sched_init_task(&init_task);
	cpu_rq(0)->online_since = init_task.start_time;
	balance_init();
	cpu_event_setup(CPU_EVENT_TICK, scheduler_tick);
}
