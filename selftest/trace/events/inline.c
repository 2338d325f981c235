/*
 * Self-tests of the events that are recorded without a call (trace/events/record.h): in each state
 * of the CPU the record is that of the slow way, and the filter of the first field drops no other
 * event than the whole filter does.
 */
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/entries.h"
#include "trace/core/trace_array.h"
#include "trace/events/event.h"
#include "trace/filter/filter.h"

#define EVENTS 200U /* more than one sub-buffer has room for */

/* What is recorded: an event of raw_syscalls:sys_enter. */
struct record {
	struct trace_entry ent;
	long id;
	unsigned long args[6];
};

/* The states in which events are recorded. count: what is added to the preempt count. */
static const struct {
	const char *name;
	u32 count;
	bool irqs_off, resched;
} states[] = {
	{ .name = "a task" },
	{ .name = "preemption off 14 times", .count = 14 * PREEMPT_OFFSET },
	{ .name = "preemption off 16 times", .count = 16 * PREEMPT_OFFSET },
	{ .name = "interrupts off", .irqs_off = true },
	{ .name = "bottom halves off", .count = SOFTIRQ_DISABLE_OFFSET },
	{ .name = "a softirq", .count = SOFTIRQ_OFFSET },
	{ .name = "an interrupt", .count = HARDIRQ_OFFSET, .irqs_off = true },
	{ .name = "an NMI", .count = NMI_OFFSET + HARDIRQ_OFFSET, .irqs_off = true },
	{ .name = "a switch is due", .count = PREEMPT_OFFSET, .resched = true },
};

/* The file of the event, which is off, and a copy with a filter, which takes the slow way. */
static struct trace_event_file *direct, filtered;

static bool begin(const char *filter)
{
	struct cpumask here;
	int error;

	reset();
	cpumask_clear(&here);
	cpumask_set_cpu(nth_online_cpu(0), &here);
	mutex_lock(&event_mutex);
	direct = find_event_file(&global_trace, "raw_syscalls", "sys_enter");
	error = event_filter_create(NULL, direct->call, filter, &filtered.filter);
	mutex_unlock(&event_mutex);
	filtered.call = direct->call;
	filtered.tr = direct->tr;
	filtered.flags = EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_FILTERED;
	INIT_LIST_HEAD(&filtered.triggers);
	/* A tick would ask for a switch to another fair task between the two records of a pair. */
	return !error && !set_cpus_allowed(current, &here) &&
	       !sched_setscheduler(current, SCHED_FIFO, MAX_RT_PRIO - 1);
}

static void end(void)
{
	event_filter_free(filtered.filter);
	sched_setscheduler(current, SCHED_NORMAL, 0);
	set_cpus_allowed(current, &cpu_possible_mask);
	reset();
}

/* An event, as the tracepoint calls its probe. */
static void hit(struct trace_event_file *file, long id)
{
	const unsigned long args[] = { 1, 2, 3, 4, 5, (unsigned long)id };
	void (*probe)(void *, const unsigned long *, long) =
		(void (*)(void *, const unsigned long *, long))file->call->probe;

	preempt_disable_notrace();
	probe(file, args, id);
	preempt_enable_notrace();
}

static bool consume(struct record *record, u64 *stamp)
{
	u64 lost;

	return ring_buffer_consume(global_trace.buffer, smp_processor_id(), record, sizeof(*record),
				   stamp, &lost) == sizeof(*record);
}

/*
 * Returns how many of the pairs in this CPU's buffer are equal; they must be all of it. The state
 * changed within pair number id if changed[id] is true: its flags may differ.
 */
static unsigned count_equal_pairs(const bool *changed)
{
	struct record pair[2];
	unsigned equal = 0;
	u64 stamp[2];

	for (long id = 1;; id++) {
		if (!consume(&pair[0], &stamp[0]) || !consume(&pair[1], &stamp[1]))
			return equal;
		if (id <= (long)EVENTS && changed[id])
			pair[1].ent.flags = pair[0].ent.flags;
		equal += memcmp(&pair[0], &pair[1], sizeof(pair[0])) == 0 && pair[0].id == id &&
			 pair[0].args[5] == (unsigned long)id && stamp[0] <= stamp[1];
	}
}

SELFTEST(events_inline, records_are_those_of_the_slow_way)
{
	unsigned long flags;

	ASSERT(begin("id != 0"));
	for (unsigned s = 0; s < ARRAY_SIZE(states); s++) {
		bool changed[EVENTS + 1] = { 0 };
		unsigned equal;

		reset();
		local_irq_save(flags);
		if (!states[s].irqs_off)
			local_irq_restore(flags);
		preempt_count_add(states[s].count);
		for (long id = 1; id <= EVENTS; id++) {
			bool due;

			if (states[s].resched)
				set_preempt_need_resched();
			due = test_preempt_need_resched();
			hit(direct, id);
			hit(&filtered, id);
			/* The end of a real-time task's share of the time may ask for a switch. */
			changed[id] = due != test_preempt_need_resched();
		}
		preempt_count_sub(states[s].count);
		local_irq_restore(flags);
		equal = count_equal_pairs(changed);
		if (equal != EVENTS)
			selftest_fail(test, __FILE__, __LINE__, "%s: %u of %u records are equal",
				      states[s].name, equal, EVENTS);
	}
	end();
}

SELFTEST(events_inline, a_filter_of_the_first_field_drops_the_others)
{
	static const struct {
		const char *filter;
		long passes[3]; /* of -1 to 8; 0 ends */
	} filters[] = {
		{ "id == 7", { 7 } },         { "id & 6 && id > 6", { 7 } },
		{ "id & 8", { -1, 8 } },      { "id == -1 || id == 5", { -1, 5 } },
		{ "common_pid == 0", { 0 } },
	};
	struct record record;
	u64 stamp;

	for (unsigned f = 0; f < ARRAY_SIZE(filters); f++) {
		unsigned passed = 0;

		ASSERT(begin(filters[f].filter));
		for (long id = -1; id <= 8; id++)
			hit(&filtered, id);
		while (passed < 3 && consume(&record, &stamp) &&
		       record.id == filters[f].passes[passed] && record.ent.pid == current->pid)
			passed++;
		if (filters[f].passes[passed] || consume(&record, &stamp))
			selftest_fail(test, __FILE__, __LINE__, "%s: record %u", filters[f].filter,
				      passed);
		end();
	}
}
