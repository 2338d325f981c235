/*
 * A sample that records an event of its own at each call of a function.
 *
 *	cd /sys/kernel/debug/samples
 *	echo vfs_read > event.function
 *	echo 1 > event					fires the event at each call of vfs_read()
 *	echo 1 > /sys/kernel/tracing/events/sample/enable
 *	cat /sys/kernel/tracing/trace
 *	echo 0 > event
 *
 * The event is declared in sample_events.h. Two lines are enough to fire it at a place in the
 * kernel:
 *
 *	#include "trace/samples/sample_events.h"
 *	trace_sample_call(…);
 *
 * The last two lines of this file make the event. trace/events/systems/ has a file with such lines
 * for each header of the kernel.
 */
#include "trace/samples/sample_events.h"

#include "arch/irqflags.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "trace/ftrace/ftrace.h"
#include "trace/samples/sample.h"

static unsigned context(void)
{
	u32 count = preempt_count();

	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : count & SOFTIRQ_OFFSET ? 1 : 0;
}

/* Runs at the start of each call, with preemption off: the count is 1 higher than in the caller. */
static void record_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op __unused,
			struct ftrace_regs *fregs __unused)
{
	char caller[KSYM_SYMBOL_LEN];

	if (!trace_sample_call_enabled())
		return; /* the event is off: its arguments are not needed */
	sprint_symbol_no_offset(caller, parent_ip);
	trace_sample_call(ip, caller, context(),
			  (irqs_disabled() ? 1U : 0) |
				  ((preempt_count() & PREEMPT_MASK) > 1 ? 2U : 0));
}

/* The names of functions come from functions that are traced, too. */
static struct ftrace_ops event_ops = {
	.func = record_call,
	.flags = FTRACE_OPS_FL_RECURSION,
};

static int event_start(const char *function)
{
	int error = ftrace_set_filter(&event_ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_function(&event_ops);
	if (error)
		ftrace_free_filter(&event_ops);
	return error;
}

static int event_stop(void)
{
	int error = unregister_ftrace_function(&event_ops);

	ftrace_free_filter(&event_ops);
	return error;
}

static void event_show(struct seq_file *m)
{
	seq_puts(m, "see /sys/kernel/tracing/events/sample/\n");
}

static struct sample event_sample = {
	.name = "event",
	.function = "vfs_read",
	.start = event_start,
	.stop = event_stop,
	.show = event_show,
};

static int __init event_init(void)
{
	return register_sample(&event_sample);
}
device_initcall(event_init);

#define TRACE_EVENTS_HEADER "trace/samples/sample_events.h"
#include "trace/events/define.h"
