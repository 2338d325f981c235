/* The trigger stacktrace: writes the callers of the event into the trace, behind the event. */
#include "arch/stacktrace.h"
#include "fs/seq_file.h"
#include "trace/events/trigger.h"

/* An event of a tracepoint has the frames of its probe and of __traceiter_NAME() on the stack. */
#define TRACEPOINT_FRAMES 2U

/*
 * Writes the callers, from the one that the event is in. The frames of the triggers themselves are
 * before buffer->caller, the return address of trace_event_commit_slow().
 */
static void write_stack(struct trace_event_file *file, const struct trace_event_buffer *buffer)
{
	unsigned long *callers = trace_scratch_get();
	unsigned count, first = 0;

	if (!callers)
		return;
	count = stack_trace_save(callers, TRACE_STACK_MAX, 0);
	while (first < count && callers[first] != buffer->caller)
		first++;
	if (file->call->tp)
		first += TRACEPOINT_FRAMES;
	if (first < count)
		trace_write_stack(file->tr, buffer->ctx, callers + first, count - first);
	trace_scratch_put();
}

static void stacktrace(struct event_trigger_data *data, const void *rec __unused,
		       const struct trace_event_buffer *buffer)
{
	if (event_trigger_take(data))
		write_stack(data->file, buffer);
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
