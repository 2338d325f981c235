/* Self-tests of where a new task begins in the order of the fair tasks. */
#include "arch/cpu/processor.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/runqueue.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define CHILDREN 40

struct children {
	bool stop;
	struct task_struct *spinner;
	unsigned made, early;
	u64 start; /* the virtual time of the last child when it was new */
};

static void spin(void *arg, unsigned index __unused)
{
	const struct children *c = arg;

	while (!READ_ONCE(c->stop))
		cpu_relax();
}

/* The spinner waits meanwhile. */
static int run_for_a_moment(void *data)
{
	struct children *c = data;
	struct task_times spinner = task_times(c->spinner), own = task_times(current);
	u64 start = own.virtual - own.real;

	if ((s64)(spinner.virtual - start) < 0 || (c->made && start - c->start < SCHED_SLICE_NS))
		c->early++;
	c->start = start;
	c->made++;
	while (task_sched_runtime(current) < SCHED_SLICE_NS / 10)
		cpu_relax();
	return 0;
}

static void make_children(void *arg, unsigned index __unused)
{
	for (unsigned i = 0; i < CHILDREN; i++) {
		struct task_struct *child = kthread_create(run_for_a_moment, arg, "child");

		if (IS_ERR(child))
			return;
		get_task_struct(child);
		kthread_bind(child, smp_processor_id());
		wake_up_process(child);
		wait_for_completion(&child->exited);
		put_task_struct(child);
	}
}

/*
 * A child runs when its virtual time is the least, and min_vruntime is at least that from then on.
 * So the next child starts a slice of virtual time later, and the spinner runs until then. This is
 * so whatever the host does, and the time of a child does not matter.
 */
SELFTEST(sched, others_run_for_a_slice_between_one_new_task_and_the_next)
{
	struct children c = { .made = 0 };
	unsigned cpu = nth_online_cpu(1);
	struct test_group group;

	ASSERT(test_group_start(&group, 1, cpu, spin, &c));
	c.spinner = group.threads[0].task;
	EXPECT(run_threads(1, cpu, make_children, &c));
	WRITE_ONCE(c.stop, true);
	test_group_wait(&group);
	EXPECT_EQ(c.made, CHILDREN);
	EXPECT_EQ(c.early, 0);
}
