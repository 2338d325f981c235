/*
 * RCU-tasks: a grace period ends when every task that was runnable at its beginning has been at a
 * quiescent point since.
 *
 * A CPU can enter the memory that waits to be freed at any instruction, because that memory is
 * code, such as a trampoline of ftrace. A task can be preempted inside of it. So switches on every
 * CPU prove nothing. But a task at a quiescent point (a call of schedule(), yield() or
 * cond_resched(), a system call, the return to user mode: kernel/sched/quiescent.h) runs its own
 * code, because trampolines and their callbacks never get there. So one quiescent point of each
 * task is enough. A task that sleeps has passed one already.
 *
 * One grace period, in rcu_tasks_grace_period():
 *
 *	1. A barrier on every CPU: from here on no CPU finds the memory that was unlinked before.
 *	2. Each runnable task becomes a holdout: the kthread sets its flag rcu_tasks_holdout. The
 *	   task clears the flag at its next quiescent point, with one store. A program may run
 *	   for ever without one. An IPI forces it into the kernel; its return is a quiescent
 *	   point. The scheduler knows nothing else of RCU-tasks.
 *	3. The kthread looks at the flags again and again until all are clear.
 *	4. Every CPU switches tasks. That covers the code that cannot be preempted and that no list
 *	   has: idle tasks, tasks inside __schedule() (a traced function itself), and tasks at the
 *	   end of their exit.
 *
 * A task that starts after step 1 cannot have entered that memory. A task that exits runs with
 * preemption off from the moment it leaves the list of tasks until its last switch (do_exit()).
 */
#include "arch/unwind/stacktrace.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/callbacks.h"
#include "kernel/rcu/rcu_events.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define FIRST_TRIES   4U
#define POLL_FIRST_MS 1U
#define POLL_LAST_MS  16U

static void rcu_tasks_grace_period(void);

static struct rcu_callbacks rcu_tasks =
	RCU_CALLBACKS_INITIALIZER(rcu_tasks, "rcu_tasks_kthread", rcu_tasks_grace_period);

static DEFINE_MUTEX(grace_period_mutex); /* one grace period at a time */
static DEFINE_SPINLOCK(holdouts_lock);
/* [holdouts_lock] to write. Only the grace period writes, so it reads without the lock. */
static LIST_HEAD(holdouts);

unsigned rcu_task_stall_timeout = 10000;

static int __init setup_stall_timeout(const char *value)
{
	return value ? kstrtouint(value, 10, &rcu_task_stall_timeout) : -EINVAL;
}
__setup("rcupdate.rcu_task_stall_timeout", setup_stall_timeout);

static void do_nothing(void *unused __unused)
{
}

/*
 * True if the task runs or is preempted. Reads on_rq under p->lock: a later waker of a sleeping
 * task takes this lock, too, so the woken task sees all writes from before this grace period.
 */
static bool is_runnable(struct task_struct *p)
{
	unsigned long flags;
	bool runnable;

	spin_lock_irqsave(&p->lock, flags);
	runnable = READ_ONCE(p->on_rq);
	spin_unlock_irqrestore(&p->lock, flags);
	return runnable;
}

static void find_holdouts(void)
{
	struct task_struct *p;

	spin_lock(&tasklist_lock);
	spin_lock(&holdouts_lock);
	for_each_task (p) {
		/*
		 * LAB 6: A runnable task becomes a holdout, which is kept in memory, and is kicked.
		 * Starts as: (void)is_runnable;
		 */
		if (p == current || !is_runnable(p))
			continue;
		get_task_struct(p);
		p->rcu_tasks_nvcsw = READ_ONCE(p->nvcsw);
		WRITE_ONCE(p->rcu_tasks_holdout, true);
		list_add_tail(&p->rcu_tasks_node, &holdouts);
		smp_mb(); /* p sees the flag on its next way to user mode, or we see it running */
		kick_process(p);
		/* END LAB 6 */
	}
	spin_unlock(&holdouts_lock);
	spin_unlock(&tasklist_lock);
}

