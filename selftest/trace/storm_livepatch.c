/*
 * The storm over tracing: live patches that are enabled, disabled, and reversed during a
 * transition. A task must never call old and new functions between two points where it may switch.
 */
#include "fs/vfs/fs.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "trace/livepatch/livepatch.h"
#include "selftest/trace/cmdline_patch.h"
#include "selftest/trace/storm.h"
#include "selftest/trace/tracefs.h"

#define ENABLED CMDLINE_PATCH "/enabled"
#define CALLS   50U

/* The two functions have different code, because the compiler would merge equal ones. */
static noinline unsigned new_version(void)
{
	barrier();
	return 1;
}

static noinline unsigned new_same_version(void)
{
	static unsigned one = 1;

	return READ_ONCE(one);
}

static noinline void new_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	barrier(); /* prevents a tail call, so new_call() stays on the stack */
}

static struct klp_func funcs[] = {
	{ .old_name = "ftrace_target_version", .new_func = new_version },
	{ .old_name = "ftrace_target_same_version", .new_func = new_same_version },
	{ .old_name = "ftrace_target_call", .new_func = new_call },
	{},
};
static struct klp_patch patch = { .name = "storm",
				  .objs = (struct klp_object[]){ { .funcs = funcs }, {} } };

/* Runs inside ftrace_target_call(), which is patched, too: the task cannot switch between the
 * calls. */
static void compare_versions(void *sleep)
{
	unsigned version = ftrace_target_version();

	if (sleep)
		msleep(1);
	STORM_EXPECT(ftrace_target_same_version() == version);
}

void storm_livepatch_calls(struct storm_task *task)
{
	ftrace_target_call(compare_versions, task);
	for (unsigned i = 0; i < CALLS; i++)
		ftrace_target_call(compare_versions, NULL);
}

/* Repeats until it succeeds, because another patch may be in transition. */
static void disable(struct storm_task *task)
{
	while (!STORM_DONE(task, "disable", klp_disable_patch(&patch), -EBUSY))
		klp_wait_for_transition();
}

void storm_livepatch(struct storm_task *task)
{
	if (!STORM_DONE(task, "enable", klp_enable_patch(&patch), -EBUSY, -ENOMEM)) {
		klp_wait_for_transition();
		return;
	}
	if (test_random(&task->seed) % 2) { /* else disable() may reverse the transition */
		klp_wait_for_transition();
		STORM_EXPECT(ftrace_target_version() == 1);
	}
	disable(task);
	while (!STORM_DONE(task, "release", klp_release_patch(&patch), -EBUSY))
		klp_wait_for_transition();
	STORM_EXPECT(ftrace_target_version() == 0);
}

/* Allowed errors: another patch is in transition, the patch is gone, it has this state already. */
void storm_livepatch_files(struct storm_task *task)
{
	STORM_DONE(task, "load", klp_enable_patch(&cmdline_patch), -EBUSY, -ENOMEM);
	if (test_random(&task->seed) % 2)
		klp_wait_for_transition();
	STORM_DONE(task, "disable", put(ENABLED, "0"), -EBUSY, -ENOENT, -ENODEV, -EINVAL, -ENOMEM);
	STORM_DONE(task, "enable", put(ENABLED, "1"), -EBUSY, -ENOENT, -ENODEV, -EINVAL, -ENOMEM);
	klp_wait_for_transition();
	STORM_DONE(task, "release", klp_release_patch(&cmdline_patch), -EBUSY);
}

void storm_livepatch_finish(void)
{
	klp_wait_for_transition();
	put_patiently(ENABLED, "0", O_TRUNC); /* fails if the patch is not loaded */
	klp_wait_for_transition();
	STORM_EXPECT(klp_release_patch(&cmdline_patch) == 0);
}
