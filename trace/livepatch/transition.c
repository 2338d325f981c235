/*
 * A transition switches each task from the old functions to the new ones, or back, at a moment when
 * the task is inside none of the functions that it leaves.
 *
 * Invariant: before this moment a task calls none of the new functions; after it, all of them. So a
 * patch may change what its functions assume about each other. When a task can switch depends on
 * its state:
 *
 *	sleeping	now; another task checks its stack, under the task's lock
 *	off its CPU	the same, if the task called the scheduler itself (preempt_enable)
 *	interrupted	not now: it may be before a function's first instruction, or in a
 *			trampoline on the way to a function
 *	running		at its next system call, schedule(), yield() or cond_resched(); it checks
 *			its own stack (kernel/sched/quiescent.h)
 *	idle		the same, in each turn of the idle loop; the CPU is woken for this
 *	new		inherits its parent's state
 *	dead		now: it calls no functions any more
 *
 * Nothing tells when the remaining tasks can switch. So work tries them again after 10 ms, 20 ms
 * ... and then each second, until all have switched.
 *
 * Interrupts and NMIs use the state of the task that they interrupt.
 *
 * Ordering. patch_state is set for all tasks before a function is in transition, and reset after a
 * grace period in which no handler sees a function in transition. A task checks itself with
 * preemption off, from its read of patch_pending to its write of patch_state. A reversal first
 * clears patch_pending and waits for a grace period, and only then changes the target.
 */
#include "arch/unwind/stacktrace.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/smp.h"
#include "trace/livepatch/internal.h"

#define RETRY_FIRST_NS (10 * NSEC_PER_MSEC) /* doubled each time */
#define RETRY_LAST_NS  NSEC_PER_SEC

struct klp_patch *klp_transition_patch;
static int klp_target_state = KLP_UNDEFINED; /* [klp_mutex] to write, while no task is pending */
static struct delayed_work retry_work;       /* [klp_mutex] */
static u64 retry_delay;                      /* [klp_mutex] */
static DECLARE_WAIT_QUEUE_HEAD(transition_end);

/* ---- one task ---- */

static int check_address(void *patch, unsigned long return_address)
{
	const struct klp_object *obj;
	const struct klp_func *func;

	klp_for_each_loaded_func ((struct klp_patch *)patch, obj, func)
		if (klp_code_has_call(func->leaves, return_address))
			return -EAGAIN;
	return 0;
}

/* Writes patch_state first: a reader that sees patch_pending clear relies on the new state. */
static void switch_task(struct task_struct *p)
{
	WRITE_ONCE(p->patch_state, klp_target_state);
	smp_store_release(&p->patch_pending, false);
}

/* Switches p if it is inside none of the functions. p's stack must not change during the call. */
static bool check_and_switch(struct task_struct *p)
{
	if (!READ_ONCE(p->patch_pending))
		return true;
	if (p->__state != TASK_DEAD &&
	    arch_stack_walk_reliable(p, check_address, klp_transition_patch))
		return false;
	switch_task(p);
	return true;
}

/* klp_sched_try_switch_hook */
static void klp_switch_current(void)
{
	preempt_disable();
	check_and_switch(current);
	preempt_enable();
}

/* Tries a task that is not current. P and R held. */
static void switch_other(struct task_struct *p, bool asleep __unused, void *unused __unused)
{
	if (!READ_ONCE(p->on_cpu))
		check_and_switch(p);
}

/* True for the idle task of a CPU that is not online and never will be. */
static bool is_absent(const struct task_struct *p)
{
	return (p->flags & PF_IDLE) && !cpu_online(p->cpu);
}

static void force_task(struct task_struct *p, void *unused __unused)
{
	switch_task(p);
}

struct stragglers {
	unsigned tasks;
	struct cpumask idle; /* CPUs with idle tasks among the stragglers */
};

static void try_switch(struct task_struct *p, void *arg)
{
	struct stragglers *left = arg;

	if (p == current)
		klp_switch_current();
	else if (is_absent(p))
		switch_task(p);
	else
		task_call_func(p, switch_other, NULL);
	if (!READ_ONCE(p->patch_pending))
		return;
	left->tasks++;
	if (p->flags & PF_IDLE)
		cpumask_set_cpu(p->cpu, &left->idle);
}

/* ---- all tasks ---- */

static void set_undefined(struct task_struct *p, void *unused __unused)
{
	WRITE_ONCE(p->patch_state, KLP_UNDEFINED);
}

static void set_initial(struct task_struct *p, void *unused __unused)
{
	WRITE_ONCE(p->patch_state, !klp_target_state);
}

static void set_pending(struct task_struct *p, void *unused __unused)
{
	if (p->patch_state == klp_target_state)
		return;
	WRITE_ONCE(p->patch_pending, true);
	smp_mb(); /* p sees the flag on its next way to user mode, or we see it running */
	kick_process(p);
}

