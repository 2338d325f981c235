/*
 * Event probes: an event that is made out of another one, with other fields.
 *
 *	e:[GROUP/]NAME SYSTEM.EVENT [NAME=$FIELD[:TYPE]…] [if FILTER]
 *
 * While an event probe is enabled in a trace_array, it is a hidden trigger of the other event
 * there. Each record of that event makes a record of the probe.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rculist.h"
#include "trace/core/entries.h"
#include "trace/core/output.h"
#include "trace/events/dynamic_events.h"
#include "trace/filter/filter.h"
#include "trace/events/record.h"
#include "trace/trigger/trigger.h"
#include "trace/probes/probe_arg.h"

struct eprobe {
	struct dyn_event dyn;         /* own legend */
	struct trace_event_call call; /* own legend */
	char *group, *name;
	struct trace_event_call *target; /* `eprobes` of it counts this probe */
	char *filter;                    /* "if FILTER", or NULL */
	unsigned nr_args;
	struct probe_arg *args;
	size_t static_size; /* bytes of the record without strings */
	bool has_strings;
	struct trace_event_field *fields;
	char *print_fmt;
	struct rcu_head rcu;
}; /* constant once created, but for dyn and call */

static struct eprobe *to_eprobe(const struct dyn_event *event)
{
	return container_of(event, struct eprobe, dyn);
}

/* ---- recording: the hidden trigger; any context ---- */

/* The value of a field of the record that context is. */
static u64 fetch_field(const struct probe_source *source, const void *context)
{
	const struct trace_event_field *field = source->data;
	const u8 *at = (const u8 *)context + field->offset;
	u64 value = 0;
	u32 loc;

	switch (trace_field_filter_type(field)) {
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		memcpy(&loc, at, sizeof(loc));
		return (u64)(unsigned long)context + (loc & 0xffff) + trace_loc_base(field);
	case FILTER_STATIC_STRING:
		return (u64)(unsigned long)at;
	default:
		break;
	}
	if (strchr(field->type, '[')) /* the value of an array is its address */
		return (u64)(unsigned long)at;
	memcpy(&value, at, min(field->size, (u16)sizeof(value)));
	if (field->is_signed && field->size && field->size < sizeof(value)) {
		unsigned shift = 64 - 8U * field->size;

		value = (u64)((s64)(value << shift) >> shift);
	}
	return value;
}

static int find_field(const char *name, struct probe_source *source, void *data)
{
	const struct trace_event_field *field = ((struct trace_event_call *)data)->event.fields;

	while (field->name && strcmp(field->name, name) != 0)
		field++;
	if (!field->name)
		return -ENOENT;
	source->data = field;
	return 0;
}

static const struct probe_arg_sources eprobe_sources = {
	.flags = PROBE_FL_FIELDS,
	.parse = find_field,
	.fetch = fetch_field,
};

/* data->private is the file of the probe's own event. */
static void eprobe_trigger(struct event_trigger_data *data, const void *rec,
			   const struct trace_event_buffer *buffer __unused)
{
	struct trace_event_file *file = data->private;
	const struct eprobe *eprobe = file->call->data;
	struct trace_event_buffer own;
	size_t size;
	void *entry;

	if (!rec)
		return;
	size = eprobe->static_size;
	if (eprobe->has_strings)
		size += probe_args_data_size(eprobe->args, eprobe->nr_args, &eprobe_sources, rec);
	entry = trace_event_buffer_reserve(&own, file, size);
	if (!entry)
		return;
	probe_args_store(eprobe->args, eprobe->nr_args, &eprobe_sources, rec, entry,
			 eprobe->static_size, size);
	trace_event_buffer_commit(&own);
}

static const struct event_command eprobe_command = {
	.name = "eprobe",
	.type = ETT_EVENT_EPROBE,
	.flags = EVENT_CMD_FL_NEEDS_REC,
	.trigger = eprobe_trigger,
};

