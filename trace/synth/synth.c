/*
 * Synthetic events: creating and removing them, and the file synthetic_events. What a definition
 * looks like is in parse.c, recording and printing are in record.c.
 */
#include "trace/synth/synth.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/core/entries.h"
#include "trace/events/error_log.h"
#include "trace/core/files.h"

#define SYNTH_SYSTEM "synthetic"

static struct synth_event *to_synth_event(const struct dyn_event *event)
{
	return container_of(event, struct synth_event, dyn);
}

/* ---- the description of the record ---- */

/* The bytes of a field in the static part of the record. Each field begins at a multiple of 8. */
static u16 field_room(const struct synth_field *field)
{
	return field->kind == SYNTH_STRING ? SYNTH_STRING_MAX : 8;
}

static bool is_dynamic(const struct synth_field *field)
{
	return field->kind == SYNTH_DYNAMIC_STRING || field->kind == SYNTH_STACK;
}

/* Returns the type that the format file shows: "u64", "char[]", "__data_loc char[]", or NULL. */
static char *format_type(const struct synth_field *field)
{
	static const char data_loc[] = "__data_loc ";
	char *type = kmalloc(sizeof(data_loc) + strlen(field->type), GFP_KERNEL);

	if (!type)
		return NULL;
	strscpy(type, is_dynamic(field) ? data_loc : "", sizeof(data_loc));
	strscpy(type + strlen(type), field->type, strlen(field->type) + 1);
	/* As in Linux, the length of an array is only in the size of the field. */
	if (field->kind == SYNTH_STRING)
		strscpy(strchr(type, '['), "[]", 3);
	return type;
}

static int make_fields(struct synth_event *event)
{
	const struct synth_definition *definition = &event->definition;
	u16 offset = sizeof(struct trace_entry);

	event->fields = kcalloc(definition->nr_fields + 1, sizeof(*event->fields), GFP_KERNEL);
	if (!event->fields)
		return -ENOMEM;
	for (unsigned i = 0; i < definition->nr_fields; i++) {
		const struct synth_field *from = &definition->fields[i];
		struct trace_event_field *to = &event->fields[i];

		*to = (struct trace_event_field){
			.type = format_type(from),
			.name = from->name,
			.offset = offset,
			.size = is_dynamic(from) ? 8 : from->size,
			.is_signed = is_dynamic(from) || from->is_signed,
			.filter_type = from->kind == SYNTH_STRING           ? FILTER_STATIC_STRING
				       : from->kind == SYNTH_DYNAMIC_STRING ? FILTER_DYN_STRING
				       : from->kind == SYNTH_STACK          ? FILTER_STACKTRACE
									    : FILTER_OTHER,
		};
		if (!to->type)
			return -ENOMEM;
		offset = (u16)(offset + field_room(from));
	}
	event->static_size = offset;
	event->call.event.fields = event->fields;
	return 0;
}

/* Prints the print fmt into text, which has size bytes; returns its length. */
static size_t print_print_fmt(const struct synth_definition *definition, char *text, size_t size)
{
	size_t n = 0;

#define ADD(...) (n += (size_t)snprintf(size ? text + n : NULL, size ? size - n : 0, __VA_ARGS__))
	ADD("\"");
	for (unsigned i = 0; i < definition->nr_fields; i++)
		ADD("%s=%s%s", definition->fields[i].name, definition->fields[i].fmt,
		    i + 1 < definition->nr_fields ? ", " : "");
	ADD("\"");
	for (unsigned i = 0; i < definition->nr_fields; i++) {
		const struct synth_field *field = &definition->fields[i];

		if (field->kind == SYNTH_STACK)
			ADD(", __get_stacktrace(%s)", field->name);
		else if (field->kind == SYNTH_DYNAMIC_STRING)
			ADD(", __get_str(%s)", field->name);
		else
			ADD(", REC->%s", field->name);
	}
#undef ADD
	return n;
}

static int make_print_fmt(struct synth_event *event)
{
	size_t size = print_print_fmt(&event->definition, NULL, 0) + 1;

	event->print_fmt = kmalloc(size, GFP_KERNEL);
	if (!event->print_fmt)
		return -ENOMEM;
	print_print_fmt(&event->definition, event->print_fmt, size);
	event->call.event.print_fmt = event->print_fmt;
	return 0;
}

/* ---- the life of an event ---- */

static void free_event(struct synth_event *event)
{
	for (unsigned i = 0; event->fields && i < event->definition.nr_fields; i++)
		kfree(event->fields[i].type);
	kfree(event->fields);
	kfree(event->print_fmt);
	synth_definition_free(&event->definition);
	kfree(event);
}

static void free_event_rcu(struct rcu_head *head)
{
	free_event(container_of(head, struct synth_event, rcu));
}

/* Makes an event from definition, which it takes over. NULL: no memory. */
static struct synth_event *make_event(struct synth_definition *definition)
{
	struct synth_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event) {
		synth_definition_free(definition);
		return NULL;
	}
	event->definition = *definition;
	event->tp.name = event->definition.name;
	event->call.event.system = SYNTH_SYSTEM;
	event->call.event.name = event->definition.name;
	event->call.event.trace = synth_event_print;
	event->call.tp = &event->tp;
	event->call.probe = synth_event_record;
	event->call.reg = trace_event_reg;
	event->call.flags = TRACE_EVENT_FL_TRACEPOINT | TRACE_EVENT_FL_DYNAMIC;
	event->call.data = event;
	if (make_fields(event) == 0 && make_print_fmt(event) == 0)
		return event;
	free_event(event);
	return NULL;
}

static int synth_match(const struct dyn_event *event, const char *system, const char *name,
		       const char *rest __unused)
{
	return strcmp(to_synth_event(event)->definition.name, name) == 0 &&
	       (!system || strcmp(system, SYNTH_SYSTEM) == 0);
}

