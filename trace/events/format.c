/*
 * The files in events/. They describe the contents of trace_pipe_raw to programs: the head of a
 * sub-buffer, the head of an event, and the fields of each type of entry.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "trace/core/entries.h"
#include "trace/events/event.h"
#include "trace/events/files.h"
#include "trace/ring_buffer/ring_buffer.h"

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
	for_each_trace_array (tr)
		options |= tracer_flags_of(tr, event->tracer);
	mutex_unlock(&trace_types_lock);
	return options;
}

/* The name stands before the brackets of an array: "char comm[16]" has the type "char[16]". */
static void show_field(struct seq_file *m, const struct trace_event_field *field)
{
	const char *bracket = strchr(field->type, '[');
	int length = (int)(bracket ? bracket - field->type : (long)strlen(field->type));

	/* The word is no array itself: "__data_loc char[] name". */
	if (trace_field_is_loc(field))
		bracket = NULL, length = (int)strlen(field->type);
	seq_printf(m, "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", length, field->type,
		   field->name, bracket ? bracket : "", field->offset, field->size,
		   field->is_signed);
}

static void show_fields(struct seq_file *m, const struct trace_event_field *field, u32 options)
{
	for (; field->name; field++)
		if (!field->option || (options & field->option))
			show_field(m, field);
}

static int trace_format_show(struct seq_file *m, void *v __unused)
{
	const struct trace_event_file *file = m->private;
	const struct trace_event *event = &file->call->event;
	u32 options = event_options(event);

	seq_printf(m, "name: %s\nID: %u\nformat:\n", event->name, event->type);
	show_fields(m, trace_common_fields, options);
	seq_putc(m, '\n');
	show_fields(m, event->fields, options);
	seq_puts(m, "\nprint fmt: ");
	if (event->show_print_fmt)
		event->show_print_fmt(m, event);
	else
		seq_puts(m, options & event->option ? event->print_fmt_option : event->print_fmt);
	seq_putc(m, '\n');
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(trace_format);

EVENT_FILE_ENTRY(format_file, "format") = {
	.name = "format",
	.mode = 0440,
	.fops = &trace_format_fops,
	.place = EVENT_FILE_EVENT,
};

static int header_page_show(struct seq_file *m, void *v __unused)
{
	static const char line[] = "\tfield: %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n";
	const struct trace_cpu *where = m->private;
	size_t size = ring_buffer_subbuf_size_get(READ_ONCE(where->tr->buffer));

	seq_printf(m, line, "u64 timestamp", 0, 8, 0);
	seq_printf(m, line, "local_t commit", 8, 8, 1);
	seq_printf(m, line, "int overwrite", 8, 1, 1);
	seq_printf(m, line, "char data", RB_PAGE_HEADER, (unsigned)size - RB_PAGE_HEADER, 1);
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

EVENT_FILE_ENTRY(header_page_file, "header_page") = {
	.name = "header_page",
	.mode = 0440,
	.fops = &header_page_fops,
	.place = EVENT_FILE_TOP,
};
EVENT_FILE_ENTRY(header_event_file, "header_event") = {
	.name = "header_event",
	.mode = 0440,
	.fops = &header_event_fops,
	.place = EVENT_FILE_TOP,
};
