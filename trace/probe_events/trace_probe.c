/* Events that are made of probes: trace_probe.h. */
#include "trace/probe_events/trace_probe.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "trace/core/output.h"

/* ---- text ---- */

void trace_probe_show_args(struct seq_file *m, const struct trace_probe *probe)
{
	for (unsigned i = 0; i < probe->nr_args; i++)
		seq_printf(m, " %s=%s", probe->args[i].name, probe->args[i].text);
	seq_putc(m, '\n');
}

static enum print_line_t print_probe(struct trace_iterator *iter)
{
	const struct trace_event *type = ftrace_find_event(iter->ent->type);
	const struct trace_probe_event *event;
	const struct trace_probe *probe;

	if (!type)
		return TRACE_TYPE_UNHANDLED;
	event = container_of(type, struct trace_probe_event, call.event);
	probe = rcu_dereference(event->printer);
	trace_seq_printf(&iter->seq, "%s: ", event->name);
	probe->ops->print_place(iter, probe);
	probe_args_print(&iter->seq, probe->args, probe->nr_args, iter->ent);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

/* ---- recording ---- */

/* Records a hit in one trace_array. */
static void record(const struct trace_probe *probe, struct trace_event_file *file,
		   const unsigned long *head, unsigned nr_head, const void *context)
{
	struct trace_event_buffer buffer;
	size_t size = probe->static_size;
	struct trace_entry *entry;

	if (probe->has_strings)
		size += probe_args_data_size(probe->args, probe->nr_args, probe->sources, context);
	entry = trace_event_buffer_reserve(&buffer, file, size);
	if (!entry)
		return;
	trace_probe_fill(probe, entry, head, nr_head, context, size);
	trace_event_buffer_commit(&buffer);
}

void trace_probe_hit_any(const struct trace_probe *probe, const unsigned long *head,
			 unsigned nr_head, const void *context)
{
	const struct trace_probe_file *link;

	list_for_each_entry_rcu (link, &probe->event->files, list)
		if (trace_probe_passes(link->file, context))
			record(probe, link->file, head, nr_head, context);
}

void trace_probe_hit_begun(struct trace_event_file *file, struct ring_buffer_per_cpu *cb,
			   const unsigned long *head, unsigned nr_head)
{
	struct probe_return_entry record; /* the longest head */
	size_t size = nr_head * sizeof(*head);

	memcpy(&record.ent + 1, head, size);
	trace_event_record_begun(file, cb, &record.ent, (u32)(sizeof(record.ent) + size));
}

/* ---- switching; E held ---- */

static bool is_enabled(const struct trace_probe_event *event)
{
	return !list_empty(&event->files);
}

static void disable_probes(struct trace_probe_event *event, const struct trace_probe *end)
{
	struct trace_probe *probe;

	list_for_each_entry (probe, &event->probes, list) {
		if (probe == end)
			return;
		probe->ops->disable(probe);
	}
}

static int enable_probes(struct trace_probe_event *event)
{
	struct trace_probe *probe;
	int error;

	list_for_each_entry (probe, &event->probes, list) {
		error = probe->ops->enable(probe);
		if (error) {
			disable_probes(event, probe);
			return error;
		}
	}
	return 0;
}

/* Sets event->single. */
static void find_single(struct trace_probe_event *event)
{
	bool is_one = is_enabled(event) && event->files.next->next == &event->files;
	struct trace_event_file *file = NULL;

	if (is_one && event->printer->short_size)
		file = list_first_entry(&event->files, struct trace_probe_file, list)->file;
	rcu_assign_pointer(event->single, file);
}

static void unlink_file(struct trace_probe_event *event, struct trace_probe_file *link)
{
	list_del_rcu(&link->list);
	find_single(event);
	synchronize_rcu();
	kfree(link);
}

static int enable_file(struct trace_probe_event *event, struct trace_event_file *file)
{
	struct trace_probe_file *link = kzalloc(sizeof(*link), GFP_KERNEL);
	bool first = !is_enabled(event);
	int error = 0;

	if (!link)
		return -ENOMEM;
	link->file = file;
	list_add_tail_rcu(&link->list, &event->files);
	find_single(event);
	if (first)
		error = enable_probes(event);
	if (error)
		unlink_file(event, link);
	return error;
}

static void disable_file(struct trace_probe_event *event, const struct trace_event_file *file)
{
	struct trace_probe_file *link;

	list_for_each_entry (link, &event->files, list) {
		if (link->file != file)
			continue;
		if (event->files.next->next == &event->files)
			disable_probes(event, NULL);
		unlink_file(event, link);
		return;
	}
}

static int probe_reg(struct trace_event_call *call, enum trace_reg type,
		     struct trace_event_file *file)
{
	struct trace_probe_event *event = call->data;