static bool synth_is_busy(struct dyn_event *event, bool all)
{
	return trace_event_call_busy(&to_synth_event(event)->call, !all);
}

static int synth_free(struct dyn_event *dyn)
{
	struct synth_event *event = to_synth_event(dyn);
	int error = trace_remove_event_call(&event->call);

	if (error)
		return error;
	dyn_event_remove(dyn);
	call_rcu_tasks(&event->rcu, free_event_rcu);
	return 0;
}

static void show_definition(struct seq_file *m, const struct synth_event *event)
{
	const struct synth_definition *definition = &event->definition;

	seq_printf(m, "%s\t", definition->name);
	for (unsigned i = 0; i < definition->nr_fields; i++)
		seq_printf(m, "%s%s %s", i ? "; " : "", definition->fields[i].type,
			   definition->fields[i].name);
	seq_putc(m, '\n');
}

static void synth_show(struct seq_file *m, struct dyn_event *event)
{
	seq_puts(m, "s:" SYNTH_SYSTEM "/");
	show_definition(m, to_synth_event(event));
}

static int synth_create_dynamic(const char *command);

DYN_EVENT_OPERATIONS(synth) = {
	.create = synth_create_dynamic,
	.show = synth_show,
	.is_busy = synth_is_busy,
	.free = synth_free,
	.match = synth_match,
};

static struct synth_event *find_event(const char *name)
{
	struct dyn_event *event;

	list_for_each_entry (event, &dyn_event_list, list)
		if (event->ops == &synth_dyn_event_ops && synth_match(event, NULL, name, ""))
			return to_synth_event(event);
	return NULL;
}

struct synth_event *synth_event_get(const char *name)
{
	struct synth_event *event = find_event(name);

	if (event)
		event->call.users++;
	return event;
}

void synth_event_put(struct synth_event *event)
{
	event->call.users--;
}

/* ---- commands ---- */

/* E held. */
static int add_event(struct synth_definition *definition)
{
	struct synth_event *event = make_event(definition);
	int error;

	if (!event)
		return -ENOMEM;
	error = trace_add_event_call(&event->call);
	if (error)
		call_rcu_tasks(&event->rcu, free_event_rcu);
	else
		dyn_event_add(&event->dyn, &synth_dyn_event_ops);
	return error;
}

/* Parses the definition, a part of command, and adds the event. E held. */
static int create_event(const char *command, const char *text, struct synth_error *error)
{
	struct synth_definition definition = { .nr_fields = 0 };
	const char *fields;
	int result;

	result = synth_parse_name(command, text, &definition.name, &fields, error);
	if (result == 0 && trace_find_event_call(SYNTH_SYSTEM, definition.name)) {
		*error = (struct synth_error){ SYNTH_ERR_EVENT_EXISTS, (u16)(text - command) };
		result = -EEXIST;
	}
	if (result == 0)
		result = synth_parse_fields(command, fields, &definition, error);
	if (result == 0)
		return add_event(&definition);
	synth_definition_free(&definition);
	return result;
}

static int create(const char *command, const char *text)
{
	struct synth_error error;
	int result;

	mutex_lock(&event_mutex);
	result = create_event(command, text, &error);
	mutex_unlock(&event_mutex);
	if (result == -EINVAL || result == -EEXIST)
		tracing_log_err(&global_trace, "synthetic_events", command, synth_error_texts,
				error.type, error.position);
	return result;
}

int synth_event_create(const char *definition)
{
	return create(definition, skip_spaces(definition));
}

int synth_event_delete(const char *name)
{
	struct synth_event *event;
	int error = -ENOENT;

	mutex_lock(&event_mutex);
	event = find_event(name);
	if (event)
		error = synth_free(&event->dyn);
	mutex_unlock(&event_mutex);
	return error;
}

/* A line of dynamic_events: "s:[synthetic/]NAME FIELDS". */
static int synth_create_dynamic(const char *command)
{
	const char *text = skip_spaces(command), *slash;

	if (!strstarts(text, "s:"))
		return -ECANCELED;
	text += 2;
	slash = strchr(text, '/');
	if (slash && !strstarts(text, SYNTH_SYSTEM "/")) {
		tracing_log_err(&global_trace, "synthetic_events", command, synth_error_texts,
				SYNTH_ERR_INVALID_DYN_CMD, 0);
		return -EINVAL;
	}
	return create(command, slash ? slash + 1 : text);
}

/* A line of synthetic_events: a definition, or "!NAME…". */
static int run_command(const char *command)
{
	const char *text = skip_spaces(command);
	char *name;
	int error;

	if (!*text)
		return 0;
	if (*text != '!')
		return create(command, text);
	name = kstrdup(text + 1, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	name[strcspn(name, " \t")] = '\0';
	error = synth_event_delete(name);
	kfree(name);
	return error;
}

/* ---- the file ---- */

static void synthetic_events_show(struct seq_file *m, struct dyn_event *event)
{
	show_definition(m, to_synth_event(event));
}

static int synthetic_events_open(struct inode *inode __unused, struct file *file)
{
	static const struct dyn_event_file events = { .ops = &synth_dyn_event_ops,
						      .show = synthetic_events_show };

	return dyn_events_open(file, &events);
}

static ssize_t synthetic_events_write(struct file *file __unused, const char *buf, size_t count,
				      loff_t *pos __unused)
{
	return dyn_events_run_commands(buf, count, run_command);
}

static const struct file_operations synthetic_events_fops = {
	.open = synthetic_events_open,
	.read = seq_read,
	.write = synthetic_events_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

TRACE_FILE(synthetic_events, 0640, &synthetic_events_fops, .only_top = true);
