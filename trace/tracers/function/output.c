/* Printing entries of the function tracer. */
#include "kernel/init.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/tracers/function/function.h"

static enum print_line_t trace_fn_trace(struct trace_iterator *iter)
{
	const struct ftrace_entry *field = (const struct ftrace_entry *)iter->ent;
	u64 flags = trace_iter_flags(iter);
	struct trace_seq *s = &iter->seq;

	seq_print_ip_sym(s, field->ip, flags);
	if ((flags & TRACE_ITER_PRINT_PARENT) && field->parent_ip) {
		trace_seq_puts(s, " <-");
		seq_print_ip_sym(s, field->parent_ip, flags);
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t trace_fn_raw(struct trace_iterator *iter)
{
	const struct ftrace_entry *field = (const struct ftrace_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lx %lx\n", field->ip, field->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_fn_hex(struct trace_iterator *iter)
{
	const struct ftrace_entry *field = (const struct ftrace_entry *)iter->ent;

	trace_seq_putmem_hex(&iter->seq, &field->ip, sizeof(field->ip));
	trace_seq_putmem_hex(&iter->seq, &field->parent_ip, sizeof(field->parent_ip));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_fn_bin(struct trace_iterator *iter)
{
	const struct ftrace_entry *field = (const struct ftrace_entry *)iter->ent;

	trace_seq_putmem(&iter->seq, &field->ip, sizeof(field->ip));
	trace_seq_putmem(&iter->seq, &field->parent_ip, sizeof(field->parent_ip));
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field trace_fn_fields[] = {
	TRACE_FIELD(ftrace_entry, ip, "unsigned long", false),
	TRACE_FIELD(ftrace_entry, parent_ip, "unsigned long", false),
	{ .name = NULL },
};

static struct trace_event trace_fn_event = {
	.type = TRACE_FN,
	.trace = trace_fn_trace,
	.raw = trace_fn_raw,
	.hex = trace_fn_hex,
	.binary = trace_fn_bin,
	.name = "function",
	.fields = trace_fn_fields,
	.print_fmt = "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",
};

static int __init init_function_output(void)
{
	register_trace_event(&trace_fn_event);
	return 0;
}
core_initcall(init_function_output);
