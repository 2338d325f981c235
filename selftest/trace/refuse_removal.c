/*
 * Self-tests of what goes wrong when probes, triggers and histograms are removed, and of triggers
 * that cannot be registered.
 */
#include "fs/vfs/fs.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "selftest/kernel/selftest_events.h"
#include "selftest/lib/memory.h"
#include "selftest/trace/refuse.h"
#include "selftest/trace/tracefs.h"

/* ---- probes of tracepoints ---- */

#define PROBES 4U
static unsigned calls[PROBES];

static void count_call(void *data, unsigned long number)
{
	*(unsigned *)data += (unsigned)number;
}

static int attach(unsigned i)
{
	return register_trace_selftest_number(count_call, &calls[i]);
}

static int detach(unsigned i)
{
	return unregister_trace_selftest_number(count_call, &calls[i]);
}

/* Fires the tracepoint, and returns which probes were called, each as a bit. */
static unsigned probes_called(void)
{
	unsigned called = 0;

	memset(calls, 0, sizeof(calls));
	trace_selftest_number(1);
	for (unsigned i = 0; i < PROBES; i++)
		called |= calls[i] << i;
	return called;
}

SELFTEST(ftrace_memory, a_probe_is_removed_without_memory_and_not_added)
{
	u64 objects;

	ASSERT(start_refusing());
	objects = memory_objects();
	for (unsigned i = 0; i < 3; i++)
		EXPECT_EQ(attach(i), 0);
	refuse_all(true);
	EXPECT_EQ(detach(1), 0); /* a function that does nothing takes its place */
	EXPECT_EQ(detach(1), -ENOENT);
	EXPECT_EQ(attach(3), -ENOMEM);
	EXPECT_EQ(attach(0), -EEXIST);
	refuse_all(false);
	EXPECT_EQ(probes_called(), 5);
	EXPECT_EQ(attach(1), 0);
	EXPECT_EQ(probes_called(), 7);
	refuse_all(true);
	for (unsigned i = 0; i < 3; i++) {
		EXPECT_EQ(detach(i), 0);
		EXPECT_EQ(probes_called(), (unsigned)(7 & ~((2U << i) - 1)));
	}
	refuse_all(false);
	EXPECT(!trace_selftest_number_enabled());
	EXPECT_EQ(detach(0), -ENOENT);
	memory_expect_objects(test, objects);
	stop_refusing(test);
}

/* ---- triggers and histograms ---- */

#define SWITCH_TRIGGER "events/sched/sched_switch/trigger"
#define TRIGGER        "stacktrace:0 if prev_pid > 1"
#define ENABLE         "enable_event:sched:sched_waking:0 if prev_pid == 1"
#define HIST           "hist:keys=next_pid:vals=prev_prio if prev_pid > 1"
#define TRACKING_HIST                                                                              \
	"hist:keys=next_pid.log2:x=prev_pid,y=$x+prev_prio*2:size=128:onmax($x).save(next_comm)"

static long write_line(const char *line)
{
	return put_mode(SWITCH_TRIGGER, line, strlen(line), O_APPEND);
}

#define TRIGGER_FUNCTIONS(name, line)                                                              \
	static long add_##name(void)                                                               \
	{                                                                                          \
		return write_line(line);                                                           \
	}                                                                                          \
	static long remove_##name(void)                                                            \
	{                                                                                          \
		return write_line("!" line);                                                       \
	}

TRIGGER_FUNCTIONS(stacktrace, TRIGGER)
TRIGGER_FUNCTIONS(enable, ENABLE)
TRIGGER_FUNCTIONS(hist, HIST)
TRIGGER_FUNCTIONS(tracking_hist, TRACKING_HIST)

/* The attempt is the removal. The operation that reverses it adds the trigger again. */
SELFTEST(ftrace_memory, a_trigger_stays_whole_when_an_allocation_of_its_removal_is_refused)
{
	static const struct attempt attempts[] = {
		{ "removing a trigger", remove_stacktrace, add_stacktrace },
		{ "removing enable_event", remove_enable, add_enable },
		{ "removing a histogram", remove_hist, add_hist },
		{ "removing a histogram with actions", remove_tracking_hist, add_tracking_hist },
	};

	EXPECT_EQ(put("error_log", " "), 0);
	ASSERT(start_refusing());
	for (unsigned i = 0; i < ARRAY_SIZE(attempts); i++) {
		EXPECT_EQ(attempts[i].end(), 0);
		note_state();
		try_all(test, &attempts[i]);
		forget_state();
		EXPECT_EQ(attempts[i].begin(), 0);
		EXPECT_EQ(put("error_log", " "), 0); /* its entries are objects, too */
	}
	stop_refusing(test);
}

SELFTEST(ftrace_memory, a_trigger_that_is_refused_leaves_nothing)
{
	static const struct {
		const char *line;
		long error;
	} refused[] = {
		{ "nosuch", -EINVAL },
		{ "stacktrace:x", -EINVAL },
		{ "stacktrace:5 if (", -ENOENT },
		{ "stacktrace if nosuch == 1", -EINVAL },
		{ "stacktrace:0 if prev_pid > 1", -EEXIST },
		{ "traceoff:1:2 unless prev_pid", -EINVAL },
		{ "snapshot if prev_comm", -EINVAL },
		{ "enable_event", -EINVAL },
		{ "enable_event:sched:nosuch", -EINVAL },
		{ "enable_event:sched:sched_waking if nosuch", -EINVAL },
		{ "enable_event:sched:sched_waking:x", -EINVAL },
		{ "hist:keys=nosuch", -EINVAL },
		{ "hist:keys=next_pid:vals=prev_prio:sort=nosuch", -EINVAL },
		{ "hist:keys=next_pid:vals=prev_prio if prev_pid > 1", -EEXIST },
		{ "hist:keys=next_pid:x=prev_pid:onmatch(sched.nosuch).trace(nosuch,$x)", -EINVAL },
		{ "hist:keys=next_pid:x=prev_pid:onmax($nosuch).save(next_comm)", -EINVAL },
		{ "hist:keys=prev_pid:x=prev_pid,y=$x/0:onchange($y).snapshot()", -EDOM },
		{ "enable_hist:sched:nosuch", -EINVAL },
	};
	static char before[TRACE_TEXT_SIZE], enabled[8];
	u64 objects;

	EXPECT_EQ(add_stacktrace(), 0);
	EXPECT_EQ(add_hist(), 0);
	get_into(SWITCH_TRIGGER, before, sizeof(before));
	get_into("events/sched/sched_waking/enable", enabled, sizeof(enabled));
	EXPECT_EQ(put("error_log", " "), 0);
	objects = memory_objects();
	for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
		long error = write_line(refused[i].line);

		if (error != refused[i].error)
			selftest_diag(test, "%s: %ld", refused[i].line, error);
		EXPECT_EQ(error, refused[i].error);
		EXPECT(strcmp(get(SWITCH_TRIGGER), before) == 0);
		EXPECT(strcmp(get("events/sched/sched_waking/enable"), enabled) == 0);
		EXPECT_EQ(put("error_log", " "), 0);
		memory_expect_objects(test, objects);
	}
	/* As in Linux, removing what is not there changes nothing, and is no error. */
	EXPECT_EQ(write_line("!traceoff"), 0);
	EXPECT_EQ(write_line("!enable_event:sched:sched_wakeup"), 0);
	EXPECT(strcmp(get(SWITCH_TRIGGER), before) == 0);
	EXPECT_EQ(remove_stacktrace(), 0);
	EXPECT_EQ(remove_hist(), 0);
}
