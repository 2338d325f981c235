/* The triggers of events: their lists, and calling them. trace/trigger/trigger.h explains both. */
#include "trace/trigger/trigger.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "trace/events/files.h"
#include "trace/filter/filter.h"

/* ---- any context ---- */

bool event_trigger_take(struct event_trigger_data *data)
{
	unsigned long left = __atomic_load_n(&data->count, __ATOMIC_RELAXED);

	do {
		if (left == EVENT_TRIGGER_UNLIMITED)
			return true;
		if (!left)
			return false;
	} while (!__atomic_compare_exchange_n(&data->count, &left, left - 1, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

void event_trigger_give_back(struct event_trigger_data *data)
{
	if (__atomic_load_n(&data->count, __ATOMIC_RELAXED) != EVENT_TRIGGER_UNLIMITED)
		__atomic_fetch_add(&data->count, 1, __ATOMIC_RELAXED);
}

unsigned event_triggers_call(struct trace_event_file *file, const void *rec,
			     const struct trace_event_buffer *buffer)
{
	struct event_trigger_data *data;
	unsigned later = 0;

	for_each_event_trigger (data, file) {
		if (READ_ONCE(data->paused) || (data->needs_rec && !rec))
			continue;
		if (data->filter && !event_filter_match(data->filter, rec))
			continue;
		if (data->cmd->flags & EVENT_CMD_FL_POST_TRIGGER)
			later |= data->cmd->type;
		else
			data->cmd->trigger(data, rec, buffer);
	}
	return later;
}

void event_triggers_post_call(struct trace_event_file *file, unsigned types,
			      const struct trace_event_buffer *buffer)
{
	struct event_trigger_data *data;

	for_each_event_trigger (data, file)
		if ((data->cmd->type & types) && (data->cmd->flags & EVENT_CMD_FL_POST_TRIGGER))
			data->cmd->trigger(data, NULL, buffer);
}

/* ---- making and removing; E held ---- */

struct event_trigger_data *event_trigger_alloc(const struct event_command *cmd,
					       struct trace_event_file *file)
{
	struct event_trigger_data *data = kzalloc(sizeof(*data), GFP_KERNEL);

	if (!data)
		return NULL;
	data->cmd = cmd;
	data->file = file;
	data->count = EVENT_TRIGGER_UNLIMITED;
	return data;
}

void event_trigger_free(struct event_trigger_data *data)
{
	if (data->cmd->free)
		data->cmd->free(data);
	event_filter_free(data->filter);
	kfree(data);
}

static void set_flag(struct trace_event_file *file, unsigned long flag, bool on)
{
	if (on)
		__atomic_fetch_or(&file->flags, flag, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&file->flags, ~flag, __ATOMIC_SEQ_CST);
}

/* With TRIGGER_COND, the probe builds a record and gives it to the triggers. */
static void update_cond(struct trace_event_file *file)
{
	struct event_trigger_data *data, *plain = NULL;
	bool needed = false;

	for_each_event_trigger (data, file) {
		needed = needed || data->needs_rec;
		if (list_is_singular(&file->triggers) && data->plain)
			plain = data;
	}
	rcu_assign_pointer(file->plain, plain);
	set_flag(file, EVENT_FILE_FL_TRIGGER_COND, needed);
}

/* Counts the triggers of the file. While it has one, its probe runs in soft mode. */
static int use_probe(struct trace_event_file *file, bool use)
{
	int error = 0;

	file->tm_ref += use ? 1U : -1U;
	if (file->tm_ref != use)
		return 0;
	set_flag(file, EVENT_FILE_FL_TRIGGER_MODE, use);
	/* trace_marker calls the triggers of ftrace:print itself (marker.c). */
	if (trace_event_can_enable(file->call))
		error = trace_event_enable_disable(file, use, true);
	if (use && error) {
		file->tm_ref = 0;
		set_flag(file, EVENT_FILE_FL_TRIGGER_MODE, false);
	}
	return error;
}

/* Afterwards no CPU runs the trigger. */
static void unlink_trigger(struct event_trigger_data *data)
{
	list_del_rcu(&data->list);
	update_cond(data->file);
	synchronize_rcu();
}

int event_trigger_register(struct event_trigger_data *data)
{
	struct trace_event_file *file = data->file;
	int error;

	data->needs_rec = data->filter ||
			  (data->cmd->flags & (EVENT_CMD_FL_POST_TRIGGER | EVENT_CMD_FL_NEEDS_REC));
	if (data->cmd->flags & EVENT_CMD_FL_APPEND)
		list_add_tail_rcu(&data->list, &file->triggers);
	else
		list_add_rcu(&data->list, &file->triggers);
	update_cond(file);
	error = use_probe(file, true);
	if (error)
		unlink_trigger(data);
	return error;
}

void event_trigger_detach(struct event_trigger_data *data)
{
	/* After an error the kernel's text is not changed, but the probe is removed. */
	(void)use_probe(data->file, false);
	unlink_trigger(data);
}

void event_trigger_unregister(struct event_trigger_data *data)
{
	event_trigger_detach(data);
	event_trigger_free(data);
}

void event_triggers_remove_all(struct trace_event_file *file)
{
	while (!list_empty(&file->triggers))
		event_trigger_unregister(
			list_first_entry(&file->triggers, struct event_trigger_data, list));
}

void event_trigger_print(struct seq_file *m, const char *name, struct event_trigger_data *data)
{
	unsigned long left = __atomic_load_n(&data->count, __ATOMIC_RELAXED);

	seq_puts(m, name);
	if (left == EVENT_TRIGGER_UNLIMITED)
		seq_puts(m, ":unlimited");
	else
		seq_printf(m, ":count=%lu", left);
	if (data->filter)
		seq_printf(m, " if %s", event_filter_text(data->filter));
	seq_putc(m, '\n');
}
