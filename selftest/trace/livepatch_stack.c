/*
 * Self-tests of reliable stack traces for live patching: a trace is complete, or is reported as
 * unreliable.
 */
#include "arch/unwind/stacktrace.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/time/timer.h"
#include "trace/fgraph/fgraph.h"
#include "trace/livepatch/internal.h"

/* A walk that searches a stack for function. */
struct walk {
	unsigned long function;
	bool found;
	bool asleep, ran; /* the task sleeps; it was on a CPU, so it was not walked */
	int result;
};

static int find_function(void *arg, unsigned long ip)
{
	struct walk *walk = arg;
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (kallsyms_lookup(ip - 1, NULL, &offset, name) && ip - 1 - offset == walk->function)
		walk->found = true;
	return 0;
}

static void walk_locked(struct task_struct *p, bool asleep, void *arg)
{
	struct walk *walk = arg;

	walk->asleep = asleep;
	walk->ran = READ_ONCE(p->on_cpu);
	if (!walk->ran)
		walk->result = arch_stack_walk_reliable(p, find_function, walk);
}

static struct walk walk_task(struct task_struct *p, void *function)
{
	struct walk walk = { .function = (unsigned long)function };

	if (p == current)
		walk.result = arch_stack_walk_reliable(p, find_function, &walk);
	else
		task_call_func(p, walk_locked, &walk);
	return walk;
}

/* ---- reliable ---- */

static void walk_from_here(void *arg)
{
	*(struct walk *)arg = walk_task(current, ftrace_target_call);
}

SELFTEST(livepatch_stack, the_stack_of_the_current_task_is_reliable)
{
	struct walk walk = walk_task(current, ftrace_target_call);

	EXPECT_EQ(walk.result, 0);
	EXPECT(!walk.found);
	ftrace_target_call(walk_from_here, &walk);
	EXPECT_EQ(walk.result, 0);
	EXPECT(walk.found);
}

static void count_unknown(struct task_struct *p, void *arg)
{
	struct walk walk;

	if (p == current)
		return;
	walk = walk_task(p, NULL);
	if (walk.asleep && walk.result)
		++*(unsigned *)arg;
}

SELFTEST(livepatch_stack, the_stack_of_each_sleeping_task_is_reliable)
{
	unsigned unknown = 0;

	for_all_tasks(count_unknown, &unknown);
	EXPECT_EQ(unknown, 0);
}

static int do_nothing(void *unused __unused)
{
	return 0;
}

SELFTEST(livepatch_stack, the_stack_of_a_task_that_has_not_begun_is_reliable)
{
	struct task_struct *task = kthread_create(do_nothing, NULL, "not begun");

	ASSERT(!IS_ERR(task));
	EXPECT_EQ(walk_task(task, NULL).result, 0);
	kthread_stop(task);
}

/* A task that sleeps in ftrace_target_call(). */
struct sleeper {
	struct task_struct *task;
	bool inside, leave;
};

static void sleep_inside(void *arg)
{
	struct sleeper *s = arg;

	WRITE_ONCE(s->inside, true);
	while (!READ_ONCE(s->leave))
		msleep(2);
}

static void sleep_in_target(void *arg, unsigned index __unused)
{
	struct sleeper *s = arg;

	s->task = current;
	ftrace_target_call(sleep_inside, s);
}

static unsigned graph_entries;

static int graph_entry(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops __unused,
		       struct ftrace_regs *fregs __unused)
{
	graph_entries++;
	return 1;
}

static void graph_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops __unused,
			 struct ftrace_regs *fregs __unused)
{
}

SELFTEST(livepatch_stack, replaced_return_addresses_are_resolved)
{
	static struct fgraph_ops graph = { .entryfunc = graph_entry, .retfunc = graph_return };
	struct sleeper s = { .task = NULL };
	struct test_group group;
	unsigned known = 0;

	ASSERT(ftrace_set_filter_ip(&graph.ops, (unsigned long)ftrace_target_call, false, true) ==
	       0);
	graph_entries = 0;
	ASSERT(register_ftrace_graph(&graph) == 0);
	ASSERT(test_group_start(&group, 1, ANY_CPU, sleep_in_target, &s));
	while (!READ_ONCE(s.inside))
		msleep(1);
	EXPECT_EQ(graph_entries, 1);
	while (known < 10) {
		struct walk walk = walk_task(s.task, ftrace_target_call);

		if (walk.asleep) {
			EXPECT_EQ(walk.result, 0);
			EXPECT(walk.found);
			known++;
		}
		msleep(1);
	}
	WRITE_ONCE(s.leave, true);
	test_group_wait(&group);
	unregister_ftrace_graph(&graph);
	ftrace_free_filter(&graph.ops);
}

/* ---- unreliable ---- */

#define SPINNERS 2U /* on one CPU, so one of them does not run */

