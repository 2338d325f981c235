/* The triggers enable_hist and disable_hist: continue and pause the histograms of another event. */
#include "kernel/rcu/rculist.h"
#include "trace/trigger/enable.h"

static void set_paused(struct event_trigger_data *data, bool paused)
{
	struct event_trigger_data *other;

	if (!event_trigger_take(data))
		return;
	for_each_event_trigger (other, event_trigger_target(data))
		if (other->cmd->type == ETT_EVENT_HIST)
			WRITE_ONCE(other->paused, paused);
}

static void enable_hist(struct event_trigger_data *data, const void *rec __unused,
			const struct trace_event_buffer *buffer __unused)
{
	set_paused(data, false);
}

static void disable_hist(struct event_trigger_data *data, const void *rec __unused,
			 const struct trace_event_buffer *buffer __unused)
{
	set_paused(data, true);
}

/* enable_hist and disable_hist have one type, so this removes the triggers of both. E held. */
static void unreg_all(struct trace_event_file *file)
{
	struct event_trigger_data *data, *next;

	list_for_each_entry_safe (data, next, &file->triggers, list)
		if (data->cmd->type == ETT_HIST_ENABLE)
			event_trigger_unregister(data);
}

EVENT_ENABLE_COMMAND(enable_hist_command, "70", "enable_hist", ETT_HIST_ENABLE, enable_hist,
		     .unreg_all = unreg_all);

EVENT_ENABLE_COMMAND(disable_hist_command, "80", "disable_hist", ETT_HIST_ENABLE, disable_hist);