	if (type == TRACE_REG_REGISTER)
		return enable_file(event, file);
	disable_file(event, file);
	return 0;
}

/* All probes of an event are of one kind. */
static int keep_registers(struct trace_event_call *call)
{
	struct trace_probe_event *event = call->data;
	struct trace_probe *probe;
	int error = event->printer->ops->keep_registers ? 0 : -EINVAL;

	event->keeps_registers = !error;
	list_for_each_entry (probe, &event->probes, list) {
		if (!error)
			error = probe->ops->keep_registers(probe);
	}
	return error;
}

/* ---- arguments ---- */

/* Parses the words from the third on. At most PROBE_ARGS_MAX of them, as Linux. */
static int parse_args(struct trace_probe *probe, const struct probe_command *command)
{
	size_t head_size = trace_probe_is_return(probe) ? sizeof(struct probe_return_entry)
							: sizeof(struct probe_entry);
	unsigned count = min(command->argc - 2, (unsigned)PROBE_ARGS_MAX);
	int error = 0;

	probe->args = kcalloc(count + 1, sizeof(*probe->args), GFP_KERNEL);
	if (!probe->args)
		return -ENOMEM;
	while (probe->nr_args < count && !error) {
		unsigned index = probe->nr_args++;

		error = probe_arg_parse(command, 2 + index, probe->args, index, probe->sources,
					NULL);
	}
	if (error)
		return error;
	probe->static_size = (u32)probe_args_layout(probe->args, probe->nr_args, head_size);
	probe->has_strings = probe_args_have_strings(probe->args, probe->nr_args);
	if (!probe->has_strings && rb_data_size(probe->static_size) <= RB_SHORT_SIZE)
		probe->short_size = rb_data_size(probe->static_size);
	return 0;
}

void trace_probe_free_args(struct trace_probe *probe)
{
	probe_args_free(probe->args, probe->nr_args);
}

/* ---- events ---- */

static void free_event(struct trace_probe_event *event)
{
	probe_args_free_fields(event->fields);
	kfree(event->print_fmt);
	kfree(event->group);
	kfree(event->name);
	kfree(event);
}

static void free_event_rcu(struct rcu_head *head)
{
	free_event(container_of(head, struct trace_probe_event, rcu));
}

static void free_probe_rcu(struct rcu_head *head)
{
	struct trace_probe *probe = container_of(head, struct trace_probe, rcu);

	probe->ops->free(probe);
}

const struct trace_event_field *trace_probe_head_fields(bool is_return)
{
	static const struct trace_event_field entry_fields[] = {
		{ .type = "unsigned long",
		  .name = "__probe_ip",
		  .offset = offsetof(struct probe_entry, ip),
		  .size = sizeof(unsigned long) },
		{ .name = NULL },
	};
	static const struct trace_event_field return_fields[] = {
		{ .type = "unsigned long",
		  .name = "__probe_func",
		  .offset = offsetof(struct probe_return_entry, func),
		  .size = sizeof(unsigned long) },
		{ .type = "unsigned long",
		  .name = "__probe_ret_ip",
		  .offset = offsetof(struct probe_return_entry, ret_ip),
		  .size = sizeof(unsigned long) },
		{ .name = NULL },
	};

	return is_return ? return_fields : entry_fields;
}

static const char *head_fmt(const struct trace_probe *probe, const char **values)
{
	if (trace_probe_is_return(probe)) {
		*values = ", REC->__probe_func, REC->__probe_ret_ip";
		return "(%lx <- %lx)";
	}
	*values = ", REC->__probe_ip";
	return "(%lx)";
}

static struct trace_probe_event *make_event(struct trace_probe *probe, const char *group,
					    const char *name)
{
	struct trace_probe_event *event = kzalloc(sizeof(*event), GFP_KERNEL);
	const char *fmt, *values;

	if (!event)
		return NULL;
	fmt = head_fmt(probe, &values);
	event->group = kstrdup(group, GFP_KERNEL);
	event->name = kstrdup(name, GFP_KERNEL);
	event->fields = probe_args_fields(trace_probe_head_fields(trace_probe_is_return(probe)),
					  probe->args, probe->nr_args);
	event->print_fmt = probe_args_print_fmt(fmt, values, probe->args, probe->nr_args);
	if (!event->group || !event->name || !event->fields || !event->print_fmt) {
		free_event(event);
		return NULL;
	}
	INIT_LIST_HEAD(&event->probes);
	INIT_LIST_HEAD(&event->files);
	event->printer = probe;
	event->call.event.system = event->group;
	event->call.event.name = event->name;
	event->call.event.fields = event->fields;
	event->call.event.print_fmt = event->print_fmt;
	event->call.event.trace = print_probe;
	event->call.flags = TRACE_EVENT_FL_PROBE;
	if (probe->sources->flags & PROBE_FL_USER)
		event->call.flags |= TRACE_EVENT_FL_UPROBE;
	event->call.reg = probe_reg;
	event->call.keep_registers = keep_registers;
	event->call.data = event;
	return event;
}

/* Logs an error at a word, for which Linux has the errno EEXIST. */
static int refuse(const struct probe_command *command, enum probe_error reason, unsigned word)
{
	(void)probe_error(command, reason, word, NULL);
	return -EEXIST;
}

/* Returns the first argument that differs in its name or type, from 0 on, or -1. */
static int find_difference(const struct trace_probe *a, const struct trace_probe *b)
{
	unsigned common = min(a->nr_args, b->nr_args);

	if (a->nr_args != b->nr_args)
		return (int)common;
	for (unsigned i = 0; i < common; i++) {
		const struct probe_arg *x = &a->args[i], *y = &b->args[i];

		if (x->type != y->type || x->count != y->count || strcmp(x->name, y->name) != 0)
			return (int)i;
	}
	return -1;
}

static bool has_same_texts(const struct trace_probe *a, const struct trace_probe *b)
{
	for (unsigned i = 0; i < a->nr_args; i++)
		if (strcmp(a->args[i].text, b->args[i].text) != 0)
			return false;
	return true;
}

/* Checks that the probe can be one more of the event. */
static int check_sibling(const struct trace_probe *probe, const struct probe_command *command,
			 const struct trace_probe_event *event)
{
	const struct trace_probe *other;
	int difference;

	other = list_first_entry(&event->probes, struct trace_probe, list);
	if (other->ops != probe->ops ||
	    trace_probe_is_return(other) != trace_probe_is_return(probe))
		return refuse(command, PROBE_ERR_DIFF_PROBE_TYPE, 0);
	difference = find_difference(other, probe);
	if (difference >= 0)
		return refuse(command, PROBE_ERR_DIFF_ARG_TYPE, (unsigned)difference + 2);
	list_for_each_entry (other, &event->probes, list)
		if (has_same_texts(other, probe) && probe->ops->is_same_place(other, probe))
			return refuse(command, PROBE_ERR_SAME_PROBE, 0);
	return 0;
}

/* Adds a probe to an event that exists. */
static int add_sibling(struct trace_probe *probe, struct trace_probe_event *event)
{
	int error = event->keeps_registers ? probe->ops->keep_registers(probe) : 0;

	probe->event = event;
	if (!error)
		error = probe->ops->begin(probe);
	if (error)
		return error;
	list_add_tail_rcu(&probe->list, &event->probes);
	if (is_enabled(event))
		error = probe->ops->enable(probe);
	if (error) {
		list_del_rcu(&probe->list);
		probe->ops->unregister(probe);
	}
	return error;
}

/* Adds a probe and its new event. */
static int add_event(struct trace_probe *probe, struct trace_probe_event *event)
{
	int error = probe->ops->begin(probe);

	if (error) {
		free_event(event);
		return error;
	}
	list_add_tail_rcu(&probe->list, &event->probes);
	error = trace_add_event_call(&event->call);
	if (error) {
		probe->ops->unregister(probe);
		call_rcu_tasks(&event->rcu, free_event_rcu);
	}
	return error;
}

/* Adds the probe to the event GROUP/NAME, which is made if it does not exist. E held. */
static int add_probe(struct trace_probe *probe, const struct probe_command *command,
		     const char *group, const char *name)
{
	struct trace_event_call *call = trace_find_event_call(group, name);
	struct trace_probe_event *event;
	int error;

	if (call && call->reg == probe_reg) {
		event = call->data;
		if (event->printer->ops->location == probe->ops->location) {
			error = check_sibling(probe, command, event);
			return error ? error : add_sibling(probe, event);
		}
	}
	if (call)
		return refuse(command, PROBE_ERR_EVENT_EXIST, 0);
	event = make_event(probe, group, name);
	if (!event)
		return -ENOMEM;
	probe->event = event;
	return add_event(probe, event);
}

/* Expands and parses the arguments. */
static int prepare_args(struct trace_probe *probe, struct probe_command *command)
{
	u32 flags = probe->sources->flags;
	int error = 0;

	if ((flags & PROBE_FL_RETURN) && !(flags & PROBE_FL_USER))
		command->entry_args = &probe->entry_args;
	if (!(flags & PROBE_FL_USER))
		error = probe_expand_args(command, flags);
	return error ? error : parse_args(probe, command);
}

int trace_probe_create(struct trace_probe *probe, struct probe_command *command, char *event,
		       const char *group, const char *name, const struct dyn_event_operations *kind)
{
	int error = event ? probe_parse_event_name(command, 0, event, &group, &name) : 0;

	if (!error)
		error = prepare_args(probe, command);
	if (!error) {
		mutex_lock(&event_mutex);
		error = add_probe(probe, command, group, name);
		if (!error)
			dyn_event_add(&probe->dyn, kind);
		mutex_unlock(&event_mutex);
		if (error && probe->ops->log_error)
			probe->ops->log_error(command, error);
	}
	if (error)
		probe->ops->free(probe);
	return error;
}

/* ---- dynamic_events ---- */

bool trace_probe_is_busy(struct dyn_event *dyn, bool all)
{
	return trace_event_call_busy(&to_trace_probe(dyn)->event->call, !all);
}

/* One of several probes can go while the event is enabled, as on Linux. */
int trace_probe_release(struct dyn_event *dyn)
{
	struct trace_probe *probe = to_trace_probe(dyn);
	struct trace_probe_event *event = probe->event;
	bool last = event->probes.next->next == &event->probes;
	int error;

	if (last) {
		error = trace_remove_event_call(&event->call);
		if (error)
			return error;
	}
	list_del_rcu(&probe->list);
	if (!last && event->printer == probe)
		rcu_assign_pointer(event->printer,
				   list_first_entry(&event->probes, struct trace_probe, list));
	probe->ops->unregister(probe);
	dyn_event_remove(dyn);
	call_rcu_tasks(&probe->rcu, free_probe_rcu);
	if (last)
		call_rcu_tasks(&event->rcu, free_event_rcu);
	return 0;
}

/* Returns whether the words are "PLACE NAME=TEXT…" of the probe, or the first of them. */
static bool has_words(const struct trace_probe *probe, const struct probe_command *words)
{
	if (!words->argc)
		return true;
	if (!probe->ops->match_place(probe, words->argv[0]) || words->argc - 1 > probe->nr_args)
		return false;
	for (unsigned i = 1; i < words->argc; i++) {
		const struct probe_arg *arg = &probe->args[i - 1];
		size_t length = strlen(arg->name);

		if (strncmp(words->argv[i], arg->name, length) != 0 ||
		    words->argv[i][length] != '=' ||
		    strcmp(words->argv[i] + length + 1, arg->text) != 0)
			return false;
	}
	return true;
}

int trace_probe_match(const struct dyn_event *dyn, const char *system, const char *name,
		      const char *rest)
{
	const struct trace_probe *probe = to_trace_probe(dyn);
	struct probe_command words;
	int match;

	if ((*name && strcmp(probe->event->name, name) != 0) ||
	    (system && strcmp(probe->event->group, system) != 0))
		return 0;
	match = probe_command_init(&words, probe->ops->location, rest);
	if (!match)
		match = has_words(probe, &words);
	probe_command_free(&words);
	return match;
}