static struct trace_event_file *target_file(const struct eprobe *eprobe, struct trace_array *tr)
{
	struct trace_event_file *file;

	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		if (file->call == eprobe->target)
			return file;
	return NULL;
}

static int attach(const struct eprobe *eprobe, struct trace_event_file *file)
{
	struct trace_event_file *target = target_file(eprobe, file->tr);
	struct event_trigger_data *data;
	int error;

	if (!target)
		return -ENOENT;
	data = event_trigger_alloc(&eprobe_command, target);
	if (!data)
		return -ENOMEM;
	data->private = file;
	error = eprobe->filter ? event_trigger_set_filter(data, eprobe->filter) : 0;
	if (!error)
		error = event_trigger_register(data);
	if (error)
		event_trigger_free(data);
	return error;
}

static int detach(const struct eprobe *eprobe, struct trace_event_file *file)
{
	struct trace_event_file *target = target_file(eprobe, file->tr);
	struct event_trigger_data *data;

	if (!target)
		return 0;
	for_each_event_trigger (data, target) {
		if (data->cmd == &eprobe_command && data->private == file) {
			event_trigger_unregister(data);
			break;
		}
	}
	return 0;
}

static int eprobe_reg(struct trace_event_call *call, enum trace_reg type,
		      struct trace_event_file *file)
{
	return type == TRACE_REG_REGISTER ? attach(call->data, file) : detach(call->data, file);
}

static enum print_line_t eprobe_print(struct trace_iterator *iter)
{
	const struct trace_event *event = ftrace_find_event(iter->ent->type);
	const struct eprobe *eprobe;

