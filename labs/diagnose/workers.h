/*
 * The tasks of a module, and the file that lets them work:
 *
 *	echo 3 > /sys/module/NAME/parameters/run	each task does its work three times
 *
 * The write returns when all tasks are done, or after three seconds: some may never be done.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/module/moduleparam.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/wait.h"

#define PATIENCE_MS 3000

struct worker {
	const char *name;
	int (*work)(void); /* once: 0 or a negative errno */
	struct task_struct *task;
};

static DECLARE_WAIT_QUEUE_HEAD(start);
static int turns;	/* how often each task works, set before round changes */
static unsigned round;	/* counts the writes to run; kernel_param_mutex to write */
static atomic_t busy;	/* tasks that still work */
static int first_error; /* of the tasks; 0: none */

static int worker_main(void *data)
{
	struct worker *worker = data;
	unsigned seen = 0;

	for (;;) {
		wait_event(start, READ_ONCE(round) != seen || kthread_should_stop());
		if (kthread_should_stop())
			return 0;
		seen = READ_ONCE(round);
		for (int i = 0; i < READ_ONCE(turns); i++) {
			int error = worker->work();

			if (error)
				WRITE_ONCE(first_error, error);
		}
		atomic_dec(&busy);
	}
}

/* Makes count tasks, which sleep until somebody writes to run. 0 or a negative errno. */
static int make_workers(struct worker *workers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct task_struct *task = kthread_create(worker_main, &workers[i], "%s", workers[i].name);

		if (IS_ERR(task)) {
			while (i)
				kthread_stop(workers[--i].task);
			return PTR_ERR(task);
		}
		workers[i].task = task;
		wake_up_process(task);
	}
	return 0;
}

static void stop_workers(struct worker *workers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		kthread_stop(workers[i].task);
}

/* Lets count tasks work. 0, or the error of one of them. */
static int run_workers(const char *text, int count)
{
	int value, error = kstrtoint(text, 0, &value);

	if (error)
		return error;
	if (value < 1 || value > 100000)
		return -EINVAL;
	if (atomic_read(&busy))
		return -EBUSY;
	first_error = 0;
	turns = value;
	atomic_set(&busy, count);
	__module_get(THIS_MODULE); /* as long as tasks are inside */
	WRITE_ONCE(round, round + 1);
	wake_up_all(&start);
	for (int i = 0; i < PATIENCE_MS / 10 && atomic_read(&busy); i++)
		msleep(10);
	if (atomic_read(&busy))
		return 0; /* the module stays */
	module_put(THIS_MODULE);
	return first_error;
}

/* Behind the table of the tasks: what insmod and rmmod do, and the file. */
#define MODULE_WITH_WORKERS(workers)                                                               \
	static int set_run(const char *text, const struct kernel_param *param __unused)            \
	{                                                                                          \
		return run_workers(text, ARRAY_SIZE(workers));                                     \
	}                                                                                          \
	static const struct kernel_param_ops run_ops = { .set = set_run };                         \
	module_param_cb(run, &run_ops, NULL, 0200);                                                \
	static int __init workers_init(void)                                                       \
	{                                                                                          \
		return make_workers(workers, ARRAY_SIZE(workers));                                 \
	}                                                                                          \
	module_init(workers_init);                                                                 \
	static void __exit workers_exit(void)                                                      \
	{                                                                                          \
		stop_workers(workers, ARRAY_SIZE(workers));                                        \
	}                                                                                          \
	module_exit(workers_exit);                                                                 \
	MODULE_LICENSE("GPL")
