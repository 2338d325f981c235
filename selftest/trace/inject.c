/* Self-tests of error injection: which of a number of calls fail, by each setting. */
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"
#include "trace/inject/inject.h"

/* Asks for `calls` calls of 10 bytes each. Returns a word with a bit for each call that fails. */
static noinline u32 failing(struct fault_attr *attr, unsigned calls)
{
	u32 failed = 0;

	for (unsigned i = 0; i < calls; i++)
		if (should_fail(attr, 10, (unsigned long)failing, 0, 0))
			failed |= BIT(i);
	return failed;
}

/* Silent, always, without a limit. */
static struct fault_attr always(void)
{
	struct fault_attr attr = FAULT_ATTR("selftest", NULL);

	attr.verbose = 0;
	attr.probability = 100;
	atomic_set(&attr.times, -1);
	return attr;
}

SELFTEST(inject, settings_choose_which_calls_fail)
{
	struct fault_attr attr = always();

	EXPECT_EQ_HEX(failing(&attr, 4), 0xf);
	attr.probability = 0;
	EXPECT_EQ_HEX(failing(&attr, 4), 0);
	attr = always();
	atomic_set(&attr.times, 2);
	EXPECT_EQ_HEX(failing(&attr, 5), 0x3);
	EXPECT_EQ(atomic_read(&attr.times), 0);
	attr = always();
	attr.interval = 3;
	EXPECT_EQ_HEX(failing(&attr, 7), BIT(2) | BIT(5));
	attr = always();
	atomic_set(&attr.space, 25); /* two calls go through: 15 and 5 bytes are left */
	EXPECT_EQ_HEX(failing(&attr, 4), BIT(2) | BIT(3));
	EXPECT_EQ(atomic_read(&attr.space), 5);
}

SELFTEST(inject, filters_ask_the_task_and_its_callers)
{
	struct fault_attr attr = always();

	attr.task_filter = true;
	EXPECT_EQ_HEX(failing(&attr, 2), 0);
	current->inject.make_it_fail = true;
	EXPECT_EQ_HEX(failing(&attr, 2), 0x3);
	current->inject.make_it_fail = false;
	attr = always();
	attr.require_start = (unsigned long)failing;
	attr.require_end = attr.require_start + 1; /* no return address is there */
	EXPECT_EQ_HEX(failing(&attr, 2), 0);
	attr.require_end = attr.require_start + 4096;
	EXPECT_EQ_HEX(failing(&attr, 2), 0x3);
	attr.reject_start = attr.require_start;
	attr.reject_end = attr.require_end;
	EXPECT_EQ_HEX(failing(&attr, 2), 0);
	attr.depth = 0; /* nobody is looked at, so nobody is in the range */
	EXPECT_EQ_HEX(failing(&attr, 2), 0);
}

SELFTEST(inject, fail_nth_fails_one_call_whatever_the_settings_are)
{
	struct fault_attr attr = always();

	attr.probability = 0;
	current->inject.fail_nth = 3;
	EXPECT_EQ_HEX(failing(&attr, 6), BIT(2));
	EXPECT_EQ(current->inject.fail_nth, 0);
	/* It goes before a probability of 100: only its own call fails until then. */
	attr.probability = 100;
	current->inject.fail_nth = 2;
	EXPECT_EQ_HEX(failing(&attr, 3), BIT(1) | BIT(2));
}
