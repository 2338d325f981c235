/* The fields of events: finding one, and its kind. Any context. */
#include "kernel/lib/string.h"
#include "trace/core/entries.h"
#include "trace/events/event.h"

const struct trace_event_field trace_common_fields[] = {
	{ "unsigned short", "common_type", offsetof(struct trace_entry, type), 2, false, 0, 0 },
	{ "unsigned char", "common_flags", offsetof(struct trace_entry, flags), 1, false, 0, 0 },
	{ "unsigned char", "common_preempt_count", offsetof(struct trace_entry, preempt_count), 1,
	  false, 0, 0 },
	{ "int", "common_pid", offsetof(struct trace_entry, pid), 4, true, 0, 0 },
	{ .name = NULL },
};

/* Fields that are not in the record: a filter or a histogram asks the CPU or the task. */
static const struct trace_event_field generic_fields[] = {
	{ "int", "CPU", 0, 0, true, FILTER_CPU, 0 },
	{ "int", "cpu", 0, 0, true, FILTER_CPU, 0 },
	{ "int", "common_cpu", 0, 0, true, FILTER_CPU, 0 },
	{ "char *", "COMM", 0, 0, false, FILTER_COMM, 0 },
	{ "char *", "comm", 0, 0, false, FILTER_COMM, 0 },
	{ .name = NULL },
};

static const struct trace_event_field *find(const struct trace_event_field *field, const char *name)
{
	while (field->name && strcmp(field->name, name) != 0)
		field++;
	return field->name ? field : NULL;
}

const struct trace_event_field *trace_find_event_field(const struct trace_event_call *call,
						       const char *name)
{
	const struct trace_event_field *field = find(call->event.fields, name);

	if (!field)
		field = find(generic_fields, name);
	return field ? field : find(trace_common_fields, name);
}

enum trace_filter_type trace_field_filter_type(const struct trace_event_field *field)
{
	if (field->filter_type != FILTER_OTHER)
		return field->filter_type;
	if (strcmp(field->type, "__data_loc char[]") == 0)
		return FILTER_DYN_STRING;
	if (strcmp(field->type, "__rel_loc char[]") == 0)
		return FILTER_RDYN_STRING;
	if (strcmp(field->type, "__data_loc cpumask_t") == 0)
		return FILTER_CPUMASK;
	if (strncmp(field->type, "char[", 5) == 0)
		return FILTER_STATIC_STRING;
	if (strcmp(field->type, "char *") == 0 || strcmp(field->type, "const char *") == 0)
		return FILTER_PTR_STRING;
	return FILTER_OTHER;
}
