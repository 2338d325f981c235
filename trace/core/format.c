/*
 * The files in events/. They describe the contents of trace_pipe_raw to programs: the head of a
 * sub-buffer, the head of an event, and the fields of each type of entry.
 */
#include "fs/seq_file.h"
#include "fs/tracefs.h"
#include "kernel/lib/string.h"
#include "trace/core/entries.h"
#include "trace/core/events.h"
#include "trace/core/trace_array.h"

static const struct trace_event_field common_fields[] = {
	TRACE_FIELD(trace_entry, type, "unsigned short common_type", false),
	TRACE_FIELD(trace_entry, flags, "unsigned char common_flags", false),
	TRACE_FIELD(trace_entry, preempt_count, "unsigned char common_preempt_count", false),
	TRACE_FIELD(trace_entry, pid, "int common_pid", true),
	{ .declaration = NULL },
};

/*
 * Returns the options of the event's tracer that are set in any trace_array: the reader's entries
 * may come from each of them.
 */
static u32 event_options(const struct trace_event *event)
{
	struct trace_array *tr;
	u32 options = 0;

	if (!event->tracer)
		return 0;
	mutex_lock(&trace_types_lock);
	for_each_trace_array(tr) options |= tracer_flags_of(tr, event->tracer);
	mutex_unlock(&trace_types_lock);
	return options;
}

static void show_fields(struct seq_file *m, const struct trace_event_field *fields, u32 options)
{
	for (; fields->declaration; fields++)
		if (!fields->option || (options & fields->option))
			seq_printf(m, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
				   fields->declaration, fields->offset, fields->size,
				   fields->is_signed);
}

static int trace_format_show(struct seq_file *m, void *v __unused)
{
	const struct trace_event *event = m->private;
	u32 options = event_options(event);

	seq_printf(m, "name: %s\nID: %u\nformat:\n", event->name, event->type);
	show_fields(m, common_fields, options);
	seq_putc(m, '\n');
	show_fields(m, event->fields, options);
	seq_printf(m, "\nprint fmt: %s\n",
		   options & event->option ? event->print_fmt_option : event->print_fmt);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(trace_format);

static int trace_id_show(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%u\n", ((const struct trace_event *)m->private)->type);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(trace_id);

static int header_page_show(struct seq_file *m, void *v __unused)
{
	static const char line[] = "\tfield: %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n";

	seq_printf(m, line, "u64 timestamp", 0, 8, 0);
	seq_printf(m, line, "local_t commit", 8, 8, 1);
	seq_printf(m, line, "int overwrite", 8, 1, 1);
	seq_printf(m, line, "char data", RB_PAGE_HEADER, RB_PAGE_DATA, 1);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(header_page);

static int header_event_show(struct seq_file *m, void *v __unused)
{
	seq_puts(m, "# compressed entry header\n"
		    "\ttype_len    :    5 bits\n"
		    "\ttime_delta  :   27 bits\n"
		    "\tarray       :   32 bits\n"
		    "\n");
	seq_printf(m, "\tpadding     : type == %d\n", RINGBUF_TYPE_PADDING);
	seq_printf(m, "\ttime_extend : type == %d\n", RINGBUF_TYPE_TIME_EXTEND);
	seq_printf(m, "\ttime_stamp : type == %d\n", RINGBUF_TYPE_TIME_STAMP);
	seq_printf(m, "\tdata max type_len  == %d\n", RINGBUF_TYPE_DATA_TYPE_LEN_MAX);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(header_event);

static int create_event_dir(struct dentry *parent, struct trace_event *event)
{
	struct dentry *dir = tracefs_create_dir(event->name, parent);

	if (IS_ERR_OR_NULL(dir) ||
	    IS_ERR_OR_NULL(tracefs_create_file("format", 0440, dir, event, &trace_format_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("id", 0440, dir, event, &trace_id_fops)))
		return -ENOMEM;
	return 0;
}

int trace_create_events_dir(struct trace_array *tr)
{
	struct dentry *events = tracefs_create_dir("events", tr->dir), *ftrace;
	int error = 0;

	if (IS_ERR_OR_NULL(events))
		return -ENOMEM;
	ftrace = tracefs_create_dir("ftrace", events);
	if (IS_ERR_OR_NULL(ftrace) ||
	    IS_ERR_OR_NULL(
		    tracefs_create_file("header_page", 0440, events, NULL, &header_page_fops)) ||
	    IS_ERR_OR_NULL(
		    tracefs_create_file("header_event", 0440, events, NULL, &header_event_fops)))
		return -ENOMEM;
	for (struct trace_event *event = trace_events; event && !error; event = event->next)
		if (event->name)
			error = create_event_dir(ftrace, event);
	return error;
}