static void clear_pending(struct task_struct *p, void *unused __unused)
{
	WRITE_ONCE(p->patch_pending, false);
}

static const char *transition_name(void)
{
	return klp_target_state == KLP_PATCHED ? "patching" : "unpatching";
}

void klp_init_transition(struct klp_patch *patch, int state)
{
	const struct klp_object *obj;
	struct klp_func *func;

	WRITE_ONCE(klp_transition_patch, patch);
	klp_target_state = state;
	for_all_tasks(set_initial, NULL);
	smp_wmb(); /* a handler that sees a function in transition also sees patch_state */
	klp_for_each_loaded_func (patch, obj, func)
		WRITE_ONCE(func->transition, true);
}

static void set_leaves(struct klp_func *func)
{
	func->leaves = klp_target_state == KLP_PATCHED ? klp_replaced_code(func) : &func->new_code;
}

void klp_join_transition(struct klp_func *func)
{
	set_leaves(func);
	WRITE_ONCE(func->transition, true);
}

void klp_start_transition(void)
{
	const struct klp_object *obj;
	struct klp_func *func;

	klp_for_each_loaded_func (klp_transition_patch, obj, func)
		set_leaves(func);
	pr_notice("livepatch: '%s': starting %s transition\n", klp_transition_patch->name,
		  transition_name());
	for_all_tasks(set_pending, NULL);
	retry_delay = RETRY_FIRST_NS;
}

/* Ends the transition, after all tasks have switched. */
static void complete_transition(void)
{
	struct klp_patch *patch = klp_transition_patch;
	const struct klp_object *obj;
	struct klp_func *func;

	if (klp_target_state == KLP_UNPATCHED) {
		klp_for_each_loaded_func (patch, obj, func)
			patch->forced |= klp_unpatch_func(func) != 0;
		synchronize_rcu_tasks();
		klp_free_unpatched();
	}
	klp_for_each_loaded_func (patch, obj, func)
		WRITE_ONCE(func->transition, false);
	if (klp_target_state == KLP_PATCHED)
		synchronize_rcu_tasks();
	for_all_tasks(set_undefined, NULL);
	pr_notice("livepatch: '%s': %s complete\n", patch->name, transition_name());
	klp_target_state = KLP_UNDEFINED;
	WRITE_ONCE(klp_transition_patch, NULL);
	wake_up_all(&transition_end);
}

void klp_wait_for_transition(void)
{
	wait_event(transition_end, !READ_ONCE(klp_transition_patch));
}

void klp_cancel_transition(void)
{
	klp_target_state = KLP_UNPATCHED;
	complete_transition();
}

void klp_try_complete_transition(void)
{
	struct klp_patch *patch = klp_transition_patch;
	struct stragglers left = { 0 };
	unsigned cpu;

	for_all_tasks(try_switch, &left);
	if (left.tasks) {
		for_each_cpu (cpu, &left.idle)
			resched_cpu(cpu); /* makes the idle loop turn once */
		mod_delayed_work(&retry_work, retry_delay);
		retry_delay = min(2 * retry_delay, RETRY_LAST_NS);
		return;
	}
	complete_transition();
	if (!patch->enabled)
		klp_free_patch(patch);
}

static void retry(struct work_struct *work __unused)
{
	mutex_lock(&klp_mutex);
	if (klp_transition_patch)
		klp_try_complete_transition();
	mutex_unlock(&klp_mutex);
}

void klp_reverse_transition(void)
{
	struct klp_patch *patch = klp_transition_patch;

	pr_notice("livepatch: '%s': reversing transition from %s\n", patch->name,
		  klp_target_state == KLP_PATCHED ? "patching to unpatching"
						  : "unpatching to patching");
	for_all_tasks(clear_pending, NULL);
	synchronize_rcu_tasks(); /* no task checks itself with the old target any more */
	WRITE_ONCE(patch->enabled, !patch->enabled);
	klp_target_state = !klp_target_state;
	klp_start_transition();
	klp_try_complete_transition();
}

void klp_force_transition(void)
{
	pr_warn("livepatch: forcing remaining tasks to the %s state\n",
		klp_target_state == KLP_PATCHED ? "patched" : "unpatched");
	/* Tasks may be inside the new functions for ever. */
	if (klp_target_state == KLP_UNPATCHED)
		klp_transition_patch->forced = true;
	for_all_tasks(force_task, NULL);
	klp_try_complete_transition();
}

static int __init klp_transition_init(void)
{
	INIT_DELAYED_WORK(&retry_work, retry);
	klp_sched_try_switch_hook = klp_switch_current;
	return 0;
}
early_initcall(klp_transition_init);
