/* Self-tests of softirqs: they run with interrupts on, and leave time for tasks. */
#include "kernel/irq/softirq.h"

#include "arch/cpu/irqflags.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define FLOOD_RUNS 1000U

/* A softirq that raises itself without end. Written on its CPU only, but for stop. */
static struct {
	unsigned by_ksoftirqd, irqs_off;
	bool stop;
	bool left; /* on some CPU, softirqs were left to ksoftirqd */
} flood;

static void (*wake_ksoftirqd)(void);

/* In place of the hook that wakes ksoftirqd. Outside of softirqs, raise_softirq() calls it. */
static void note_wakeup(void)
{
	if (in_serving_softirq())
		WRITE_ONCE(flood.left, true);
	wake_ksoftirqd();
}

static void raise_again(void)
{
	flood.irqs_off += irqs_disabled();
	if (!strncmp(current->comm, "ksoftirqd/", strlen("ksoftirqd/")))
		WRITE_ONCE(flood.by_ksoftirqd, flood.by_ksoftirqd + 1);
	if (!READ_ONCE(flood.stop))
		raise_softirq(TASKLET_SOFTIRQ);
}

static void start_flood(void *unused __unused)
{
	raise_softirq(TASKLET_SOFTIRQ);
}

/* A task of the CPU with the flood. It shares the CPU with ksoftirqd. */
static void stop_flood(void *unused __unused, unsigned index __unused)
{
	while (READ_ONCE(flood.by_ksoftirqd) < FLOOD_RUNS)
		cond_resched();
	WRITE_ONCE(flood.stop, true);
}

SELFTEST(softirq, a_softirq_that_raises_itself_without_end_is_left_to_ksoftirqd)
{
	unsigned cpu = nth_online_cpu(1);
	struct test_group group;

	flood.by_ksoftirqd = flood.irqs_off = 0;
	flood.stop = flood.left = false;
	open_softirq(TASKLET_SOFTIRQ, raise_again);
	wake_ksoftirqd = softirq_wake_hook;
	WRITE_ONCE(softirq_wake_hook, note_wakeup);
	ASSERT(test_group_start(&group, 1, cpu, stop_flood, NULL));
	preempt_disable();
	EXPECT_EQ(smp_call_function_single(cpu, start_flood, NULL, true), 0);
	preempt_enable();
	test_group_wait(&group);
	WRITE_ONCE(softirq_wake_hook, wake_ksoftirqd);
	EXPECT_EQ(flood.irqs_off, 0);
	EXPECT(flood.left);
}
