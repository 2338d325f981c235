/*
 * Self-tests of live patching. A task calls either all old or all new functions. It switches when
 * no function that it leaves is on its stack.
 */
#include "kernel/errno.h"
#include "kernel/rcu/rcu.h"
#include "kernel/rcu/rcu_stats.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/memory.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"
#include "trace/livepatch/internal.h"

#define NEW 1000 /* the new functions add this to their results */

static noinline unsigned new_add(unsigned a, unsigned b)
{
	return a + b + NEW;
}

static noinline unsigned newer_add(unsigned a, unsigned b)
{
	return a + b + 2 * NEW;
}

static noinline unsigned new_multiply(unsigned a, unsigned b)
{
	return a * b + NEW;
}

static noinline void new_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	barrier(); /* prevents a tail call, so new_call() stays on the stack */
}

static struct klp_func funcs[] = {
	{ .old_name = "ftrace_target_add", .new_func = new_add },
	{ .old_name = "ftrace_target_multiply", .new_func = new_multiply },
	{ .old_name = "ftrace_target_call", .new_func = new_call },
	{},
};
static struct klp_object objs[] = { { .funcs = funcs }, {} };
static struct klp_patch patch = { .name = "selftest", .objs = objs };

static struct klp_func newer_funcs[] = {
	{ .old_name = "ftrace_target_add", .new_func = newer_add },
	{},
};
static struct klp_object newer_objs[] = { { .funcs = newer_funcs }, {} };
static struct klp_patch newer = { .name = "selftest_newer", .objs = newer_objs };

static bool add_is_new(void)
{
	return ftrace_target_add(1, 2) == 3 + NEW;
}

static bool multiply_is_new(void)
{
	return ftrace_target_multiply(2, 3) == 6 + NEW;
}

/* Waits for the transition, releases the patch and checks that no site is changed any more. */
static void wait_for_release(struct selftest *test, struct klp_patch *p)
{
	static void *const sites[] = { ftrace_target_add, ftrace_target_multiply,
				       ftrace_target_call };

	klp_wait_for_transition();
	EXPECT_EQ(klp_release_patch(p), 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(sites); i++) {
		struct dyn_ftrace *rec = ftrace_location((unsigned long)sites[i]);

		if (!(rec->flags & FTRACE_REF_MASK))
			rec->flags &= ~FTRACE_FL_MODIFIED; /* other tests expect no flags */
		EXPECT(!(rec->flags & FTRACE_FL_IPMODIFY));
	}
}

struct states {
	int state;
	unsigned in_state, pending;
};

static void count_state(struct task_struct *p, void *arg)
{
	struct states *states = arg;

	states->in_state += READ_ONCE(p->patch_state) == states->state;
	states->pending += READ_ONCE(p->patch_pending);
}

/* Counts the tasks in a state. Idle tasks of CPUs that are not present have no state. */
static unsigned tasks_in_state(int state)
{
	struct states states = { .state = state };

	for_all_tasks(count_state, &states);
	return states.in_state;
}

static unsigned tasks_pending(void)
{
	struct states states = { .state = KLP_UNDEFINED };

	for_all_tasks(count_state, &states);
	return states.pending;
}

SELFTEST(livepatch, a_patch_replaces_functions_and_can_be_removed)
{
	struct klp_func *func;

	EXPECT_EQ(klp_release_patch(&patch), 0);
	ASSERT(klp_enable_patch(&patch) == 0);
	klp_wait_for_transition();
	EXPECT(add_is_new() && multiply_is_new());
	EXPECT_EQ(klp_release_patch(&patch), -EBUSY);
	EXPECT_EQ(klp_enable_patch(&patch), -EBUSY);
	klp_for_each_func (objs, func)
		EXPECT(ftrace_location((unsigned long)func->old_func)->flags & FTRACE_FL_IPMODIFY);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT_EQ(tasks_pending(), 0);
	EXPECT_EQ(tasks_in_state(KLP_PATCHED) + tasks_in_state(KLP_UNPATCHED), 0);

	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_release(test, &patch);
	EXPECT(!add_is_new() && !multiply_is_new());
	EXPECT_EQ(klp_disable_patch(&patch), -EINVAL);
	EXPECT_EQ(tasks_pending(), 0);
	EXPECT_EQ(tasks_in_state(KLP_PATCHED) + tasks_in_state(KLP_UNPATCHED), 0);
}

