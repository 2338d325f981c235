/* The trigger snapshot: keeps the trace of this moment, as tracing_snapshot_tr() does. */
#include "fs/vfs/seq_file.h"
#include "trace/core/snapshot.h"
#include "trace/trigger/trigger.h"

static void snapshot(struct event_trigger_data *data, const void *rec __unused,
		     const struct trace_event_buffer *buffer __unused)
{
	if (event_trigger_take(data))
		tracing_snapshot_tr(data->file->tr);
}

/* A snapshot in the context of an event cannot allocate the second buffer. */
static int init(struct event_trigger_data *data)
{
	int error = tracing_arm_snapshot(data->file->tr);

	data->initialized = !error;
	return error;
}

static void disarm(struct event_trigger_data *data)
{
	if (data->initialized)
		tracing_disarm_snapshot(data->file->tr);
}

static void print(struct seq_file *m, struct event_trigger_data *data)
{
	event_trigger_print(m, "snapshot", data);
}

EVENT_COMMAND(snapshot_command, "30") = {
	.name = "snapshot",
	.type = ETT_SNAPSHOT,
	.parse = event_trigger_parse,
	.trigger = snapshot,
	.print = print,
	.init = init,
	.free = disarm,
};
