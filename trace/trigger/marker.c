/*
 * The triggers of ftrace:print. No tracepoint calls them: each write to trace_marker does, with the
 * entry that it has filled and not committed yet.
 */
#include "kernel/init.h"
#include "trace/core/marker.h"
#include "trace/trigger/trigger.h"

static unsigned before_commit(const struct trace_marker *marker)
{
	struct trace_event_file *file = READ_ONCE(trace_events_of(marker->tr)->print_file);
	struct trace_event_buffer buffer = {
		.file = file,
		.entry = marker->entry,
		.length = (u32)marker->length,
		.ctx = marker->ctx,
		.caller = marker->caller,
	};

	if (!file || !(READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_MODE))
		return 0;
	return event_triggers_call(file, marker->entry, &buffer);
}

static void after_commit(const struct trace_marker *marker, unsigned types)
{
	struct trace_event_file *file = trace_events_of(marker->tr)->print_file;
	struct trace_event_buffer buffer = {
		.file = file,
		.ctx = marker->ctx,
		.caller = marker->caller,
	};

	event_triggers_post_call(file, types, &buffer);
}

static const struct trace_marker_hook hook = {
	.before_commit = before_commit,
	.after_commit = after_commit,
};

static int __init trigger_marker_init(void)
{
	trace_marker_hook = &hook;
	return 0;
}
core_initcall(trigger_marker_init);