static u64 tasks_grace_periods(void)
{
	struct rcu_callback_stats stats;

	rcu_tasks_stats(&stats);
	return stats.grace_periods;
}

SELFTEST(livepatch, all_functions_of_a_patch_are_removed_in_one_grace_period)
{
	u64 before;

	ASSERT(klp_enable_patch(&patch) == 0);
	klp_wait_for_transition();
	rcu_barrier_tasks(); /* so that pending callbacks of other tests are not counted */
	before = tasks_grace_periods();
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	klp_wait_for_transition();
	EXPECT_EQ(tasks_grace_periods() - before, 1);
	wait_for_release(test, &patch);
}

/* ---- tasks ---- */

/* Tasks that call both functions repeatedly: all old or all new between two voluntary switches. */
struct callers {
	bool stop;
	atomic64_t old, new, mixed;
};

static void call_both(void *arg, unsigned index __unused)
{
	struct callers *callers = arg;

	while (!READ_ONCE(callers->stop)) {
		bool add = add_is_new();
		bool mixed = false;

		for (unsigned i = 0; i < 10; i++)
			mixed |= multiply_is_new() != add || add_is_new() != add;
		if (mixed)
			atomic64_inc(&callers->mixed);
		atomic64_inc(add ? &callers->new : &callers->old);
		cond_resched();
	}
}

/* A task that sleeps in ftrace_target_call(), old or new, and calls ftrace_target_add() there. */
struct sleeper {
	struct task_struct *task;
	bool inside, leave, add_after;
	unsigned old_inside, new_inside; /* calls of the old and of the new ftrace_target_add() */
};

static void sleep_inside(void *arg)
{
	struct sleeper *s = arg;

	WRITE_ONCE(s->inside, true);
	while (!READ_ONCE(s->leave)) {
		unsigned *count = add_is_new() ? &s->new_inside : &s->old_inside;

		WRITE_ONCE(*count, *count + 1);
		msleep(1);
	}
}

static void sleep_in_target(void *arg, unsigned index __unused)
{
	struct sleeper *s = arg;

	s->task = current;
	ftrace_target_call(sleep_inside, s);
	cond_resched(); /* no replaced function is on the stack: the task switches */
	s->add_after = add_is_new();
}

/* Starts the task, and waits until it is inside ftrace_target_call(). */
static bool start_sleeper(struct test_group *group, struct sleeper *s,
			  void (*fn)(void *arg, unsigned index))
{
	*s = (struct sleeper){ .task = NULL };
	if (!test_group_start(group, 1, ANY_CPU, fn, s))
		return false;
	while (!READ_ONCE(s->inside))
		msleep(1);
	return true;
}

static void end_sleeper(struct test_group *group, struct sleeper *s)
{
	WRITE_ONCE(s->leave, true);
	test_group_wait(group);
}

/* Waits until all other tasks have switched, and the sleeper was tried again. */
static void wait_for_last(const struct sleeper *s)
{
	unsigned calls;

	while (tasks_pending() > 1)
		msleep(1);
	calls = READ_ONCE(s->old_inside) + READ_ONCE(s->new_inside);
	while (READ_ONCE(s->old_inside) + READ_ONCE(s->new_inside) < calls + 20)
		msleep(1);
}

SELFTEST(livepatch, a_task_that_sleeps_in_an_old_function_does_not_switch_before_it_leaves)
{
	struct test_group group;
	struct sleeper s;

	ASSERT(start_sleeper(&group, &s, sleep_in_target));
	ASSERT(klp_enable_patch(&patch) == 0);
	wait_for_last(&s);
	EXPECT(klp_transition_patch == &patch);
	EXPECT_EQ(s.task->patch_state, KLP_UNPATCHED);
	EXPECT_EQ(current->patch_state, KLP_PATCHED);
	EXPECT(add_is_new() && multiply_is_new());
	EXPECT(s.old_inside && !s.new_inside);
	EXPECT_EQ(klp_enable_patch(&newer), -EBUSY);
	end_sleeper(&group, &s);
	EXPECT(s.add_after);
	EXPECT_EQ(s.new_inside, 0);
	klp_wait_for_transition();

	/* The same when the patch is disabled. */
	ASSERT(start_sleeper(&group, &s, sleep_in_target));
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_last(&s);
	EXPECT(klp_transition_patch == &patch && !patch.enabled);
	EXPECT_EQ(s.task->patch_state, KLP_PATCHED);
	EXPECT(!add_is_new() && !multiply_is_new());
	EXPECT(s.new_inside && !s.old_inside);
	EXPECT_EQ(klp_release_patch(&patch), -EBUSY);
	end_sleeper(&group, &s);
	EXPECT(!s.add_after);
	EXPECT_EQ(s.old_inside, 0);
	wait_for_release(test, &patch);
}

