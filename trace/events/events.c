/* All events, and the struct trace_event_file that each trace_array has for each event. */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rculist.h"
#include "kernel/tracepoint.h"
#include "trace/core/entries.h"
#include "trace/events/error_log.h"
#include "trace/events/event.h"
#include "trace/events/event_pids.h"
#include "trace/events/files.h"
#include "trace/filter/filter.h"
#include "trace/events/tp_printk.h"
#include "trace/trigger/trigger.h"

LIST_HEAD(trace_event_calls);

/* The events of the kernel, by system and name. trace/events/define.h makes the entries. */
DEFINE_LINKER_TABLE(data, struct trace_event_call, trace_events);
DEFINE_LINKER_TABLE(rodata, const struct trace_event_group, trace_event_groups);

struct tracepoint *trace_module_tracepoint(const struct module *module, const char *name)
{
	size_t count = module->trace_events_size / sizeof(*module->trace_events);

	for (size_t i = 0; i < count; i++) {
		struct tracepoint *tp = module->trace_events[i].tp;

		if (tp && strcmp(tp->name, name) == 0)
			return tp;
	}
	return NULL;
}

/* ---- files of a trace_array ---- */

struct trace_event_file *trace_event_file_create(struct trace_array *tr,
						 struct trace_event_call *call)
{
	struct trace_event_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct trace_array_events *events = trace_events_of(tr);

	if (!file)
		return NULL;
	file->call = call;
	file->tr = tr;
	INIT_LIST_HEAD(&file->triggers);
	if (call->release) {
		atomic_inc(&call->keepers);
		file->flags |= EVENT_FILE_FL_KEEPS_CALL;
	}
	if (pid_filter_active(&events->pids->filter))
		file->flags |= EVENT_FILE_FL_PID_FILTER;
	if (trace_events_printed())
		file->flags |= EVENT_FILE_FL_PRINTK;
	if (call->event.type == TRACE_PRINT)
		events->print_file = file;
	list_add_tail_rcu(&file->list, &events->files);
	return file;
}

void trace_event_file_free(struct trace_event_file *file)
{
	event_filter_free(file->filter);
	if (file->flags & EVENT_FILE_FL_KEEPS_CALL)
		trace_event_call_put(file->call);
	kfree(file);
}

static void free_files(struct trace_array_events *events)
{
	struct trace_event_file *file, *next;

	list_for_each_entry_safe (file, next, &events->files, list)
		trace_event_file_free(file);
	trace_events_free_systems(events);
	event_pids_free(events->pids);
	kfree(events);
}

static int events_create(struct trace_array *tr)
{
	struct trace_array_events *events = kzalloc(sizeof(*events), GFP_KERNEL);
	struct trace_event_call *call;

	if (!events)
		return -ENOMEM;
	INIT_LIST_HEAD(&events->files);
	INIT_LIST_HEAD(&events->systems);
	*trace_array_private(tr, &trace_events_part) = events;
	if (event_pids_create(tr))
		return -ENOMEM;
	list_for_each_entry (call, &trace_event_calls, list)
		if (!trace_event_file_create(tr, call))
			return -ENOMEM;
	return 0;
}

/* After this, no probe has a file of tr as its data. */
static void events_detach(struct trace_array *tr)
{
	struct trace_event_file *file;

	mutex_lock(&event_mutex);
	tracepoint_batch_begin();
	trace_forget_module_words(tr);
	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		event_triggers_remove_all(file);
	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		if (file->flags & EVENT_FILE_FL_ENABLED)
			(void)trace_event_enable_disable(file, false, false);
	(void)tracepoint_batch_end();
	event_pids_detach(tr);
	trace_detach_dynamic_events(tr);
	mutex_unlock(&event_mutex);
}

static void events_destroy(struct trace_array *tr)
{
	free_files(trace_events_of(tr));
	*trace_array_private(tr, &trace_events_part) = NULL;
}

struct trace_array_part trace_events_part = {
	.create = events_create,
	.create_files = trace_events_create_files,
	.detach = events_detach,
	.destroy = events_destroy,
};

/* ---- the events ---- */

static int __init trace_events_init(void)
{
	int error = 0;

	mutex_lock(&event_mutex);
	for_each_linker_table_entry (call, trace_events) {
		call->event.fields = call->get_fields();
		error = register_trace_event(&call->event);
		if (error)
			break;
		list_add_tail(&call->list, &trace_event_calls);
	}
	for_each_linker_table_entry (group, trace_event_groups)
		error = error ? error : group->add_calls();
	mutex_lock(&trace_types_lock);
	if (!error)
		error = register_trace_array_part(&error_log_part);
	for_each_linker_table_entry (group, trace_event_groups)
		error = error ? error : register_trace_array_part(group->part);
	if (!error)
		error = register_trace_array_part(&trace_events_part);
	mutex_unlock(&trace_types_lock);
	mutex_unlock(&event_mutex);
	if (!error)
		trace_boot_events();
	return error;
}
early_initcall(trace_events_init);

/* Adds the entries that the core and the tracers write. They have no enable file. */
static int __init trace_events_add_entries(void)
{
	struct trace_event_call *call;
	struct trace_event *event;
	int error = 0;

	mutex_lock(&event_mutex);
	list_for_each_entry (event, &trace_events, list) {
		if (!event->name || event->system)
			continue;
		call = kzalloc(sizeof(*call), GFP_KERNEL);
		if (call) {
			call->event = *event;
			call->flags = TRACE_EVENT_FL_IGNORE_ENABLE;
		}
		if (!call || !trace_event_file_create(&global_trace, call)) {
			kfree(call);
			error = -ENOMEM;
			break;
		}
		list_add_tail(&call->list, &trace_event_calls);
	}
	mutex_unlock(&event_mutex);
	return error;
}
fs_initcall(trace_events_add_entries);
