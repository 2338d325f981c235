/* Self-tests of dynamic ftrace: exact counts, patching under load, the state after a refused
 * change.
 */
#include "arch/patch/text_patch.h"
#include "kernel/lib/string.h"
#include "kernel/sched/kthread.h"
#include "selftest/selftest.h"
#include "trace/ftrace/internal.h"

/* This file is not traced, so the functions to trace are in selftest/lib/ftrace_targets.c. */
#include "selftest/lib/ftrace_targets.h"

static atomic64_t hits;
static unsigned long last_ip, last_parent;
static u64 last_argument;
static bool slot_is_parent;

static void count_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op __unused,
		      struct ftrace_regs *fregs)
{
	last_ip = ip;
	last_parent = parent_ip;
	last_argument = ftrace_get_argument(fregs, 0);
	slot_is_parent = *ftrace_regs_return_slot(fregs) == parent_ip;
	atomic64_inc(&hits);
}

static struct ftrace_ops counter = { .func = count_hit };

static void do_not_count(unsigned long ip __unused, unsigned long parent_ip __unused,
			 struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
}

static struct ftrace_ops bystander = { .func = do_not_count };

static int set_only(struct ftrace_ops *ops, const char *name)
{
	return ftrace_set_filter(ops, name, strlen(name), true);
}

SELFTEST(ftrace, each_call_of_the_traced_function_counts_once)
{
	atomic64_set(&hits, 0);
	ASSERT(set_only(&counter, "ftrace_target_add") == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	for (unsigned i = 0; i < 1000; i++)
		EXPECT(ftrace_target_add(i, 7) == i + 7);
	ftrace_target_other();
	EXPECT(unregister_ftrace_function(&counter) == 0);
	ftrace_target_add(1, 1);
	EXPECT_EQ(atomic64_read(&hits), 1000);
	EXPECT_EQ(last_ip, (unsigned long)ftrace_target_add);
	EXPECT_EQ(last_argument, 999);
	EXPECT(slot_is_parent);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(ftrace, two_ops_on_overlapping_sets_each_get_their_own)
{
	atomic64_set(&hits, 0);
	ASSERT(set_only(&counter, "ftrace_target_*") == 0);
	ASSERT(ftrace_set_notrace(&counter, "ftrace_target_other", 19, true) == 0);
	ASSERT(set_only(&bystander, "ftrace_target_other") == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	ASSERT(register_ftrace_function(&bystander) == 0);
	for (unsigned i = 0; i < 100; i++) {
		ftrace_target_add(i, i);
		ftrace_target_other();
	}
	EXPECT_EQ(atomic64_read(&hits), 100);
	EXPECT(unregister_ftrace_function(&bystander) == 0);
	ftrace_target_add(1, 1);
	EXPECT_EQ(atomic64_read(&hits), 101);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT(ftrace_set_notrace(&counter, "", 0, true) == 0);
}

SELFTEST(ftrace, a_refused_change_leaves_everything_unchanged)
{
	const struct ftrace_hash *before;

	ASSERT(set_only(&counter, "ftrace_target_add") == 0);
	before = counter.filter_hash;
	EXPECT_EQ(set_only(&counter, "no_such_function"), -EINVAL);
	EXPECT(counter.filter_hash == before);
	EXPECT_EQ(unregister_ftrace_function(&counter), -EINVAL);
	ASSERT(register_ftrace_function(&counter) == 0);
	EXPECT_EQ(register_ftrace_function(&counter), -EBUSY);
	EXPECT(unregister_ftrace_function(&counter) == 0);
}

static int call_targets(void *calls)
{
	while (!kthread_should_stop()) {
		if (ftrace_target_add(40, 2) != 42)
			return -EIO;
		ftrace_target_other();
		__atomic_fetch_add((u64 *)calls, 1, __ATOMIC_RELAXED);
		cond_resched();
	}
	return 0;
}

/* All other CPUs execute the site while it changes. Some of them hit the int3 and are emulated. */
SELFTEST(ftrace, int3_emulates_the_call_while_a_site_is_half_patched)
{
	struct task_struct *callers[8];
	struct text_patch_stats before, after;
	unsigned cpu, n = 0;
	u64 calls = 0;

	if (num_online_cpus() < 2)
		return;
	for_each_online_cpu (cpu) {
		if (cpu == 0 || n == ARRAY_SIZE(callers))
			continue;
		callers[n] = kthread_create(call_targets, &calls, "target/%u", cpu);
		ASSERT(!IS_ERR(callers[n]));
		kthread_bind(callers[n], cpu);
		wake_up_process(callers[n++]);
	}
	while (READ_ONCE(calls) < n)
		yield();
	text_patch_stats_read(&before);
	after = before;
	ASSERT(set_only(&counter, "ftrace_target_*") == 0);
	for (unsigned i = 0; i < 2000 && after.breakpoints == before.breakpoints; i++) {
		EXPECT(register_ftrace_function(&counter) == 0);
		EXPECT(unregister_ftrace_function(&counter) == 0);
		text_patch_stats_read(&after);
	}
	EXPECT(after.breakpoints > before.breakpoints);
	selftest_diag(test, "%lu breakpoints in %lu batches",
		      after.breakpoints - before.breakpoints, after.batches - before.batches);
	while (n)
		EXPECT_EQ(kthread_stop(callers[--n]), 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(ftrace, every_function_traced_on_and_off_keeps_the_system_running)
{
	EXPECT(ftrace_set_filter(&counter, "", 0, true) == 0);
	atomic64_set(&hits, 0);
	for (unsigned i = 0; i < selftest_rounds(10); i++) {
		ASSERT(register_ftrace_function(&counter) == 0);
		msleep(1);
		ASSERT(unregister_ftrace_function(&counter) == 0);
	}
	EXPECT(atomic64_read(&hits) > 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	for (unsigned i = 0; i < ftrace_record_count(); i++)
		EXPECT_EQ(ftrace_record(i)->flags & ~FTRACE_FL_MODIFIED, FTRACE_FL_TOUCHED);
}