static int set_enabled(bool enabled)
{
	int error;

	mutex_lock(&klp_mutex);
	error = klp_set_enabled(&patch, enabled);
	mutex_unlock(&klp_mutex);
	return error;
}

SELFTEST(livepatch, a_transition_can_be_reversed)
{
	struct test_group group;
	struct sleeper s;

	/* Reverse an enabling transition: the sleeper has never switched. */
	ASSERT(start_sleeper(&group, &s, sleep_in_target));
	ASSERT(klp_enable_patch(&patch) == 0);
	wait_for_last(&s);
	EXPECT_EQ(set_enabled(true), -EINVAL);
	EXPECT_EQ(set_enabled(false), 0);
	wait_for_release(test, &patch);
	EXPECT(!add_is_new() && !multiply_is_new());
	end_sleeper(&group, &s);
	EXPECT(!s.add_after && !s.new_inside);

	/* Reverse a disabling transition. */
	ASSERT(klp_enable_patch(&patch) == 0);
	klp_wait_for_transition();
	ASSERT(start_sleeper(&group, &s, sleep_in_target));
	EXPECT_EQ(set_enabled(false), 0);
	wait_for_last(&s);
	EXPECT_EQ(set_enabled(false), -EINVAL);
	EXPECT_EQ(set_enabled(true), 0);
	klp_wait_for_transition();
	EXPECT(patch.enabled && add_is_new() && multiply_is_new());
	end_sleeper(&group, &s);
	EXPECT(s.add_after && !s.old_inside);
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_release(test, &patch);
}

SELFTEST(livepatch, tasks_that_call_all_the_time_never_mix_old_and_new_functions)
{
	static struct callers callers;
	struct test_group group, sleepers;
	struct sleeper s;

	callers = (struct callers){ .stop = false };
	ASSERT(test_group_start(&group, num_online_cpus() + 1, EACH_CPU, call_both, &callers));
	for (unsigned round = 0; round < 2; round++) {
		long seen;

		ASSERT(start_sleeper(&sleepers, &s, sleep_in_target));
		ASSERT(klp_enable_patch(&patch) == 0);
		end_sleeper(&sleepers, &s);
		klp_wait_for_transition();
		seen = atomic64_read(&callers.new);
		while (atomic64_read(&callers.new) == seen)
			yield();
		EXPECT_EQ(klp_disable_patch(&patch), 0);
		if (round % 2)
			set_enabled(true),
				set_enabled(false); /* reverses it twice, if it has not ended */
		wait_for_release(test, &patch);
		seen = atomic64_read(&callers.old);
		while (atomic64_read(&callers.old) == seen)
			yield();
	}
	WRITE_ONCE(callers.stop, true);
	test_group_wait(&group);
	EXPECT_EQ(atomic64_read(&callers.mixed), 0);
}

/* State of a task that was created inside ftrace_target_call(): it inherits its creator's state. */
static int inherited_state;
static bool inherited_pending;

static void look_at_state(void *arg __unused, unsigned index __unused)
{
	inherited_state = current->patch_state;
	inherited_pending = current->patch_pending;
}

static void create_task(void *arg)
{
	struct sleeper *s = arg;

	WRITE_ONCE(s->inside, true);
	while (!READ_ONCE(s->leave) || !current->patch_pending)
		msleep(1);
	inherited_state = KLP_UNDEFINED;
	run_threads(1, ANY_CPU, look_at_state, NULL);
}

static void create_in_target(void *arg, unsigned index __unused)
{
	ftrace_target_call(create_task, arg);
}

SELFTEST(livepatch, a_new_task_inherits_the_state_of_its_creator)
{
	struct test_group group;
	struct sleeper s;

	ASSERT(start_sleeper(&group, &s, create_in_target));
	ASSERT(klp_enable_patch(&patch) == 0);
	end_sleeper(&group, &s);
	EXPECT(inherited_state == KLP_UNPATCHED || inherited_state == KLP_PATCHED);
	EXPECT(inherited_state == KLP_PATCHED || inherited_pending);
	klp_wait_for_transition();
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_release(test, &patch);
}

