/* The fields of events (fields.c). Any context. */
#pragma once

#include "trace/core/events.h"

struct trace_event_call;

/* The fields that all entries have: common_type, common_flags, … */
extern const struct trace_event_field trace_common_fields[];
/*
 * Finds a field by name in Linux's order: the event's own fields, then cpu and comm, then the
 * common fields. NULL: no such field.
 */
const struct trace_event_field *trace_find_event_field(const struct trace_event_call *call,
						       const char *name);
/* Returns the field's filter type. FILTER_OTHER becomes what the field's C type says. */
enum trace_filter_type trace_field_filter_type(const struct trace_event_field *field);
