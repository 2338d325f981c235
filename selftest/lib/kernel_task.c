/* Runs a function in a kernel task. See kernel_task.h. */
#include "selftest/lib/kernel_task.h"
#include "kernel/errno.h"
#include "kernel/process/wait.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/sched.h"

struct kernel_task {
	int (*fn)(void *arg);
	void *arg;
	int result;
	struct completion done;
};

static int kernel_task_main(void *arg)
{
	struct kernel_task *task = arg;

	task->result = task->fn(task->arg);
	complete(&task->done);
	return 0;
}

int run_in_kernel_task(int (*fn)(void *arg), void *arg)
{
	struct kernel_task task = { .fn = fn, .arg = arg };
	pid_t pid;

	if (!current->mm)
		return fn(arg);
	init_completion(&task.done);
	pid = kernel_thread(kernel_task_main, &task, current->comm);
	if (pid < 0)
		return pid;
	wait_for_completion(&task.done); /* no signal ends this: the child uses this stack */
	while (kernel_wait4(pid, NULL, WNOHANG) == 0)
		yield();
	return task.result;
}
