/*
 * Filters of events: an expression over the fields of a record, compiled to a flat program
 * (Documentation/trace/events.rst, section 5; docs/event-filters.md).
 */
#pragma once

#include "kernel/types.h"

struct event_filter;
struct trace_array;
struct trace_event_call;

/*
 * Compiles text for the records of call. 0; -ENOMEM; or Linux's errno for text that is not a filter
 * of call: -EINVAL, and -EPERM, -ENOENT and -ESRCH for some errors of the grammar. Then error_log
 * of tr has the reason; no log if tr is NULL. Task context.
 */
int event_filter_create(struct trace_array *tr, const struct trace_event_call *call,
			const char *text, struct event_filter **filter);
/* NULL is fine. The caller waits for RCU readers first. Any context but NMI. */
void event_filter_free(struct event_filter *filter);
const char *event_filter_text(const struct event_filter *filter);
/*
 * Returns true if the record passes. rec begins with struct trace_entry. Preemption off; any
 * context, NMI included. It neither allocates nor locks.
 */
bool event_filter_match(const struct event_filter *filter, const void *rec);
