/*
 * events/: what stands in trace_pipe_raw, told to the programs that read it: the pages, the head of
 * an event, and the fields of each type of entry.
 */
#include "fs/seq_file.h"
#include "fs/tracefs.h"
#include "kernel/lib/string.h"
#include "trace/tracers/function_graph/function_graph.h"

struct format_field {
	const char *declaration; /* NULL ends a list */
	unsigned offset, size;
	bool is_signed;
	u32 graph_option; /* the field is there while this option of the graph tracer is on; 0:
			     always */
};

struct event_format {
	const char *name;
	enum trace_type id;
	const struct format_field *fields;
	const char *print_fmt;
	u32 graph_option; /* with it: */
	const char *print_fmt_option;
};

#define FIELD(struct_name, member, declaration, sign)                                              \
	{                                                                                          \
		declaration, offsetof(struct struct_name, member),                                 \
			sizeof(((struct struct_name *)0)->member), sign, 0                         \
	}
#define ARRAY(struct_name, member, declaration, bytes, sign)                                       \
	{                                                                                          \
		declaration, offsetof(struct struct_name, member), bytes, sign, 0                  \
	}
#define GRAPH_OPTION_FIELD(struct_name, member, declaration, bytes, bit)                           \
	{                                                                                          \
		declaration, offsetof(struct struct_name, member), bytes, false, bit               \
	}

static const struct format_field common_fields[] = {
	FIELD(trace_entry, type, "unsigned short common_type", false),
	FIELD(trace_entry, flags, "unsigned char common_flags", false),
	FIELD(trace_entry, preempt_count, "unsigned char common_preempt_count", false),
	FIELD(trace_entry, pid, "int common_pid", true),
	{ .declaration = NULL },
};

static const struct format_field function_fields[] = {
	FIELD(ftrace_entry, ip, "unsigned long ip", false),
	FIELD(ftrace_entry, parent_ip, "unsigned long parent_ip", false),
	{ .declaration = NULL },
};

static const struct format_field kernel_stack_fields[] = {
	FIELD(stack_entry, size, "int size", true),
	ARRAY(stack_entry, caller, "unsigned long caller[8]",
	      FTRACE_STACK_ENTRIES * sizeof(unsigned long), false),
	{ .declaration = NULL },
};

static const struct format_field print_fields[] = {
	FIELD(print_entry, ip, "unsigned long ip", false),
	ARRAY(print_entry, buf, "char buf[]", 0, true),
	{ .declaration = NULL },
};

static const struct format_field bprint_fields[] = {
	FIELD(bprint_entry, ip, "unsigned long ip", false),
	FIELD(bprint_entry, fmt, "const char * fmt", false),
	ARRAY(bprint_entry, buf, "u32 buf[]", 0, false),
	{ .declaration = NULL },
};

static const struct format_field funcgraph_exit_fields[] = {
	FIELD(ftrace_graph_ret_entry, func, "unsigned long func", false),
	FIELD(ftrace_graph_ret_entry, depth, "int depth", true),
	FIELD(ftrace_graph_ret_entry, overrun, "unsigned int overrun", false),
	FIELD(ftrace_graph_ret_entry, calltime, "unsigned long long calltime", false),
	FIELD(ftrace_graph_ret_entry, rettime, "unsigned long long rettime", false),
	GRAPH_OPTION_FIELD(ftrace_graph_ret_entry, retval, "unsigned long retval",
			   sizeof(unsigned long), TRACE_GRAPH_PRINT_RETVAL),
	{ .declaration = NULL },
};

static const struct format_field funcgraph_entry_fields[] = {
	FIELD(ftrace_graph_ent_entry, func, "unsigned long func", false),
	FIELD(ftrace_graph_ent_entry, depth, "int depth", true),
	GRAPH_OPTION_FIELD(ftrace_graph_ent_entry, args, "unsigned long args[]", 0,
			   TRACE_GRAPH_ARGS),
	{ .declaration = NULL },
};

static const struct format_field bputs_fields[] = {
	FIELD(bputs_entry, ip, "unsigned long ip", false),
	FIELD(bputs_entry, str, "const char * str", false),
	{ .declaration = NULL },
};