SELFTEST(livepatch, force_switches_all_tasks)
{
	struct klp_patch forced = { .name = "selftest_forced", .objs = objs };
	struct test_group group;
	struct sleeper s;

	ASSERT(start_sleeper(&group, &s, sleep_in_target));
	ASSERT(klp_enable_patch(&forced) == 0);
	wait_for_last(&s);
	mutex_lock(&klp_mutex);
	klp_force_transition();
	mutex_unlock(&klp_mutex);
	EXPECT(!klp_transition_patch);
	while (!READ_ONCE(s.new_inside))
		msleep(1);
	end_sleeper(&group, &s);
	EXPECT(s.add_after);
	EXPECT(!forced.forced); /* a later walk still finds each task in a new function */

	ASSERT(start_sleeper(&group, &s, sleep_in_target));
	EXPECT_EQ(klp_disable_patch(&forced), 0);
	wait_for_last(&s);
	mutex_lock(&klp_mutex);
	klp_force_transition();
	mutex_unlock(&klp_mutex);
	EXPECT(!klp_transition_patch && !add_is_new());
	EXPECT_EQ(klp_release_patch(&forced), -EBUSY);
	EXPECT_EQ(klp_enable_patch(&forced), -EBUSY);
	end_sleeper(&group, &s);
	forced.forced = false; /* the sleeper has left the new functions */
	wait_for_release(test, &forced);
}

/* ---- several patches, several ops ---- */

SELFTEST(livepatch, the_newest_of_two_patches_is_called)
{
	const struct dyn_ftrace *rec = ftrace_location((unsigned long)ftrace_target_add);
	u32 users;

	ASSERT(klp_enable_patch(&patch) == 0);
	klp_wait_for_transition();
	users = rec->flags & FTRACE_REF_MASK;
	ASSERT(klp_enable_patch(&newer) == 0);
	klp_wait_for_transition();
	EXPECT_EQ(ftrace_target_add(1, 2), 3 + 2 * NEW);
	EXPECT(multiply_is_new());
	EXPECT_EQ(rec->flags & FTRACE_REF_MASK, users); /* one ops for both */

	/* Disable the newest patch; later, the one below it. */
	EXPECT_EQ(klp_disable_patch(&newer), 0);
	klp_wait_for_transition();
	EXPECT_EQ(klp_release_patch(&newer), 0);
	EXPECT(add_is_new());
	ASSERT(klp_enable_patch(&newer) == 0);
	klp_wait_for_transition();
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	klp_wait_for_transition();
	EXPECT_EQ(klp_release_patch(&patch), 0);
	EXPECT_EQ(ftrace_target_add(1, 2), 3 + 2 * NEW);
	EXPECT(!multiply_is_new());
	EXPECT_EQ(klp_disable_patch(&newer), 0);
	wait_for_release(test, &newer);
	EXPECT_EQ(ftrace_target_add(1, 2), 3);
}

static unsigned traced;

static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	traced++;
}

SELFTEST(livepatch, other_users_of_the_function_are_called_too)
{
	static struct ftrace_ops counter = { .func = count_call };
	static struct ftrace_ops regs = { .func = count_call, .flags = FTRACE_OPS_FL_SAVE_REGS };
	struct ftrace_ops *users[] = { &counter, &regs };

	ASSERT(klp_enable_patch(&patch) == 0);
	klp_wait_for_transition();
	for (unsigned i = 0; i < ARRAY_SIZE(users); i++) {
		ASSERT(ftrace_set_filter_ip(users[i], (unsigned long)ftrace_target_add, false,
					    true) == 0);
		ASSERT(register_ftrace_function(users[i]) == 0);
		traced = 0;
		EXPECT(add_is_new());
		EXPECT_EQ(traced, i + 1);
		EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	}
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	klp_wait_for_transition();
	traced = 0;
	EXPECT(!add_is_new());
	EXPECT_EQ(traced, 2);
	for (unsigned i = 0; i < ARRAY_SIZE(users); i++) {
		EXPECT(unregister_ftrace_function(users[i]) == 0);
		ftrace_free_filter(users[i]);
	}
	wait_for_release(test, &patch);
}

