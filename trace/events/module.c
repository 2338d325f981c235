/*
 * The events of modules. They are added to all trace_arrays when the module comes, as dynamic
 * events, and removed when it goes. Whatever keeps an event (an open file, a trigger, a histogram,
 * an event probe) keeps the module. An event that is only enabled does not: it is disabled, as in
 * Linux.
 */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/tracepoint.h"
#include "trace/events/event.h"

static unsigned count_calls(const struct module *mod)
{
	return (unsigned)(mod->trace_events_size / sizeof(*mod->trace_events));
}

/* Returns a file of the event that is enabled, or NULL. E held: it keeps the file. */
static struct trace_event_file *find_enabled(const struct trace_event_call *call)
{
	struct trace_event_file *file, *found = NULL;
	struct trace_array *tr;

	mutex_lock(&trace_types_lock);
	for_each_trace_array (tr) {
		list_for_each_entry (file, &trace_events_of(tr)->files, list)
			if (file->call == call && (file->flags & EVENT_FILE_FL_ENABLED))
				found = file;
	}
	mutex_unlock(&trace_types_lock);
	return found;
}

/* Disables the event everywhere. E held. */
static void disable_everywhere(const struct trace_event_call *call)
{
	struct trace_event_file *file;

	tracepoint_batch_begin();
	while ((file = find_enabled(call)))
		(void)trace_event_enable_disable(file, false, false);
	(void)tracepoint_batch_end();
}

/* An open file of the event's system may have no reference to this module: waits until it is
 * closed. */
static void remove_call(struct trace_event_call *call)
{
	int error;

	for (;;) {
		mutex_lock(&event_mutex);
		disable_everywhere(call);
		error = trace_remove_event_call(call);
		mutex_unlock(&event_mutex);
		if (!error)
			return;
		msleep(10);
	}
}

static void remove_calls(struct module *mod, unsigned count)
{
	while (count--)
		remove_call(&mod->trace_events[count]);
}

static int add_call(struct module *mod, struct trace_event_call *call)
{
	int error = -EEXIST;

	call->event.fields = call->get_fields();
	call->mod = mod;
	mutex_lock(&event_mutex);
	if (!trace_find_event_call(trace_event_system(call), trace_event_name(call)))
		error = trace_add_event_call(call);
	mutex_unlock(&event_mutex);
	if (error)
		pr_warn("%s: cannot add the event %s:%s: error %d\n", mod->name,
			trace_event_system(call), trace_event_name(call), error);
	return error;
}

static int events_module_coming(struct module *mod)
{
	for (unsigned i = 0; i < count_calls(mod); i++) {
		int error = add_call(mod, &mod->trace_events[i]);

		if (error) {
			remove_calls(mod, i);
			return error;
		}
	}
	return 0;
}

static void events_module_going(struct module *mod)
{
	remove_calls(mod, count_calls(mod));
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = {
	.coming = events_module_coming,
	.going = events_module_going,
};
