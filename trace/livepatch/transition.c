/*
 * The transition: each task goes from the old functions to the new ones, or back, at a moment when
 * it is in none of those that it goes away from.
 *
 * What must hold: from its moment on a task calls the new functions, all of them, and before it
 * none of them. So a patch may change what functions assume of each other. The moment is:
 *
 *	sleeping	now, by its stack, looked at from outside under the task's lock
 *	off its CPU	the same, if it went by a call (preempt_enable)
 *	interrupted	not now: it may stand before a function's first instruction, or in a
 *			trampoline on the way to one
 *	running		when it next gives up the CPU of its own will, by its own stack:
 *			schedule(), yield(), cond_resched()
 *	idle		the same, each time round the idle loop; the CPU is woken for it
 *	new		begins where its maker is
 *	dead		now: it calls nobody any more
 *
 * Nobody knows when those that cannot go over now will be able to: they are asked again, after
 * 10 ms, 20 ms ... and then each second, for as long as it takes.
 *
 * Interrupts and NMIs call the functions of the task that they interrupt.
 *
 * The order of things. patch_state is set for all tasks before a function is in transition, and
 * taken away after a grace period in which no handler sees one that is. A task's own check runs
 * with preemption off from reading patch_pending to writing patch_state; who turns a transition
 * round takes patch_pending away and waits for a grace period, before he changes what is asked.
 */
#include "arch/stacktrace.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "trace/livepatch/internal.h"

#define RETRY_FIRST_NS (10 * NSEC_PER_MSEC) /* doubled each time */
#define RETRY_LAST_NS  NSEC_PER_SEC

struct klp_patch *klp_transition_patch;
static int klp_target_state = KLP_UNDEFINED; /* [klp_mutex] to write, while nobody is asked */
static struct delayed_work retry_work;       /* [klp_mutex] */
static u64 retry_delay;                      /* [klp_mutex] */
static DECLARE_WAIT_QUEUE_HEAD(transition_end);

void klp_synchronize_transition(void)
{
	synchronize_rcu_tasks(); /* callbacks; and what runs with preemption off */
}

/* ---- one task ---- */

static int check_address(void *patch, unsigned long return_address)
{
	const struct klp_func *func;

	klp_for_each_func ((struct klp_patch *)patch, func)
		if (klp_code_has_call(func->leaves, return_address))
			return -EAGAIN;
	return 0;
}

/* In this order: who sees that p is not asked any more takes it for gone over. */
static void switch_task(struct task_struct *p)
{
	WRITE_ONCE(p->patch_state, klp_target_state);
	smp_store_release(&p->patch_pending, false);
}

/* p, whose stack lies still, goes over if it is in none of the functions. */
static bool check_and_switch(struct task_struct *p)
{
	if (!READ_ONCE(p->patch_pending))
		return true;
	if (p->state != TASK_DEAD &&
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

/* P and R held: it is not current. */
static void switch_other(struct task_struct *p, bool asleep __unused, void *unused __unused)
{
	if (!READ_ONCE(p->on_cpu))
		check_and_switch(p);
}

/* An idle task whose CPU has never come, and never will. */
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
	struct cpumask idle; /* CPUs whose idle tasks are among them */
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
	if (p->patch_state != klp_target_state)
		WRITE_ONCE(p->patch_pending, true);
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
	struct klp_func *func;

	WRITE_ONCE(klp_transition_patch, patch);
	klp_target_state = state;
	for_all_tasks(set_initial, NULL);
	smp_wmb(); /* a handler that sees a function in transition sees the task's state */
	klp_for_each_func (patch, func)
		WRITE_ONCE(func->transition, true);
}

void klp_start_transition(void)
{
	struct klp_func *func;

	klp_for_each_func (klp_transition_patch, func)
		func->leaves =
			klp_target_state == KLP_PATCHED ? klp_replaced_code(func) : &func->new_code;
	pr_notice("livepatch: '%s': starting %s transition\n", klp_transition_patch->name,
		  transition_name());
	for_all_tasks(set_pending, NULL);
	retry_delay = RETRY_FIRST_NS;
}

/* All tasks are on one side. */
static void complete_transition(void)
{
	struct klp_patch *patch = klp_transition_patch;
	struct klp_func *func;

	if (klp_target_state == KLP_UNPATCHED) {
		klp_for_each_func (patch, func)
			patch->forced |= klp_unpatch_func(func) != 0;
		klp_synchronize_transition();
		klp_free_unpatched();
	}
	klp_for_each_func (patch, func)
		WRITE_ONCE(func->transition, false);
	if (klp_target_state == KLP_PATCHED)
		klp_synchronize_transition();
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
			resched_cpu(cpu); /* once round its loop */
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
	klp_synchronize_transition();
	WRITE_ONCE(patch->enabled, !patch->enabled);
	klp_target_state = !klp_target_state;
	klp_start_transition();
	klp_try_complete_transition();
}

void klp_force_transition(void)
{
	pr_warn("livepatch: forcing remaining tasks to the %s state\n",
		klp_target_state == KLP_PATCHED ? "patched" : "unpatched");
	/* They may be in the new functions for ever. */
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
