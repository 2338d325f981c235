/*
 * A sample that records an event of its own at each call of a function.
 *
 *	modprobe sample-event function=vfs_read		fires the event at each call of vfs_read()
 *	echo 1 > /sys/kernel/tracing/events/sample/enable
 *	cat /sys/kernel/tracing/trace
 *	rmmod sample-event
 *
 * The event is declared in sample-event_events.h. The last two lines of this file make the event.
 */
#include "modules/sample-event_events.h"

#include "arch/cpu/irqflags.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "kernel/preempt.h"
#include "trace/ftrace/ftrace.h"

static char *function = "vfs_read";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

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

static int __init sample_event_init(void)
{
	int error = ftrace_set_filter(&event_ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_function(&event_ops);
	if (error)
		ftrace_free_filter(&event_ops);
	return error;
}
module_init(sample_event_init);

static void __exit sample_event_exit(void)
{
	unregister_ftrace_function(&event_ops);
	ftrace_free_filter(&event_ops);
}
module_exit(sample_event_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("records an event at the calls of a function");

#define TRACE_EVENTS_HEADER "modules/sample-event_events.h"
#include "trace/events/define.h"
