/* Self-tests of kernel threads: their end, and their CPU. */
#include "kernel/task/pid.h"
#include "kernel/sched/kthread.h"
#include "kernel/time/timer.h"
#include "selftest/selftest.h"

static int until_stopped(void *arg)
{
	unsigned *wakeups = arg;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
		++*wakeups;
	}
	__set_current_state(TASK_RUNNING);
	return 77;
}

SELFTEST(kthread, stop_returns_the_thread_s_value)
{
	unsigned wakeups = 0;

	for (unsigned i = 0; i < 200; i++) {
		struct task_struct *k = kthread_run(until_stopped, &wakeups, "stopme");
		int ret;

		ASSERT(!IS_ERR(k));
		while (i % 2 && READ_ONCE(k->__state) != TASK_INTERRUPTIBLE)
			yield();
		ret = kthread_stop(k);
		EXPECT(ret == 77 || (i % 2 == 0 && ret == -EINTR));
	}
}

SELFTEST(kthread, stop_before_the_first_wakeup_never_runs_it)
{
	unsigned wakeups = 0;
	struct task_struct *k = kthread_create(until_stopped, &wakeups, "never");

	ASSERT(!IS_ERR(k));
	EXPECT_EQ(kthread_stop(k), -EINTR);
	EXPECT_EQ(wakeups, 0);
}

static atomic_t pidfd_wakeups;

static bool count_wakeup(struct wait_queue_entry *entry, unsigned events)
{
	(void)entry, (void)events;
	atomic_inc(&pidfd_wakeups);
	return false;
}

SELFTEST(kthread, the_end_wakes_who_polls_its_pidfd)
{
	struct wait_queue_entry entry = { .func = count_wakeup, .flags = WQ_FLAG_CALLBACK };
	unsigned polls = 0, wakeups = 0;
	struct task_struct *k = kthread_run(until_stopped, &wakeups, "polled");
	struct pid *pid;

	ASSERT(!IS_ERR(k));
	pid = get_pid(k->thread_pid);
	atomic_set(&pidfd_wakeups, 0);
	add_wait_queue(&pid->wait_pidfd, &entry);
	kthread_stop(k);
	while (!atomic_read(&pidfd_wakeups) && polls++ < 10000) /* not at once */
		msleep(1);
	EXPECT_EQ(atomic_read(&pidfd_wakeups), 1);
	remove_wait_queue(&pid->wait_pidfd, &entry);
	put_pid(pid);
}

static int note_cpu(void *arg)
{
	*(unsigned *)arg = smp_processor_id();
	return until_stopped(&(unsigned){ 0 });
}

SELFTEST(kthread, bound_thread_runs_on_its_cpu)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		unsigned ran_on = NR_CPUS;
		struct cpumask all;
		struct task_struct *k = kthread_create(note_cpu, &ran_on, "bound");

		ASSERT(!IS_ERR(k));
		kthread_bind(k, cpu);
		cpumask_setall(&all);
		EXPECT_EQ(set_cpus_allowed(k, &all), -EINVAL);
		wake_up_process(k);
		while (READ_ONCE(ran_on) == NR_CPUS)
			msleep(1);
		EXPECT_EQ(kthread_stop(k), 77);
		EXPECT_EQ(ran_on, cpu);
	}
}
