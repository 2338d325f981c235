/*
 * The triggers enable_event and disable_event. The other event is in soft mode while the trigger
 * exists: its probe runs, and one flag in its file says whether it records. The trigger changes
 * only this flag, so it works in any context.
 */
#include "trace/trigger/enable.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

/* ---- any context ---- */

bool trace_event_soft_switch(struct trace_event_file *file, bool enable)
{
	unsigned long old;

	if (enable)
		old = __atomic_fetch_and(&file->flags, ~(unsigned long)EVENT_FILE_FL_SOFT_DISABLED,
					 __ATOMIC_RELAXED);
	else
		old = __atomic_fetch_or(&file->flags, EVENT_FILE_FL_SOFT_DISABLED,
					__ATOMIC_RELAXED);
	return !(old & EVENT_FILE_FL_SOFT_DISABLED) != enable;
}

bool trace_event_soft_enabled(const struct trace_event_file *file)
{
	return !(READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED);
}

/* Only a call that changes something counts. */
static void soft_switch(struct event_trigger_data *data, bool enable)
{
	struct trace_event_file *target = event_trigger_target(data);

	if (trace_event_soft_enabled(target) == enable || !event_trigger_take(data))
		return;
	if (!trace_event_soft_switch(target, enable))
		event_trigger_give_back(data); /* another CPU was faster */
}

static void enable_event(struct event_trigger_data *data, const void *rec __unused,
			 const struct trace_event_buffer *buffer __unused)
{
	soft_switch(data, true);
}

static void disable_event(struct event_trigger_data *data, const void *rec __unused,
			  const struct trace_event_buffer *buffer __unused)
{
	soft_switch(data, false);
}

/* ---- E held ---- */

int event_enable_parse_param(struct event_trigger_data *data, char **param)
{
	const char *system = strsep(param, ":"), *name = strsep(param, ":");

	if (!name)
		return -EINVAL;
	data->private = find_event_file(data->file->tr, system, name);
	if (!data->private || (*param && !**param))
		return -EINVAL;
	return 0;
}

bool event_enable_same(const struct event_trigger_data *a, const struct event_trigger_data *b)
{
	return event_trigger_target(a) == event_trigger_target(b);
}

int event_enable_init(struct event_trigger_data *data)
{
	struct trace_event_file *target = event_trigger_target(data);
	int error = trace_event_enable_disable(target, true, true);

	if (error)
		return error;
	data->initialized = true;
	return 0;
}

void event_enable_free(struct event_trigger_data *data)
{
	struct trace_event_file *target = event_trigger_target(data);

	if (!data->initialized)
		return;
	(void)trace_event_enable_disable(target, false, true);
}

void event_enable_print(struct seq_file *m, struct event_trigger_data *data)
{
	const struct trace_event_call *call = event_trigger_target(data)->call;

	seq_printf(m, "%s:%s:", data->cmd->name, trace_event_system(call));
	event_trigger_print(m, trace_event_name(call), data);
}

EVENT_ENABLE_COMMAND(enable_event_command, "50", "enable_event", ETT_EVENT_ENABLE, enable_event);

EVENT_ENABLE_COMMAND(disable_event_command, "60", "disable_event", ETT_EVENT_ENABLE, disable_event);
