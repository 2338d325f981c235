/*
 * show_event_filters and show_event_triggers: all events with a filter, all triggers, on one page
 * (Documentation/trace/events.rst of Linux 6.19).
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/core/readme.h"
#include "trace/events/event.h"
#include "trace/filter/filter.h"
#include "kernel/rcu/rculist.h"
#include "trace/trigger/trigger.h"

#define COLUMN 32 /* of what follows the event's name, if that is shorter */

static void show_name(struct seq_file *m, const struct trace_event_file *file)
{
	const char *system = trace_event_system(file->call), *name = trace_event_name(file->call);
	int length = (int)(strlen(system) + 1 + strlen(name));

	seq_printf(m, "%s:%s%*s", system, name, max(COLUMN - length, 1), "");
}

static int show_event_filters_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((const struct trace_cpu *)m->private)->tr;
	struct trace_event_file *file;

	mutex_lock(&event_mutex);
	list_for_each_entry (file, &trace_events_of(tr)->files, list) {
		if (!(file->flags & EVENT_FILE_FL_FILTERED))
			continue;
		show_name(m, file);
		seq_printf(m, "%s\n", event_filter_text(file->filter));
	}
	mutex_unlock(&event_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(show_event_filters);

static int show_event_triggers_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((const struct trace_cpu *)m->private)->tr;
	struct event_trigger_data *data;
	struct trace_event_file *file;

	mutex_lock(&event_mutex);
	list_for_each_entry (file, &trace_events_of(tr)->files, list) {
		for_each_event_trigger (data, file) {
			if (!data->cmd->print)
				continue;
			show_name(m, file);
			data->cmd->print(m, data);
		}
	}
	mutex_unlock(&event_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(show_event_triggers);

TRACE_FILE(show_event_filters, 0440, &show_event_filters_fops);
TRACE_FILE(show_event_triggers, 0440, &show_event_triggers_fops);
TRACE_README(show_events, "4b1",
	     "  show_event_filters\t- the events that have a filter, with it\n"
	     "  show_event_triggers\t- the events that have triggers, with them\n");
