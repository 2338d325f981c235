/* For self-tests: runs a function on all CPUs at the same time, in a task on each. */
#include "selftest/lib/on_cpus.h"

#include "kernel/sched/kthread.h"
#include "kernel/smp.h"

struct cpu_work {
	void (*fn)(void *data);
	void *data;
	unsigned tasks; /* constant once go is set */
	bool go;
	atomic_t arrived;
	struct completion done; /* each task completes it once */
};

/* Waits until all tasks have arrived: else the first one could end before the last one begins. */
static int cpu_worker(void *arg)
{
	struct cpu_work *work = arg;

	while (!smp_load_acquire(&work->go))
		yield();
	atomic_inc(&work->arrived);
	while ((unsigned)atomic_read(&work->arrived) < work->tasks)
		yield();
	work->fn(work->data);
	complete(&work->done);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

int run_on_cpus(void (*fn)(void *data), void *data)
{
	static struct task_struct *tasks[NR_CPUS]; /* static: tests run one after another */
	struct cpu_work work = { .fn = fn, .data = data };
	unsigned cpu;
	int error = 0;

	init_completion(&work.done);

	for_each_online_cpu (cpu) {
		tasks[cpu] = kthread_create(cpu_worker, &work, "selftest/%u", cpu);
		if (IS_ERR(tasks[cpu])) {
			error = (int)PTR_ERR(tasks[cpu]);
			tasks[cpu] = NULL;
			continue;
		}
		kthread_bind(tasks[cpu], cpu);
		wake_up_process(tasks[cpu]);
		work.tasks++;
	}
	smp_store_release(&work.go, true);
	for (unsigned i = 0; i < work.tasks; i++)
		wait_for_completion(&work.done);
	for_each_online_cpu (cpu)
		if (tasks[cpu])
			kthread_stop(tasks[cpu]);
	return error;
}
