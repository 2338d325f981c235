/* Threads for the self-tests: selftest/lib/threads.h. */
#include "selftest/lib/threads.h"

#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu_stats.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/user_work.h"
#include "kernel/smp.h"
#include "selftest/lib/files.h"

static int test_thread_fn(void *data)
{
	struct test_thread *thread = data;
	struct test_group *group = thread->group;

	group->fn(group->arg, thread->index);
	if (atomic_dec_and_test(&group->left))
		complete(&group->done);
	return 0;
}

static void find_task(void *data, const struct task_struct *task)
{
	const struct task_struct **wanted = data;

	if (task == *wanted)
		*wanted = NULL;
}

bool is_rcu_tasks_holdout(const struct task_struct *task)
{
	rcu_tasks_for_each_holdout(find_task, &task);
	return !task;
}

unsigned nth_online_cpu(unsigned n)
{
	unsigned cpu = cpumask_first(&cpu_online_mask);

	for (n %= num_online_cpus(); n; n--)
		cpu = cpumask_next_from(cpu + 1, &cpu_online_mask);
	return cpu;
}

bool run_on_nth_cpu(unsigned n)
{
	struct cpumask mask = { { 0 } };

	cpumask_set_cpu(nth_online_cpu(n), &mask);
	return set_cpus_allowed(current, &mask) == 0;
}

void run_on_any_cpu(void)
{
	set_cpus_allowed(current, &cpu_possible_mask);
}

void set_rt_throttling(bool on)
{
	struct file *file = file_open("/proc/sys/kernel/sched_rt_runtime_us", O_WRONLY);

	if (IS_ERR(file))
		return; /* no programs, so no throttling */
	file_write(file, on ? "950000" : "-1", on ? 6 : 2);
	fput(file);
}

bool test_group_start(struct test_group *group, unsigned n, unsigned cpu,
		      void (*fn)(void *arg, unsigned index), void *arg)
{
	*group = (struct test_group){ .fn = fn, .arg = arg };
	init_completion(&group->done);
	group->threads = kcalloc(n, sizeof(struct test_thread), GFP_KERNEL);
	if (!group->threads)
		return false;
	/* 1 for this function, so that the group is not done before all threads exist */
	atomic_set(&group->left, 1);
	for (unsigned i = 0; i < n; i++) {
		struct test_thread *thread = &group->threads[i];

		*thread = (struct test_thread){ .group = group, .index = i };
		thread->task = kthread_create(test_thread_fn, thread, "test/%u", i);
		if (IS_ERR(thread->task))
			break;
		get_task_struct(thread->task);
		if (cpu != ANY_CPU)
			kthread_bind(thread->task, cpu == EACH_CPU ? nth_online_cpu(i) : cpu);
		group->started++;
		atomic_inc(&group->left);
	}
	for (unsigned i = 0; i < group->started; i++)
		wake_up_process(group->threads[i].task);
	return group->started == n;
}

void test_group_wait(struct test_group *group)
{
	if (!group->threads)
		return;
	if (!atomic_dec_and_test(&group->left))
		wait_for_completion(&group->done);
	for (unsigned i = 0; i < group->started; i++) {
		wait_for_completion(&group->threads[i].task->exited);
		put_task_struct(group->threads[i].task);
	}
	kfree(group->threads);
}

bool run_threads(unsigned n, unsigned cpu, void (*fn)(void *arg, unsigned index), void *arg)
{
	struct test_group group;
	bool ok = test_group_start(&group, n, cpu, fn, arg);

	test_group_wait(&group);
	return ok;
}

struct task_struct *test_task_start(int (*fn)(void *arg), void *arg, const char *name)
{
	struct task_struct *task = kthread_create(fn, arg, "%s", name);

	if (IS_ERR(task))
		return NULL;
	get_task_struct(task);
	wake_up_process(task);
	return task;
}

int test_task_end(struct task_struct *task)
{
	int ret;

	wait_for_completion(&task->exited);
	ret = task->exit_code;
	put_task_struct(task);
	return ret;
}

void test_task_interrupt(struct task_struct *task)
{
	set_user_work(task, USER_WORK_SIGPENDING);
	wake_up_state(task, TASK_INTERRUPTIBLE);
}

struct task_times task_times(struct task_struct *p)
{
	struct task_times times;
	unsigned long flags;
	struct runqueue *rq = task_rq_lock(p, &flags);

	times = (struct task_times){ p->se.sum_exec_runtime, p->se.vruntime };
	task_rq_unlock(rq, p, flags);
	return times;
}