/* Removes the holdouts that have been at a quiescent point. True if some remain. */
static bool holdouts_left(void)
{
	struct task_struct *p, *n;

	list_for_each_entry_safe (p, n, &holdouts, rcu_tasks_node) {
		/* LAB 6: A task that sleeps has passed a quiescent point, too. */
		if (smp_load_acquire(&p->rcu_tasks_holdout) && is_runnable(p))
			continue;
		WRITE_ONCE(p->rcu_tasks_holdout, false);
		spin_lock(&holdouts_lock);
		list_del(&p->rcu_tasks_node);
		spin_unlock(&holdouts_lock);
		put_task_struct(p);
		/* END LAB 6 */
	}
	return !list_empty(&holdouts);
}

static void report_stall(void)
{
	struct task_struct *p;

	trace_rcu_stall_warning(tracepoint_string("rcu_tasks"), tracepoint_string("StallDetected"));
	pr_err("INFO: rcu_tasks detected stalls on tasks:\n");
	list_for_each_entry (p, &holdouts, rcu_tasks_node) {
		bool running = READ_ONCE(p->on_cpu);

		pr_err("%s/%d: %c%s nvcsw: %lu/%lu holdout: %d cpu: %u\n", p->comm, p->pid,
		       task_state_to_char(p), running ? "." : " ", p->rcu_tasks_nvcsw,
		       READ_ONCE(p->nvcsw), READ_ONCE(p->rcu_tasks_holdout), READ_ONCE(p->cpu));
		if (running)
			smp_backtrace_cpu(READ_ONCE(p->cpu));
		else
			show_stack_task(p);
	}
	spin_lock_irq(&rcu_tasks.lock);
	rcu_tasks.stats.stalls++;
	spin_unlock_irq(&rcu_tasks.lock);
}

/*
 * Counts the time that this function has asked to sleep, not the clock: a host that stops the
 * machine for a while is no stall.
 */
static void wait_for_holdouts(void)
{
	unsigned poll = POLL_FIRST_MS, waited = 0;

	/* Often the only holdout is the caller, which is about to sleep until we have finished. */
	for (unsigned i = 0; i < FIRST_TRIES && holdouts_left(); i++)
		yield();
	while (holdouts_left()) {
		unsigned timeout = READ_ONCE(rcu_task_stall_timeout);

		set_current_state(TASK_IDLE);
		schedule_timeout(poll * NSEC_PER_MSEC);
		waited += poll;
		poll = min(2 * poll, POLL_LAST_MS);
		if (timeout && waited >= timeout && holdouts_left()) {
			report_stall();
			waited = 0;
		}
	}
}

static void rcu_tasks_grace_period(void)
{
	mutex_lock(&grace_period_mutex);
	/*
	 * LAB 6: The four steps from the top of this file. Each one needs the one before it.
	 * Starts as:
	 * (void)do_nothing;
	 * (void)find_holdouts;
	 * (void)wait_for_holdouts;
	 * synchronize_sched();
	 */
	on_each_cpu(do_nothing, NULL, true);
	find_holdouts();
	wait_for_holdouts();
	synchronize_sched();
	/* END LAB 6 */
	mutex_unlock(&grace_period_mutex);
}

void call_rcu_tasks(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	rcu_queue_callback(&rcu_tasks, head, func);
}
EXPORT_SYMBOL_GPL(call_rcu_tasks);

void synchronize_rcu_tasks(void)
{
	if (READ_ONCE(rcu_tasks.kthread))
		rcu_wait_for_callback(&rcu_tasks);
	else /* boot: without the kthread the caller itself waits */
		rcu_tasks_grace_period();
}
EXPORT_SYMBOL_GPL(synchronize_rcu_tasks);

void rcu_barrier_tasks(void)
{
	rcu_wait_for_callback(&rcu_tasks);
}

void rcu_tasks_stats(struct rcu_callback_stats *stats)
{
	rcu_read_stats(&rcu_tasks, stats);
}

void rcu_tasks_for_each_holdout(void (*fn)(void *data, const struct task_struct *task), void *data)
{
	struct task_struct *p;

	spin_lock(&holdouts_lock);
	list_for_each_entry (p, &holdouts, rcu_tasks_node)
		fn(data, p);
	spin_unlock(&holdouts_lock);
}

static int __init rcu_tasks_init(void)
{
	rcu_start_kthread(&rcu_tasks);
	return 0;
}
core_initcall(rcu_tasks_init);
