/*
 * Per-CPU variables of a module. Tasks on all CPUs count in them as long as it is loaded. Its init
 * checks the first values of all CPUs, its exit that no count is lost.
 */
#include "arch/cpu/percpu.h"
#include "kernel/atomic.h"
#include "kernel/cpumask.h"
#include "kernel/errno.h"
#include "kernel/module/moduleparam.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"

#define MAX_TASKS 16

static unsigned tasks = 4;
module_param(tasks, uint, 0444);

static DEFINE_PER_CPU(u64, counts);
static DEFINE_PER_CPU(int, sevens) = 7;
static atomic64_t total;
static struct task_struct *threads[MAX_TASKS];

noinline void test_percpu_count(void);
noinline void test_percpu_count(void)
{
	this_cpu_inc(counts);
}

static int test_percpu_thread(void *unused __unused)
{
	u64 count = 0;

	while (!kthread_should_stop()) {
		for (int i = 0; i < 100; i++)
			test_percpu_count();
		count += 100;
		cond_resched();
	}
	atomic64_add((long)count, &total);
	return 0;
}

static void stop_all(void)
{
	for (unsigned i = 0; i < MAX_TASKS; i++)
		if (threads[i])
			kthread_stop(threads[i]);
}

static int __init test_percpu_init(void)
{
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (per_cpu(counts, cpu) != 0 || per_cpu(sevens, cpu) != 7)
			return -EINVAL;
	this_cpu_write(sevens, 8); /* the next load finds 7 again */
	for (unsigned i = 0; i < min(tasks, (unsigned)MAX_TASKS); i++) {
		struct task_struct *task = kthread_run(test_percpu_thread, NULL, "test_percpu/%u", i);

		if (IS_ERR(task)) {
			stop_all();
			return (int)PTR_ERR(task);
		}
		threads[i] = task;
	}
	return 0;
}
module_init(test_percpu_init);

static void __exit test_percpu_exit(void)
{
	u64 sum = 0;

	stop_all();
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		sum += per_cpu(counts, cpu);
	if (sum != (u64)atomic64_read(&total))
		pr_err("test_percpu: %lu calls, but %lu counts\n",
		       (unsigned long)atomic64_read(&total), (unsigned long)sum);
}
module_exit(test_percpu_exit);

MODULE_LICENSE("GPL");
