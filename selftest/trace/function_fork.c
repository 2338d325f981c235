/* A self-test of the option function-fork, with children of this task. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/process/wait.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"

static int call_the_target(void *unused __unused)
{
	ftrace_target_add(3, 4);
	return 0;
}

/* Creates a child that calls the traced function. Returns its PID, or 0. */
static pid_t traced_child(void)
{
	pid_t child;

	put("trace", "");
	child = kernel_thread(call_the_target, NULL, "traced_child");
	if (child < 0)
		return 0;
	kernel_wait4(child, NULL, 0);
	return child;
}

SELFTEST(trace_options, function_fork_follows_the_children_of_a_traced_task)
{
	char context[32], pid[16];

	reset();
	EXPECT_EQ(put("set_ftrace_filter", "ftrace_target_add"), 0);
	snprintf(pid, sizeof(pid), "%d", current->pid);
	EXPECT_EQ(put("set_ftrace_pid", pid), 0);
	EXPECT_EQ(put("current_tracer", "function"), 0);
	ASSERT(traced_child());
	EXPECT(!strstr(get("trace"), "ftrace_target_add <-"));
	EXPECT_EQ(put("trace_options", "function-fork"), 0);
	snprintf(context, sizeof(context), "-%-7d [", traced_child());
	get("trace");
	EXPECT(strstr(text, "ftrace_target_add <-call_the_target") && strstr(text, context));
	/* The child has ended. Its PID was removed, because a new task may get the same PID. */
	snprintf(pid, sizeof(pid), "%d\n", current->pid);
	EXPECT(strcmp(get("set_ftrace_pid"), pid) == 0);
	EXPECT_EQ(put("trace_options", "nofunction-fork"), 0);
	ASSERT(traced_child());
	EXPECT(!strstr(get("trace"), "ftrace_target_add <-"));
	reset();
}
