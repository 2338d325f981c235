/*
 * Synthetic events: events that a user defines at run time, and that histograms make out of values
 * of other events (Documentation/trace/histogram.rst, "Synthetic Events").
 *
 *	wakeup_latency u64 lat; pid_t pid; char comm[16]; unsigned long stack[]
 */
#pragma once

#include "trace/events/dynamic_events.h"
#include "trace/events/event.h"
#include "trace/synth/parse.h"

struct synth_event {
	struct dyn_event dyn; /* own legend, as call and tp */
	struct trace_event_call call;
	struct tracepoint tp; /* its probes are the files in which the event is enabled */
	struct synth_definition definition;
	u16 static_size;                  /* bytes of the record without strings and stacks */
	struct trace_event_field *fields; /* for call.event.fields */
	char *print_fmt;                  /* for call.event.print_fmt */
	struct rcu_head rcu;
}; /* constant once created, but for dyn, call and tp */

/*
 * Finds an event by name and keeps it from being removed, until synth_event_put(). NULL: there is
 * no such event. E held, for both.
 */
struct synth_event *synth_event_get(const char *name);
void synth_event_put(struct synth_event *event);

/*
 * Creates an event from "NAME TYPE FIELD; TYPE FIELD…". 0, -EEXIST, -EINVAL (the reason is in
 * error_log), -ENOMEM or -ENOSPC. Removes an event: 0, -ENOENT or -EBUSY. E not held; sleep.
 */
int synth_event_create(const char *definition);
int synth_event_delete(const char *name);

#define SYNTH_STACK_MAX 64 /* callers of a stack in the record */

/*
 * Records the event in all trace_arrays in which it is enabled. values has one element for each
 * field. An integer is cast to the field's type. For a string the element is the address of text
 * with a NUL, for a stack the address of unsigned longs: the first is the number of callers, the
 * callers follow. The memory must be valid until the call returns; a string may change until then.
 * 0 stands for an empty string or stack. values NULL: there was no memory for them, so the event is
 * counted as dropped. Any context, NMI included.
 */
void trace_synth(struct synth_event *event, const u64 *values);

/* For synth.c: the functions of the event (record.c). */
void synth_event_record(void *file, struct synth_event *event, const u64 *values);
enum print_line_t synth_event_print(struct trace_iterator *iter);
