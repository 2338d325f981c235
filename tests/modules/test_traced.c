/*
 * Tasks that call traced functions of the module as long as it is loaded: some are preempted inside
 * them when the module goes.
 */
#include "kernel/errno.h"
#include "kernel/module/moduleparam.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"

#define MAX_TASKS 16

static unsigned tasks = 4;
module_param(tasks, uint, 0444);

static struct task_struct *threads[MAX_TASKS];

noinline unsigned long test_traced_leaf(unsigned long x);
noinline unsigned long test_traced_leaf(unsigned long x)
{
	barrier();
	return x * 3 + 1;
}

noinline unsigned long test_traced_loop(unsigned long x);
noinline unsigned long test_traced_loop(unsigned long x)
{
	for (int i = 0; i < 100; i++)
		x = test_traced_leaf(x);
	return x;
}

static int test_traced_thread(void *unused __unused)
{
	unsigned long x = 1;

	while (!kthread_should_stop()) {
		x = test_traced_loop(x);
		cond_resched();
	}
	return 0;
}

static void stop_all(void)
{
	for (unsigned i = 0; i < MAX_TASKS; i++)
		if (threads[i])
			kthread_stop(threads[i]);
}

static int __init test_traced_init(void)
{
	for (unsigned i = 0; i < min(tasks, (unsigned)MAX_TASKS); i++) {
		struct task_struct *task = kthread_run(test_traced_thread, NULL, "test_traced/%u", i);

		if (IS_ERR(task)) {
			stop_all();
			return (int)PTR_ERR(task);
		}
		threads[i] = task;
	}
	return 0;
}
module_init(test_traced_init);

static void __exit test_traced_exit(void)
{
	stop_all();
}
module_exit(test_traced_exit);

MODULE_LICENSE("GPL");
