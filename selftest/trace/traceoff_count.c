/* A self-test of the counts of traceoff: the probe of set_ftrace_filter, and the trigger. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/write.h"

#define OFF_COUNT  1000000U
#define OFF_ROUNDS selftest_rounds(500U)

static bool stop_traceoff; /* [A] */

static void call_the_target(void)
{
	ftrace_target_add(1, 2);
}

static void write_a_marker(void)
{
	trace_write_marker(&global_trace, 0, "mark", 4);
}

/* Each CPU calls fn when it sees that recording is on: all at once. */
static void call_when_on(void *fn, unsigned index __unused)
{
	while (!READ_ONCE(stop_traceoff)) {
		if (tracing_is_on_tr(&global_trace))
			((void (*)(void))fn)();
		cond_resched();
	}
}

/* Turns recording on OFF_ROUNDS times, while fn turns it off on all CPUs at once. */
static bool race_traceoff(void (*fn)(void))
{
	struct test_group group;

	tracing_record_off_tr(&global_trace);
	WRITE_ONCE(stop_traceoff, false);
	if (!test_group_start(&group, num_online_cpus(), EACH_CPU, call_when_on, (void *)fn))
		return false;
	for (unsigned i = 0; i < OFF_ROUNDS; i++) {
		tracing_record_on_tr(&global_trace);
		while (tracing_is_on_tr(&global_trace))
			cond_resched();
	}
	WRITE_ONCE(stop_traceoff, true);
	test_group_wait(&group);
	return true;
}

SELFTEST(trace, cpus_that_run_traceoff_at_once_use_up_one_of_its_count)
{
	static const char trigger[] = "events/ftrace/print/trigger";
	char line[64];

	if (num_online_cpus() < 2)
		return; /* needs two CPUs that run at once */
	reset();
	snprintf(line, sizeof(line), "ftrace_target_add:traceoff:%u", OFF_COUNT);
	EXPECT_EQ(put("set_ftrace_filter", line), 0);
	ASSERT(race_traceoff(call_the_target));
	snprintf(line, sizeof(line), "ftrace_target_add:traceoff:count=%u\n",
		 OFF_COUNT - OFF_ROUNDS);
	EXPECT(strstr(get("set_ftrace_filter"), line));
	remove_probes("set_ftrace_filter");

	snprintf(line, sizeof(line), "traceoff:%u", OFF_COUNT);
	EXPECT_EQ(put_mode(trigger, line, strlen(line), 0), 0);
	ASSERT(race_traceoff(write_a_marker));
	snprintf(line, sizeof(line), "traceoff:count=%u\n", OFF_COUNT - OFF_ROUNDS);
	EXPECT(strstr(get(trigger), line));
	EXPECT_EQ(put_mode(trigger, "!traceoff", 9, 0), 0);
	reset();
}