static const struct event_format event_formats[] = {
	{ .name = "function",
	  .id = TRACE_FN,
	  .fields = function_fields,
	  .print_fmt = "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip" },
	{ .name = "funcgraph_exit",
	  .id = TRACE_GRAPH_RET,
	  .fields = funcgraph_exit_fields,
	  .print_fmt = "\"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, "
		       "REC->depth, REC->calltime, REC->rettime, REC->depth",
	  .graph_option = TRACE_GRAPH_PRINT_RETVAL,
	  .print_fmt_option =
		  "\"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx\", "
		  "(void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth, "
		  "REC->retval" },
	{ .name = "funcgraph_entry",
	  .id = TRACE_GRAPH_ENT,
	  .fields = funcgraph_entry_fields,
	  .print_fmt = "\"--> %ps (%d)\", (void *)REC->func, REC->depth" },
	{ .name = "kernel_stack",
	  .id = TRACE_STACK,
	  .fields = kernel_stack_fields,
	  .print_fmt = "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> "
		       "%ps\\n\" "
		       "\"\\t=> %ps\\n\\t=> %ps\\n\", "
		       "(void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], "
		       "(void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], "
		       "(void *)REC->caller[6], (void *)REC->caller[7]" },
	{ .name = "print",
	  .id = TRACE_PRINT,
	  .fields = print_fields,
	  .print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->buf" },
	{ .name = "bprint",
	  .id = TRACE_BPRINT,
	  .fields = bprint_fields,
	  .print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->fmt" },
	{ .name = "bputs",
	  .id = TRACE_BPUTS,
	  .fields = bputs_fields,
	  .print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->str" },
};

/* Options of the graph tracer that are on, in any trace_array: what is read may be from there. */
static u32 graph_options(void)
{
	const struct tracer *graph;
	struct trace_array *tr;
	u32 options = 0;

	mutex_lock(&trace_types_lock);
	graph = tracing_find_tracer("function_graph");
	if (graph)
		for_each_trace_array(tr) options |= tracer_flags_of(tr, graph);
	mutex_unlock(&trace_types_lock);
	return options;
}

static void show_fields(struct seq_file *m, const struct format_field *fields, u32 options)
{
	for (; fields->declaration; fields++)
		if (!fields->graph_option || (options & fields->graph_option))
			seq_printf(m, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
				   fields->declaration, fields->offset, fields->size,
				   fields->is_signed);
}

static int trace_format_show(struct seq_file *m, void *v __unused)
{
	const struct event_format *format = m->private;
	u32 options = graph_options();

	seq_printf(m, "name: %s\nID: %d\nformat:\n", format->name, format->id);
	show_fields(m, common_fields, options);
	seq_putc(m, '\n');
	show_fields(m, format->fields, options);
	seq_printf(m, "\nprint fmt: %s\n",
		   options & format->graph_option ? format->print_fmt_option : format->print_fmt);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(trace_format);

static int trace_id_show(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%d\n", ((const struct event_format *)m->private)->id);
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

static bool make_event_dir(struct dentry *parent, const struct event_format *format)
{
	struct dentry *dir = tracefs_create_dir(format->name, parent);

	return !IS_ERR_OR_NULL(dir) &&
	       !IS_ERR_OR_NULL(tracefs_create_file("format", 0440, dir, (void *)format,
						   &trace_format_fops)) &&
	       !IS_ERR_OR_NULL(
		       tracefs_create_file("id", 0440, dir, (void *)format, &trace_id_fops));
}

int trace_create_events_dir(struct trace_array *tr)
{
	struct dentry *events = tracefs_create_dir("events", tr->dir), *ftrace;
	bool made;

	if (IS_ERR_OR_NULL(events))
		return -ENOMEM;
	ftrace = tracefs_create_dir("ftrace", events);
	if (IS_ERR_OR_NULL(ftrace))
		return -ENOMEM;
	made = !IS_ERR_OR_NULL(
		       tracefs_create_file("header_page", 0440, events, NULL, &header_page_fops)) &&
	       !IS_ERR_OR_NULL(
		       tracefs_create_file("header_event", 0440, events, NULL, &header_event_fops));
	for (unsigned i = 0; i < ARRAY_SIZE(event_formats); i++)
		made = made && make_event_dir(ftrace, &event_formats[i]);
	return made ? 0 : -ENOMEM;
}
