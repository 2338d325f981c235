/*
 * The events of trace-events-sample.c: one of each kind that a header can declare. Their names and
 * their system are those of Linux's sample, because its test suite uses them.
 */
#if !defined(TRACE_EVENTS_SAMPLE_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define TRACE_EVENTS_SAMPLE_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sample-trace

#include "kernel/tracepoint.h"

int foo_bar_reg(void);
void foo_bar_unreg(void);

/* clang-format off */

TRACE_EVENT(foo_bar,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_STRUCT__entry(
		__array(char, foo, 10)
		__field(int, bar)
		__string(str, foo)
	),
	TP_fast_assign(
		strscpy(__entry->foo, foo, sizeof(__entry->foo));
		__entry->bar = bar;
		__assign_str(str, foo);
	),
	TP_printk("foo %s %d %s %s", __entry->foo, __entry->bar,
		__print_flags(__entry->bar, "|", { 1, "BIT1" }, { 2, "BIT2" }, { 4, "BIT3" }, { 8, "BIT4" }),
		__get_str(str))
);

TRACE_EVENT_CONDITION(foo_bar_with_cond,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_CONDITION(!(bar % 10)),
	TP_STRUCT__entry(
		__string(foo, foo)
		__field(int, bar)
	),
	TP_fast_assign(
		__assign_str(foo, foo);
		__entry->bar = bar;
	),
	TP_printk("foo %s %d", __get_str(foo), __entry->bar)
);

TRACE_EVENT_FN(foo_bar_with_fn,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_STRUCT__entry(
		__string(foo, foo)
		__field(int, bar)
	),
	TP_fast_assign(
		__assign_str(foo, foo);
		__entry->bar = bar;
	),
	TP_printk("foo %s %d", __get_str(foo), __entry->bar),
	foo_bar_reg, foo_bar_unreg
);

DECLARE_EVENT_CLASS(foo_template,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_STRUCT__entry(
		__string(foo, foo)
		__field(int, bar)
	),
	TP_fast_assign(
		__assign_str(foo, foo);
		__entry->bar = bar;
	),
	TP_printk("foo %s %d", __get_str(foo), __entry->bar)
);

DEFINE_EVENT(foo_template, foo_with_template_simple,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar)
);

DEFINE_EVENT_CONDITION(foo_template, foo_with_template_cond,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_CONDITION(!(bar % 8))
);

DEFINE_EVENT_FN(foo_template, foo_with_template_fn,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	foo_bar_reg, foo_bar_unreg
);

DEFINE_EVENT_PRINT(foo_template, foo_with_template_print,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_printk("bar %s %d", __get_str(foo), __entry->bar)
);

/* clang-format on */
#endif
