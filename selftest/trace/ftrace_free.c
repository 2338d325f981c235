/*
 * Self-test of when a trampoline is freed. Tasks are preempted inside a callback, and a task of
 * higher priority keeps them off their CPU while the ops is unregistered. The tasks will return
 * into the trampoline, so the trampoline must stay until the last task has left it.
 */
#include "arch/patch/text_alias.h"
#include "arch/patch/text_area.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/time/timer.h"
#include "trace/ftrace/trampoline.h"

#define INT3  0xcc
#define TASKS 4U

struct callers {
	struct ftrace_ops *ops;
	atomic_t inside; /* tasks that have entered the callback */
	atomic_t back;   /* tasks that have returned through the trampoline */
	bool may_leave[TASKS];
	bool stop_pushing;
	bool unregistered;
	int error;
};

static struct callers *callers; /* in the test that is running */

/* Spins until its task may leave. Preemptible, because the ops has no FTRACE_OPS_FL_RECURSION. */
static void stay_inside(unsigned long ip __unused, unsigned long parent_ip __unused,
			struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	u64 index = ftrace_get_argument(fregs, 0);

	atomic_inc(&callers->inside);
	while (!READ_ONCE(callers->may_leave[index]))
		cpu_relax();
}

static void enter(void *arg, unsigned index)
{
	struct callers *l = arg;

	if (ftrace_target_add(index, 1) == index + 1)
		atomic_inc(&l->back);
}

/*
 * Keeps tasks of lower priority off its CPU: its policy is SCHED_FIFO. Calls cond_resched() in each
 * turn, so it does not hold up a grace period of RCU-tasks itself.
 */
static void keep_others_off(void *arg, unsigned index __unused)
{
	struct callers *l = arg;

	if (num_online_cpus() > 1)
		sched_setscheduler(current, SCHED_FIFO, 10);
	while (!READ_ONCE(l->stop_pushing))
		cond_resched();
}

static void unregister(void *arg, unsigned index __unused)
{
	struct callers *l = arg;

	l->error = unregister_ftrace_function(l->ops);
	WRITE_ONCE(l->unregistered, true);
}

static bool is_present(unsigned long trampoline)
{
	return is_text_address(trampoline) && *(const u8 *)trampoline != INT3;
}

/* Lets the tasks leave one after the other. The trampoline must stay meanwhile. */
static void let_tasks_leave(struct selftest *test, struct callers *l, unsigned long trampoline)
{
	for (unsigned i = 0; i < TASKS; i++) {
		msleep(30);
		EXPECT(!READ_ONCE(l->unregistered));
		EXPECT(is_present(trampoline));
		EXPECT_EQ(atomic_read(&l->back), i);
		WRITE_ONCE(l->may_leave[i], true);
		while (atomic_read(&l->back) == (int)i)
			yield();
	}
}

SELFTEST(ftrace_free, a_trampoline_stays_until_each_preempted_task_has_left_it)
{
	struct callers l = { .ops = kzalloc(sizeof(*l.ops), GFP_KERNEL) };
	struct test_group tasks, pushers, remover;
	struct text_area_stats before, after;
	unsigned long trampoline;

	ASSERT(l.ops);
	callers = &l;
	text_area_stats_read(&before);
	l.ops->func = stay_inside;
	ASSERT(ftrace_set_filter_ip(l.ops, (unsigned long)ftrace_target_add, false, true) == 0);
	ASSERT(register_ftrace_function(l.ops) == 0);
	trampoline = l.ops->trampoline->address;
	EXPECT(is_present(trampoline));

	/* All tasks share one CPU: at most one runs, and the others are preempted inside. */
	ASSERT(test_group_start(&tasks, TASKS, nth_online_cpu(1), enter, &l));
	while (atomic_read(&l.inside) < (int)TASKS)
		yield();
	/* With more than one CPU, none of the tasks runs from now on. */
	ASSERT(test_group_start(&pushers, 1, nth_online_cpu(1), keep_others_off, &l));
	ASSERT(test_group_start(&remover, 1, nth_online_cpu(0), unregister, &l));
	while (READ_ONCE(l.ops->flags) & FTRACE_OPS_FL_ENABLED)
		yield();
	msleep(100);
	EXPECT(!READ_ONCE(l.unregistered));
	EXPECT(is_present(trampoline));
	/* The site is a nop again: a new call does not enter the callback. */
	EXPECT_EQ(ftrace_target_add(1, 1), 2);
	WRITE_ONCE(l.stop_pushing, true);
	test_group_wait(&pushers);

	let_tasks_leave(test, &l, trampoline);
	test_group_wait(&tasks);
	test_group_wait(&remover);
	EXPECT_EQ(l.error, 0);
	EXPECT(!is_present(trampoline));
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	text_area_stats_read(&after);
	EXPECT_EQ(after.bytes, before.bytes);
	ftrace_free_filter(l.ops);
	kfree(l.ops);
}
