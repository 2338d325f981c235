/* Self-tests of where an event has happened: callers of tracepoints, interrupted registers. */
#include "arch/unwind/unwind_event.h"

#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "selftest/kernel/selftest_events.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/events/record.h"

#define ENTRIES 32

/* What a probe has found. */
struct place {
	bool found, in_interrupt;
	unsigned long frame, ip;
	unsigned count;
	unsigned long entries[ENTRIES]; /* the callers of the function with the tracepoint */
};

static bool is_in(unsigned long ip, const char *function)
{
	char symbol[KSYM_NAME_LEN];

	return kallsyms_lookup(ip - 1, NULL, NULL, symbol) && !strcmp(symbol, function);
}

static bool has(const struct place *place, const char *function)
{
	for (unsigned i = 0; i < place->count; i++)
		if (is_in(place->entries[i], function))
			return true;
	return false;
}

/* Not the probe itself: those of events have callees, too. */
static noinline void find_place(struct place *place)
{
	place->found = stack_trace_find_caller(__builtin_frame_address(0), trace_is_traceiter,
					       &place->frame, &place->ip);
	place->in_interrupt = in_hardirq();
	if (place->found)
		place->count = stack_trace_save_frame(place->frame, place->entries, ENTRIES);
}

static void probe(void *data, unsigned long number __unused)
{
	find_place(data);
}

/* A second probe: then a function is between __traceiter_NAME() and the probes. */
static void other_probe(void *data, unsigned long number __unused)
{
	find_place(data);
}

static noinline void function_with_tracepoint(void)
{
	trace_selftest_number(1);
	barrier();
}

static noinline void caller_of_function(void)
{
	function_with_tracepoint();
	barrier();
}

SELFTEST(unwind_event, probe_finds_the_function_with_the_tracepoint_and_its_callers)
{
	struct place places[2] = { 0 };

	ASSERT(!register_trace_selftest_number(probe, &places[0]));
	caller_of_function();
	ASSERT(places[0].found);
	EXPECT(is_in(places[0].ip, "function_with_tracepoint"));
	EXPECT(places[0].count > 2);
	EXPECT(is_in(places[0].entries[0], "caller_of_function"));
	EXPECT(has(&places[0], "ret_from_fork"));
	EXPECT(!places[0].in_interrupt);

	ASSERT(!register_trace_selftest_number(other_probe, &places[1]));
	caller_of_function();
	EXPECT(!unregister_trace_selftest_number(probe, &places[0]));
	EXPECT(!unregister_trace_selftest_number(other_probe, &places[1]));
	ASSERT(places[1].found);
	EXPECT_EQ_HEX(places[1].ip, places[0].ip);
	EXPECT(is_in(places[1].entries[0], "caller_of_function"));
}

SELFTEST(unwind_event, caller_without_a_tracepoint_is_not_found)
{
	struct place place = { 0 };

	find_place(&place);
	EXPECT(!place.found);
	EXPECT_EQ(stack_trace_save_frame(0, place.entries, ENTRIES), 0);
}

static void find_in_interrupt(void *data)
{
	struct place *place = data;
	const struct pt_regs *regs;

	place->in_interrupt = in_hardirq();
	if (!place->in_interrupt)
		return; /* a loop that waits with interrupts off answers calls, too */
	regs = stack_trace_handler_regs();
	if (!user_mode(regs))
		place->ip = regs->ip;
	caller_of_function();
}

static bool stop_spinning;

static noinline void spin(void *unused __unused, unsigned index __unused)
{
	while (!READ_ONCE(stop_spinning))
		cpu_relax();
}

SELFTEST(unwind_event, interrupt_finds_the_registers_that_it_has_interrupted)
{
	struct place place = { 0 }, probed = { 0 };
	struct test_group group;
	unsigned tries = 0;

	if (num_online_cpus() == 1)
		return; /* a call on this CPU needs no interrupt */
	ASSERT(run_on_nth_cpu(0));
	stop_spinning = false;
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), spin, NULL));
	ASSERT(!register_trace_selftest_number(probe, &probed));
	do {
		msleep(1);
		smp_call_function_single(nth_online_cpu(1), find_in_interrupt, &place, true);
	} while (!is_in(place.ip + 1, "spin") && tries++ < 10000);
	WRITE_ONCE(stop_spinning, true);
	EXPECT(!unregister_trace_selftest_number(probe, &probed));
	test_group_wait(&group);
	run_on_any_cpu();
	EXPECT(place.in_interrupt);
	EXPECT(is_in(place.ip + 1, "spin"));
	/* The stack of an event in an interrupt leads through it. */
	EXPECT(probed.found && probed.in_interrupt);
	EXPECT(is_in(probed.ip, "function_with_tracepoint"));
	EXPECT(has(&probed, "find_in_interrupt"));
	EXPECT(has(&probed, "spin"));
}
