/* The triggers traceon and traceoff. Only a call that changes something counts. */
#include "fs/vfs/seq_file.h"
#include "trace/trigger/trigger.h"

static void traceon(struct event_trigger_data *data, const void *rec __unused,
		    const struct trace_event_buffer *buffer __unused)
{
	struct trace_array *tr = data->file->tr;

	if (!tracing_is_on_tr(tr) && event_trigger_take(data) && !tracing_record_on_tr(tr))
		event_trigger_give_back(data); /* another CPU was faster */
}

static void traceoff(struct event_trigger_data *data, const void *rec __unused,
		     const struct trace_event_buffer *buffer __unused)
{
	struct trace_array *tr = data->file->tr;

	if (tracing_is_on_tr(tr) && event_trigger_take(data) && !tracing_record_off_tr(tr))
		event_trigger_give_back(data);
}

static void print(struct seq_file *m, struct event_trigger_data *data)
{
	event_trigger_print(m, data->cmd->name, data);
}

EVENT_COMMAND(traceon_command, "10") = {
	.name = "traceon",
	.type = ETT_TRACE_ONOFF,
	.parse = event_trigger_parse,
	.trigger = traceon,
	.print = print,
};

/* After the commit: the event that turns tracing off is the last one in the trace. */
EVENT_COMMAND(traceoff_command, "20") = {
	.name = "traceoff",
	.type = ETT_TRACE_ONOFF,
	.flags = EVENT_CMD_FL_POST_TRIGGER,
	.parse = event_trigger_parse,
	.trigger = traceoff,
	.print = print,
};
