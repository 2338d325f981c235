/*
 * Self-tests of the quick paths of the function tracers: in each state of the CPU they record what
 * the readable ones record.
 */
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/write.h"
#include "trace/tracers/function/internal.h"

#define CALLS  500U /* more than one sub-buffer has room for */
#define IP     0x1000UL
#define CALLER 0x2000UL

/* ---- function ---- */

static void begin_depth(unsigned depth)
{
	while (depth--)
		preempt_disable();
}

static void end_depth(unsigned depth)
{
	while (depth--)
		preempt_enable();
}

/* The states in which calls are recorded. */
static const struct {
	const char *name;
	unsigned depth; /* of preemption */
	bool irqs_off, in_softirq, resched;
} states[] = {
	{ .name = "a task" },
	{ .name = "preemption off", .depth = 1 },
	{ .name = "preemption off 15 times", .depth = 15 },
	{ .name = "preemption off 16 times", .depth = 16 },
	{ .name = "interrupts off", .irqs_off = true },
	{ .name = "bottom halves off", .in_softirq = true },
	{ .name = "a switch is due", .depth = 1, .resched = true },
	{ .name = "a switch is due, interrupts off", .irqs_off = true, .resched = true },
};

/*
 * Records the same call in both ways. Returns whether a switch became due between them: the end of
 * a real-time task's share of the time may ask for one.
 */
static bool record_twice(struct ftrace_ops *ops, unsigned i)
{
	bool due = test_preempt_need_resched();
	u32 ctx;

	function_trace_call(IP + i, CALLER, ops, NULL);
	ctx = tracing_gen_ctx();
	preempt_disable_notrace();
	function_record(ops->private, IP + i, CALLER, ctx);
	preempt_enable_notrace();
	return due != test_preempt_need_resched();
}

/*
 * Returns how many of the pairs in this CPU's buffer are equal; they must be all of it. The flags
 * of those with changed[] may differ.
 */
static unsigned count_equal_pairs(const bool *changed)
{
	struct ftrace_entry pair[2];
	unsigned equal = 0, cpu = smp_processor_id();
	u64 stamp[2], lost;

	for (unsigned i = 0;; i++) {
		for (unsigned n = 0; n < 2; n++)
			if (ring_buffer_consume(global_trace.buffer, cpu, &pair[n], sizeof(pair[n]),
						&stamp[n], &lost) != sizeof(pair[n]))
				return equal;
		if (i < CALLS && changed[i])
			pair[1].ent.flags = pair[0].ent.flags;
		equal += memcmp(&pair[0], &pair[1], sizeof(pair[0])) == 0 && pair[0].ip == IP + i &&
			 stamp[0] <= stamp[1];
	}
}

SELFTEST(quick, function_entries_are_those_of_the_readable_path)
{
	struct ftrace_ops ops = { .private = &global_trace };
	struct cpumask here;
	unsigned long flags;

	cpumask_clear(&here);
	cpumask_set_cpu(nth_online_cpu(0), &here);
	ASSERT(set_cpus_allowed(current, &here) == 0);
	/* A tick would ask for a switch to another fair task between the two entries of a pair. */
	ASSERT(sched_setscheduler(current, SCHED_FIFO, MAX_RT_PRIO - 1) == 0);
	for (unsigned s = 0; s < ARRAY_SIZE(states); s++) {
		bool changed[CALLS];
		unsigned equal;

		reset();
		begin_depth(states[s].depth);
		if (states[s].in_softirq)
			local_bh_disable();
		local_irq_save(flags);
		if (!states[s].irqs_off)
			local_irq_restore(flags);
		for (unsigned i = 0; i < CALLS; i++) {
			if (states[s].resched)
				set_preempt_need_resched();
			changed[i] = record_twice(&ops, i);
		}
		local_irq_restore(flags);
		if (states[s].in_softirq)
			local_bh_enable();
		end_depth(states[s].depth);
		equal = count_equal_pairs(changed);
		if (equal != CALLS)
			selftest_fail(test, __FILE__, __LINE__, "%s: %u of %u entries are equal",
				      states[s].name, equal, CALLS);
	}
	sched_setscheduler(current, SCHED_NORMAL, 0);
	set_cpus_allowed(current, &cpu_possible_mask);
	reset();
}

/* ---- function_graph ---- */

#define GRAPH_TEXT 1024U

/* Traces calls one inside another, and copies what the graph shows behind the durations. */
static void trace_graph(char *graph, size_t size)
{
	size_t length = 0;

	put("trace", "");
	put("tracing_on", "1");
	ftrace_target_recurse(4);
	ftrace_target_add(1, 2);
	put("tracing_on", "0");
	for (const char *line = get("trace"); line && *line; line = strchr(line, '\n')) {
		const char *bar;
		size_t n;

		line += *line == '\n';
		n = strcspn(line, "\n");
		bar = memchr(line, '|', n);
		if (*line == '#' || !bar || length + n >= size)
			continue;
		n -= (size_t)(bar - line);
		memcpy(graph + length, bar, n);
		length += n;
	}
	graph[length] = '\0';
}

SELFTEST(quick, a_graph_is_that_of_the_readable_path)
{
	static char quick[GRAPH_TEXT], readable[GRAPH_TEXT];

	reset();
	EXPECT_EQ(put("set_ftrace_filter", "ftrace_target_*"), 0);
	EXPECT_EQ(put("current_tracer", "function_graph"), 0);
	trace_graph(quick, sizeof(quick));
	/* Any list makes the tracer check each call, which only the readable path does. */
	EXPECT_EQ(put("set_graph_notrace", "ftrace_target_other"), 0);
	trace_graph(readable, sizeof(readable));
	EXPECT_EQ(put("set_graph_notrace", ""), 0);
	EXPECT(strstr(quick, "ftrace_target_recurse() {") && strstr(quick, "ftrace_target_add();"));
	if (strcmp(quick, readable) != 0)
		selftest_fail(test, __FILE__, __LINE__, "\"%s\" is not \"%s\"", quick, readable);
	reset();
}
