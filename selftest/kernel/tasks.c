/* Self-tests of creation and exit of tasks: children, zombies, orphans, signals. */
#include "kernel/task/pid.h"
#include "kernel/process/wait.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/fork.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/time/timer.h"

static int return_arg(void *arg)
{
	return (int)(long)arg;
}

SELFTEST(tasks, wait4_returns_the_exit_code)
{
	pid_t pid = kernel_thread(return_arg, (void *)42L, "child");
	int status = 0;

	ASSERT(pid > 0);
	EXPECT_EQ(kernel_wait4(pid, &status, 0), pid);
	EXPECT_EQ(status, 42 << 8);
	EXPECT_EQ(kernel_wait4(pid, &status, 0), -ECHILD);
	EXPECT(!find_get_task_by_pid(pid));
}

static int wait_for_arg(void *arg)
{
	wait_for_completion(arg);
	return 0;
}

SELFTEST(tasks, wait4_with_WNOHANG_does_not_wait)
{
	struct completion go;
	pid_t pid;

	init_completion(&go);
	pid = kernel_thread(wait_for_arg, &go, "child");
	ASSERT(pid > 0);
	EXPECT_EQ(kernel_wait4(-1, NULL, WNOHANG), 0);
	complete(&go);
	EXPECT_EQ(kernel_wait4(-1, NULL, 0), pid);
}

static int make_orphan(void *arg)
{
	return kernel_thread(wait_for_arg, arg, "orphan") < 0;
}

SELFTEST(tasks, orphan_is_reaped_without_a_wait)
{
	unsigned polls = 0, left;
	struct task_struct *p;
	struct completion go;
	int status = -1;
	pid_t pid;

	init_completion(&go);
	pid = kernel_thread(make_orphan, &go, "child");
	ASSERT(pid > 0);
	EXPECT_EQ(kernel_wait4(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	complete(&go);
	do {
		left = 0;
		msleep(1);
		spin_lock(&tasklist_lock);
		for_each_task (p)
			left += !__builtin_strcmp(p->comm, "orphan");
		spin_unlock(&tasklist_lock);
	} while (left && polls++ < 10000);
	EXPECT_EQ(left, 0);
}

static bool make_and_reap(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = kernel_thread(return_arg, NULL, "child");

		if (pid < 0 || kernel_wait4(pid, NULL, 0) != pid)
			return false;
	}
	return true;
}

SELFTEST(tasks, ten_thousand_tasks_leave_nothing_behind)
{
	u64 objects[2], stacks[2];
	struct meminfo info;

	EXPECT(make_and_reap(100)); /* fills the caches of stacks */
	for (unsigned i = 0; i < 2; i++) {
		rcu_barrier(); /* PIDs are freed after a grace period */
		si_meminfo(&info);
		objects[i] = slab_objects_in_use();
		stacks[i] = info.kernel_stack;
		if (i == 0)
			EXPECT(make_and_reap(10000));
	}
	/* A kworker may have been created or have ended meanwhile. */
	selftest_diag(test, "objects %lu -> %lu, stacks %lu -> %lu KiB", objects[0], objects[1],
		      stacks[0] / 1024, stacks[1] / 1024);
	EXPECT(objects[1] < objects[0] + 50);
	/* Freed stacks wait for reuse: some on each CPU, and up to 1/128 of the memory for all. */
	EXPECT(stacks[1] < stacks[0] + 1000 * THREAD_SIZE);
}

static int sleep_long(void *arg __unused)
{
	u64 left = 1000000 * NSEC_PER_SEC;

	while (left) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			do_exit(pending_signal(current));
		}
		left = schedule_timeout(left);
	}
	return 1;
}

SELFTEST(tasks, signal_interrupts_a_sleep)
{
	for (unsigned i = 0; i < 200; i++) {
		struct task_struct *p =
			find_get_task_by_pid(kernel_thread(sleep_long, NULL, "sleeper"));
		int status = -1;

		ASSERT(p);
		if (i % 2)
			yield();
		EXPECT_EQ(send_signal(SIGINT, p), 0);
		EXPECT_EQ(kernel_wait4(p->pid, &status, 0), p->pid);
		EXPECT_EQ(status, SIGINT);
		put_task_struct(p);
	}
}

static int until_stopped(void *arg __unused)
{
	while (!kthread_should_stop())
		msleep(1);
	return 77;
}

SELFTEST(kthread, no_signal_ends_it)
{
	struct task_struct *k = kthread_run(until_stopped, NULL, "nosignal");
	int ret;

	ASSERT(!IS_ERR(k));
	EXPECT_EQ(send_signal(SIGKILL, k), -EPERM);
	ret = kthread_stop(k);
	EXPECT(ret == 77 || ret == -EINTR);
}