	if (!event)
		return TRACE_TYPE_UNHANDLED;
	eprobe = container_of(event, struct eprobe, call.event);
	trace_seq_printf(&iter->seq, "%s: (%s.%s)", eprobe->name,
			 trace_event_system(eprobe->target), trace_event_name(eprobe->target));
	probe_args_print(&iter->seq, eprobe->args, eprobe->nr_args, iter->ent);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

/* ---- the life of an event probe ---- */

static void free_eprobe(struct eprobe *eprobe)
{
	probe_args_free_fields(eprobe->fields);
	probe_args_free(eprobe->args, eprobe->nr_args);
	kfree(eprobe->print_fmt);
	kfree(eprobe->filter);
	kfree(eprobe->group);
	kfree(eprobe->name);
	kfree(eprobe);
}

static void free_eprobe_rcu(struct rcu_head *head)
{
	free_eprobe(container_of(head, struct eprobe, rcu));
}

/* Returns whether the words are "SYSTEM.EVENT NAME=TEXT…" of the probe, or the first of them. */
static bool has_words(const struct eprobe *eprobe, const struct probe_command *words)
{
	const char *system = trace_event_system(eprobe->target), *target = words->argv[0];
	size_t length = strlen(system);

	if (strncmp(target, system, length) != 0 || !strchr("./", target[length]) ||
	    !target[length] || strcmp(target + length + 1, trace_event_name(eprobe->target)) != 0)
		return false;
	if (words->argc - 1 > eprobe->nr_args)
		return false;
	for (unsigned i = 1; i < words->argc; i++) {
		const struct probe_arg *arg = &eprobe->args[i - 1];

		length = strlen(arg->name);
		if (strncmp(words->argv[i], arg->name, length) != 0 ||
		    words->argv[i][length] != '=' ||
		    strcmp(words->argv[i] + length + 1, arg->text) != 0)
			return false;
	}
	return true;
}

static int eprobe_match(const struct dyn_event *event, const char *system, const char *name,
			const char *rest)
{
	const struct eprobe *eprobe = to_eprobe(event);
	struct probe_command words;
	int match;

	if ((*name && strcmp(eprobe->name, name) != 0) ||
	    (system && strcmp(eprobe->group, system) != 0))
		return 0;
	match = probe_command_init(&words, "event_probe", rest);
	if (!match)
		match = !words.argc || has_words(eprobe, &words);
	probe_command_free(&words);
	return match;
}

static bool eprobe_is_busy(struct dyn_event *event, bool all)
{
	return trace_event_call_busy(&to_eprobe(event)->call, !all);
}

static int eprobe_free(struct dyn_event *dyn)
{
	struct eprobe *eprobe = to_eprobe(dyn);
	int error = trace_remove_event_call(&eprobe->call);

	if (error)
		return error;
	dyn_event_remove(dyn);
	eprobe->target->eprobes--;
	module_put(eprobe->target->mod);
	call_rcu_tasks(&eprobe->rcu, free_eprobe_rcu);
	return 0;
}

static void eprobe_show(struct seq_file *m, struct dyn_event *event)
{
	const struct eprobe *eprobe = to_eprobe(event);

	seq_printf(m, "e:%s/%s %s.%s", eprobe->group, eprobe->name,
		   trace_event_system(eprobe->target), trace_event_name(eprobe->target));
	for (unsigned i = 0; i < eprobe->nr_args; i++)
		seq_printf(m, " %s=%s", eprobe->args[i].name, eprobe->args[i].text);
	seq_putc(m, '\n');
}

static int eprobe_create(const char *line);

DYN_EVENT_OPERATIONS(eprobe) = {
	.create = eprobe_create,
	.show = eprobe_show,
	.is_busy = eprobe_is_busy,
	.free = eprobe_free,
	.match = eprobe_match,
};

/* ---- the command ---- */

/* A chain of event probes would need a stack without end. So it is refused, as in Linux. */
static bool can_have_probe(const struct trace_event_call *call)
{
	return !(call->flags & (TRACE_EVENT_FL_IGNORE_ENABLE | TRACE_EVENT_FL_PROBE)) &&
	       call->reg != eprobe_reg;
}

/* Finds "SYSTEM.EVENT" or "SYSTEM/EVENT" in argv[1]. */
static int parse_target(const struct probe_command *command, struct eprobe *eprobe)
{
	const char *system = NULL, *name = NULL;

	if (probe_parse_event_name(command, 1, command->argv[1], &system, &name) || !system ||
	    !name)
		return probe_error(command, PROBE_ERR_NO_EVENT_INFO, 1, NULL);
	eprobe->target = trace_find_event_call(system, name);
	if (eprobe->target && can_have_probe(eprobe->target))
		return 0;
	(void)probe_error(command, PROBE_ERR_BAD_ATTACH_EVENT, 1, NULL);
	return -ENODEV;
}

/* Parses "if FILTER", the words from first on, and checks the filter. */
static int parse_filter(const struct probe_command *command, unsigned first, struct eprobe *eprobe)
{
	const char *text = command->command;
	struct event_filter *filter;
	int error;

	if (first + 1 == command->argc)
		return probe_error(command, PROBE_ERR_NO_EP_FILTER, command->argc, NULL);
	for (unsigned i = 0; i < first; i++)
		text = strchr(text, ' ') + 1;
	eprobe->filter = kstrdup(text, GFP_KERNEL);
	if (!eprobe->filter)
		return -ENOMEM;
	error = event_filter_create(&global_trace, eprobe->target, text + strlen("if "), &filter);
	if (!error)
		event_filter_free(filter);
	return error;
}

static int parse_args(const struct probe_command *command, struct eprobe *eprobe)
{
	unsigned end = 2;
	int error;

	while (end < command->argc && strcmp(command->argv[end], "if") != 0)
		end++;
	if (end < command->argc) {
		error = parse_filter(command, end, eprobe);
		if (error)
			return error;
	}
	if (end - 2 > PROBE_ARGS_MAX)
		return probe_error(command, PROBE_ERR_TOO_MANY_ARGS, PROBE_ARGS_MAX + 2, NULL);
	eprobe->args = kcalloc(end - 2 + 1, sizeof(*eprobe->args), GFP_KERNEL);
	if (!eprobe->args)
		return -ENOMEM;
	while (eprobe->nr_args < end - 2) {
		unsigned index = eprobe->nr_args++;

		error = probe_arg_parse(command, index + 2, eprobe->args, index, &eprobe_sources,
					eprobe->target);
		if (error)
			return error;
	}
	return probe_args_resolve(eprobe->args, eprobe->nr_args);
}

/* Makes the description of the event. */
static int describe(struct eprobe *eprobe)
{
	struct trace_event_call *call = &eprobe->call;

	eprobe->static_size =
		probe_args_layout(eprobe->args, eprobe->nr_args, sizeof(struct trace_entry));
	eprobe->has_strings = probe_args_have_strings(eprobe->args, eprobe->nr_args);
	eprobe->fields = probe_args_fields(NULL, eprobe->args, eprobe->nr_args);
	eprobe->print_fmt = probe_args_print_fmt("", "", eprobe->args, eprobe->nr_args);
	if (!eprobe->fields || !eprobe->print_fmt)
		return -ENOMEM;
	call->event.system = eprobe->group;
	call->event.name = eprobe->name;
	call->event.fields = eprobe->fields;
	call->event.print_fmt = eprobe->print_fmt;
	call->event.trace = eprobe_print;
	call->reg = eprobe_reg;
	call->flags = TRACE_EVENT_FL_INSTANCE;
	call->data = eprobe;
	return 0;
}

/* E held. */
static int build(const struct probe_command *command, char *own_name, struct eprobe *eprobe)
{
	const char *group = "eprobes", *name = NULL;
	int error = 0;

	if (own_name)
		error = probe_parse_event_name(command, 0, own_name, &group, &name);
	if (!error)
		error = parse_target(command, eprobe);
	if (error)
		return error;
	eprobe->group = kstrdup(group, GFP_KERNEL);
	eprobe->name = kstrdup(name ? name : trace_event_name(eprobe->target), GFP_KERNEL);
	if (!eprobe->group || !eprobe->name)
		return -ENOMEM;
	error = parse_args(command, eprobe);
	if (error)
		return error;
	if (trace_find_event_call(eprobe->group, eprobe->name)) {
		(void)probe_error(command, PROBE_ERR_EVENT_EXIST, 0, NULL);
		return -EEXIST;
	}
	return describe(eprobe);
}

/* E held. */
static int create_from(const struct probe_command *command, char *own_name)
{
	struct eprobe *eprobe = kzalloc(sizeof(*eprobe), GFP_KERNEL);
	int error;

	if (!eprobe)
		return -ENOMEM;
	error = build(command, own_name, eprobe);
	if (!error && !trace_event_get_module(eprobe->target))
		error = -ENODEV;
	if (error) {
		free_eprobe(eprobe);
		return error;
	}
	error = trace_add_event_call(&eprobe->call);
	if (error) {
		module_put(eprobe->target->mod);
		call_rcu_tasks(&eprobe->rcu, free_eprobe_rcu);
		return error;
	}
	eprobe->target->eprobes++;
	dyn_event_add(&eprobe->dyn, &eprobe_dyn_event_ops);
	return 0;
}

/* A line of dynamic_events: e[NUMBER][:[GROUP/]NAME] SYSTEM.EVENT … */
static int eprobe_create(const char *line)
{
	struct probe_command command;
	char *colon;
	int error;

	if (*line != 'e')
		return -ECANCELED;
	error = probe_command_init(&command, "event_probe", line);
	if (!error && command.argc < 2)
		error = -ECANCELED;
	if (!error) {
		colon = strchr(command.argv[0], ':');
		mutex_lock(&event_mutex);
		error = create_from(&command, colon ? colon + 1 : NULL);
		mutex_unlock(&event_mutex);
	}
	probe_command_free(&command);
	return error;
}