struct spinners {
	struct task_struct *tasks[SPINNERS];
	void (*spin)(struct spinners *s);
	bool stop;
};

static struct spinners spinners;

/* An interrupt preempts it at any instruction. */
static void spin(struct spinners *s)
{
	while (!READ_ONCE(s->stop))
		cpu_relax();
}

/* A call of the scheduler preempts it, as preempt_enable() does. */
static noinline void spin_and_be_preempted(struct spinners *s)
{
	while (!READ_ONCE(s->stop))
		preempt_schedule();
}

static void spin_in_target(struct spinners *s __unused)
{
	ftrace_target_other();
}

static void spin_in_callback(unsigned long ip __unused, unsigned long parent_ip __unused,
			     struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	spin_and_be_preempted(&spinners);
}

static void run_spinner(void *arg, unsigned index)
{
	struct spinners *s = arg;

	smp_store_release(&s->tasks[index], current);
	s->spin(s);
}

static void start_spinners(struct selftest *test, struct test_group *group,
			   void (*fn)(struct spinners *s))
{
	spinners = (struct spinners){ .spin = fn };
	ASSERT(test_group_start(group, SPINNERS, nth_online_cpu(1), run_spinner, &spinners));
	for (unsigned i = 0; i < SPINNERS; i++)
		while (!smp_load_acquire(&spinners.tasks[i]))
			msleep(1);
}

static void stop_spinners(struct test_group *group)
{
	WRITE_ONCE(spinners.stop, true);
	test_group_wait(group);
}

/* Walks each spinner times times while it is off its CPU. Returns how many walks gave result. */
static unsigned walk_spinners(unsigned times, int result)
{
	unsigned walks[SPINNERS] = { 0 }, count = 0, done = 0;

	while (done < SPINNERS) {
		done = 0;
		for (unsigned i = 0; i < SPINNERS; i++) {
			struct walk walk = walk_task(spinners.tasks[i], ftrace_target_other);

			if (!walk.ran) {
				walks[i]++;
				count += walk.result == result;
			}
			done += walks[i] >= times;
		}
		msleep(1);
	}
	return count;
}

SELFTEST(livepatch_stack, the_stack_of_an_interrupted_task_is_unreliable)
{
	struct test_group group;

	start_spinners(test, &group, spin);
	EXPECT_EQ(walk_spinners(20, 0), 0);
	stop_spinners(&group);
}

SELFTEST(livepatch_stack, the_stack_of_a_task_that_called_the_scheduler_is_reliable)
{
	struct test_group group;

	start_spinners(test, &group, spin_and_be_preempted);
	while (!walk_spinners(1, 0))
		;
	stop_spinners(&group);
}

/* A trampoline is on the stack, and the walk cannot see where the trampoline will return to. */
SELFTEST(livepatch_stack, the_stack_of_a_task_in_a_callback_is_unreliable)
{
	static struct ftrace_ops alone = { .func = spin_in_callback };
	static struct ftrace_ops regs = { .func = spin_in_callback,
					  .flags = FTRACE_OPS_FL_SAVE_REGS };
	struct ftrace_ops *users[] = { &alone,
				       &regs }; /* the second one makes the site call the list */
	struct test_group group;

	for (unsigned i = 0; i < ARRAY_SIZE(users); i++) {
		ASSERT(ftrace_set_filter_ip(users[i], (unsigned long)ftrace_target_other, false,
					    true) == 0);
		ASSERT(register_ftrace_function(users[i]) == 0);
		start_spinners(test, &group, spin_in_target);
		EXPECT_EQ(walk_spinners(50, 0), 0);
		stop_spinners(&group);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(users); i++) {
		EXPECT(unregister_ftrace_function(users[i]) == 0);
		ftrace_free_filter(users[i]);
	}
}

/* ---- functions with a cold part ---- */

SELFTEST(livepatch_stack, the_cold_part_of_a_function_belongs_to_the_function)
{
	static const struct klp_code code = { 0x1000, 0x1100, 0x8000, 0x8010 };
	struct klp_func func = { .old_name = "rb_erase", .new_func = ftrace_target_other };
	const struct klp_object image = { .funcs = &func };
	unsigned long cold = kallsyms_lookup_name("rb_erase.cold");

	EXPECT(klp_code_has_call(&code, 0x1100) && !klp_code_has_call(&code, 0x1000));
	EXPECT(klp_code_has_call(&code, 0x8010) && !klp_code_has_call(&code, 0x8000));
	EXPECT(!klp_code_has_call(&code, 0x1101) && !klp_code_has_call(&code, 0x8011));
	ASSERT(klp_init_func(&image, &func) == 0);
	EXPECT_EQ(func.old_code.start, kallsyms_lookup_name("rb_erase"));
	EXPECT_EQ(func.old_code.cold_start, cold);
	EXPECT(cold ? func.old_code.cold_end > cold : !func.old_code.cold_end);
}