SELFTEST(livepatch, a_patch_and_another_ipmodify_user_exclude_each_other)
{
	static struct ftrace_ops direct = { .flags = FTRACE_OPS_FL_JMP };
	unsigned long multiply = (unsigned long)ftrace_target_multiply;

	ASSERT(ftrace_set_filter_ip(&direct, multiply, false, true) == 0);
	ASSERT(register_ftrace_direct(&direct, (unsigned long)ftrace_target_add) == 0);
	EXPECT_EQ(klp_enable_patch(&patch), -EPERM);
	EXPECT(!klp_transition_patch && !add_is_new()); /* the first function is unchanged, too */
	EXPECT_EQ(klp_release_patch(&patch), 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_direct(&direct) == 0);

	ASSERT(klp_enable_patch(&patch) == 0);
	EXPECT_EQ(register_ftrace_direct(&direct, (unsigned long)ftrace_target_add), -EPERM);
	klp_wait_for_transition();
	EXPECT_EQ(register_ftrace_direct(&direct, (unsigned long)ftrace_target_add), -EPERM);
	EXPECT(multiply_is_new());
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_release(test, &patch);
	ftrace_free_filter(&direct);
}

/* ---- errors ---- */

static int try_function(const char *old_name, void *new_func)
{
	struct klp_func f[] = {
		{ .old_name = "ftrace_target_add", .new_func = new_add },
		{ .old_name = old_name, .new_func = new_func },
		{},
	};
	struct klp_patch p = { .name = "selftest",
			       .objs = (struct klp_object[]){ { .funcs = f }, {} } };
	int error = klp_enable_patch(&p);

	if (!error) {
		klp_disable_patch(&p);
		klp_wait_for_transition();
	}
	return error;
}

SELFTEST(livepatch, a_patch_that_cannot_be_applied_is_refused_as_a_whole)
{
	static char data;
	struct klp_patch nameless = { .objs = objs }, slash = { .name = "a/b", .objs = objs };
	struct klp_patch empty = { .name = "empty",
				   .objs = (struct klp_object[]){
					   { .funcs = &funcs[ARRAY_SIZE(funcs) - 1] }, {} } };
	struct klp_patch twin = { .name = "selftest", .objs = newer_objs };

	EXPECT_EQ(klp_enable_patch(NULL), -EINVAL);
	EXPECT_EQ(klp_enable_patch(&nameless), -EINVAL);
	EXPECT_EQ(klp_enable_patch(&slash), -EINVAL);
	EXPECT_EQ(klp_enable_patch(&empty), -EINVAL);
	EXPECT_EQ(try_function("no_such_function", new_multiply), -EINVAL);
	EXPECT_EQ(try_function("ftrace_target_multiply", NULL), -EINVAL);
	EXPECT_EQ(try_function(NULL, new_multiply), -EINVAL);
	EXPECT_EQ(try_function("", new_multiply), -EINVAL);
	EXPECT_EQ(try_function("ftrace_target_multiply", &data), -EINVAL);
	EXPECT_EQ(try_function("ftrace_target_multiply", (u8 *)new_multiply + 1), -EINVAL);
	EXPECT_EQ(try_function("klp_enable_patch", new_multiply),
		  -EINVAL);                                               /* it has no call site */
	EXPECT_EQ(try_function("ftrace_target_add", newer_add), -EEXIST); /* twice */
	EXPECT(!klp_transition_patch && !add_is_new());
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);

	ASSERT(klp_enable_patch(&patch) == 0);
	klp_wait_for_transition();
	EXPECT_EQ(klp_enable_patch(&twin), -EEXIST);
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_release(test, &patch);
}

SELFTEST(livepatch, without_memory_nothing_is_changed)
{
	unsigned failures = 0;
	int error;

	/* Each attempt gets one page more than the one before, until one succeeds. */
	do {
		struct memory_taken taken;

		memory_take_all(&taken);
		for (unsigned i = 0; i < failures; i++)
			memory_give_page(&taken);
		error = klp_enable_patch(&patch);
		memory_give_back(&taken);
		if (!error)
			break;
		failures++;
		EXPECT(!klp_transition_patch && !add_is_new());
		EXPECT_EQ(klp_release_patch(&patch), 0);
		EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
		EXPECT_EQ(tasks_pending(), 0);
	} while (error == -ENOMEM);
	EXPECT_EQ(error, 0);
	EXPECT(failures > 0); /* selftest/trace/ftrace_memory.c refuses single allocations */
	klp_wait_for_transition();
	EXPECT(add_is_new());
	EXPECT_EQ(klp_disable_patch(&patch), 0);
	wait_for_release(test, &patch);
}
