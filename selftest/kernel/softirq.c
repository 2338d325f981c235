/* Self-tests of softirqs: each one runs, with interrupts on, and leaves time for tasks. */
#include "kernel/irq/softirq.h"

#include "arch/cpu/irqflags.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define MOST_ROUNDS 10U                 /* before ksoftirqd is woken, */
#define LONGEST_NS  (2 * NSEC_PER_MSEC) /* or this time */

/* A softirq that raises itself without end. Written on its CPU only, but for stop. */
static struct {
	unsigned by_ksoftirqd, irqs_off;
	unsigned rounds, most_rounds; /* since softirqs were left to ksoftirqd the last time */
	unsigned runs;                /* of ksoftirqd, until the flood ends */
	bool slow;                    /* one round is enough for the time */
	bool stop;
	bool left; /* on some CPU, softirqs were left to ksoftirqd */
} flood;

static void (*wake_ksoftirqd)(void);

/* In place of the hook that wakes ksoftirqd. Outside of softirqs, raise_softirq() calls it. */
static void note_wakeup(void)
{
	if (in_serving_softirq()) {
		WRITE_ONCE(flood.left, true);
		flood.rounds = 0;
	}
	wake_ksoftirqd();
}

static void raise_again(void)
{
	u64 begin = ktime_get();

	flood.irqs_off += irqs_disabled();
	flood.most_rounds = max(flood.most_rounds, ++flood.rounds);
	while (flood.slow && ktime_get() - begin < LONGEST_NS)
		cpu_relax();
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
	while (READ_ONCE(flood.by_ksoftirqd) < flood.runs)
		cond_resched();
	WRITE_ONCE(flood.stop, true);
}

/* Lets a flood come on the second CPU, until ksoftirqd has run it `runs` times. */
static void run_flood(struct selftest *test, bool slow, unsigned runs)
{
	unsigned cpu = nth_online_cpu(1);
	struct test_group group;

	memset(&flood, 0, sizeof(flood));
	flood.slow = slow;
	flood.runs = runs;
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

SELFTEST(softirq, a_softirq_that_raises_itself_without_end_is_left_to_ksoftirqd)
{
	run_flood(test, false, 1000);
	EXPECT(flood.most_rounds <= MOST_ROUNDS);
}

SELFTEST(softirq, a_softirq_that_takes_long_is_left_to_ksoftirqd_after_one_round)
{
	run_flood(test, true, 20);
	EXPECT_EQ(flood.most_rounds, 1);
}

#define TRIALS   20U
#define COMEBACK 5U /* rounds of the softirq that raises itself */

/* Two softirqs of one interrupt, and how the second CPU runs them. Written there only. */
static struct {
	unsigned cpu, polls, tasklets;
	unsigned too_early; /* left to ksoftirqd before the rounds or the time were used up */
	u64 raised;         /* 0: in an interrupt of a softirq, which has begun before */
} pair;

static void note_early_wakeup(void)
{
	if (in_serving_softirq() && smp_processor_id() == pair.cpu && pair.raised)
		pair.too_early += ktime_get() - pair.raised < LONGEST_NS;
	wake_ksoftirqd();
}

static void count_poll(void)
{
	pair.polls++;
}

static void come_back(void)
{
	if (++pair.tasklets % COMEBACK)
		raise_softirq(TASKLET_SOFTIRQ);
	else
		pair.raised = 0;
}

static void raise_pair(void *unused __unused)
{
	pair.raised = in_serving_softirq() ? 0 : ktime_get();
	raise_softirq(IRQ_POLL_SOFTIRQ);
	raise_softirq(TASKLET_SOFTIRQ);
}

SELFTEST(softirq, all_softirqs_of_an_interrupt_run_without_ksoftirqd_while_they_are_few)
{
	memset(&pair, 0, sizeof(pair));
	pair.cpu = nth_online_cpu(1);
	open_softirq(IRQ_POLL_SOFTIRQ, count_poll);
	open_softirq(TASKLET_SOFTIRQ, come_back);
	wake_ksoftirqd = softirq_wake_hook;
	WRITE_ONCE(softirq_wake_hook, note_early_wakeup);
	for (unsigned i = 1; i <= TRIALS; i++) {
		preempt_disable();
		EXPECT_EQ(smp_call_function_single(pair.cpu, raise_pair, NULL, true), 0);
		preempt_enable();
		for (unsigned ms = 0; ms < 500 && READ_ONCE(pair.tasklets) < i * COMEBACK; ms++)
			msleep(1);
	}
	WRITE_ONCE(softirq_wake_hook, wake_ksoftirqd);
	EXPECT_EQ(pair.polls, TRIALS);
	EXPECT_EQ(pair.tasklets, TRIALS * COMEBACK);
	EXPECT_EQ(pair.too_early, 0);
}
