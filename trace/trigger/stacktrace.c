/* The trigger stacktrace: writes the callers of the event into the trace, behind the event. */
#include "arch/unwind/stacktrace.h"
#include "fs/vfs/seq_file.h"
#include "trace/trigger/trigger.h"

/*
 * ftrace:print has no tracepoint, which trace_event_write_stack() looks for. Its first caller is
 * the function that writes the entry: the one with the return address buffer->caller.
 */
static void write_marker_stack(struct trace_array *tr, const struct trace_event_buffer *buffer)
{
	unsigned long *callers = trace_scratch_get();
	unsigned count, first = 0;

	if (!callers)
		return;
	count = stack_trace_save(callers, TRACE_STACK_MAX, 0);
	while (first < count && callers[first] != buffer->caller)
		first++;
	trace_write_stack(tr, buffer->ctx, callers + first, count - first);
	trace_scratch_put();
}

static void stacktrace(struct event_trigger_data *data, const void *rec __unused,
		       const struct trace_event_buffer *buffer)
{
	struct trace_array *tr = data->file->tr;

	if (!event_trigger_take(data))
		return;
	if (buffer->caller)
		write_marker_stack(tr, buffer);
	else
		trace_event_write_stack(tr, buffer->ctx);
}

static void print(struct seq_file *m, struct event_trigger_data *data)
{
	event_trigger_print(m, "stacktrace", data);
}

EVENT_COMMAND(stacktrace_command, "40") = {
	.name = "stacktrace",
	.type = ETT_STACKTRACE,
	.flags = EVENT_CMD_FL_POST_TRIGGER,
	.parse = event_trigger_parse,
	.trigger = stacktrace,
	.print = print,
};
