/* Printing entries of the function tracer. */
#include "kernel/init.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/tracers/function/args.h"
#include "trace/tracers/function/internal.h"

static void print_parent(struct trace_seq *s, unsigned long parent_ip, u64 flags)
{
	if (!(flags & TRACE_ITER_PRINT_PARENT) || !parent_ip)
		return;
	trace_seq_puts(s, " <-");
	seq_print_ip_sym(s, parent_ip, flags);
}

static enum print_line_t trace_fn_trace(struct trace_iterator *iter)
{
	const struct ftrace_entry *field = (const struct ftrace_entry *)iter->ent;
	u64 flags = trace_iter_flags(iter);
	struct trace_seq *s = &iter->seq;

	seq_print_ip_sym(s, field->ip, flags);
	if (iter->ent_size >= sizeof(*field) + sizeof(field->args[0]))
		print_function_args(iter, field->ip, field->args, iter->ent_size - sizeof(*field));
	print_parent(s, field->parent_ip, flags);
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
	TRACE_OPTION_FIELD(ftrace_entry, args, "unsigned long[]", 0, TRACE_FUNC_OPT_ARGS),
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
	.tracer = &function_trace,
};

/* ---- TRACE_FUNC_REPEATS ---- */

static u64 repeats_delta(const struct func_repeats_entry *field)
{
	return (u64)field->top_delta_ts << 32 | field->bottom_delta_ts;
}

static enum print_line_t trace_func_repeats_print(struct trace_iterator *iter)
{
	const struct func_repeats_entry *field = (const struct func_repeats_entry *)iter->ent;
	u64 flags = trace_iter_flags(iter);
	struct trace_seq *s = &iter->seq;

	seq_print_ip_sym(s, field->ip, flags);
	print_parent(s, field->parent_ip, flags);
	trace_seq_printf(s, " (repeats: %u, last_ts:", field->count);
	trace_print_time(iter, iter->ts - repeats_delta(field));
	trace_seq_puts(s, ")\n");
	return trace_handle_return(s);
}

/* Linux prints the addresses in decimal, too. */
static enum print_line_t trace_func_repeats_raw(struct trace_iterator *iter)
{
	const struct func_repeats_entry *field = (const struct func_repeats_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lu %lu %u %llu\n", field->ip, field->parent_ip, field->count,
			 (unsigned long long)repeats_delta(field));
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field func_repeats_fields[] = {
	TRACE_FIELD(func_repeats_entry, ip, "unsigned long", false),
	TRACE_FIELD(func_repeats_entry, parent_ip, "unsigned long", false),
	TRACE_FIELD(func_repeats_entry, count, "u16", false),
	TRACE_FIELD(func_repeats_entry, top_delta_ts, "u16", false),
	TRACE_FIELD(func_repeats_entry, bottom_delta_ts, "u32", false),
	{ .name = NULL },
};

static struct trace_event func_repeats_event = {
	.type = TRACE_FUNC_REPEATS,
	.trace = trace_func_repeats_print,
	.raw = trace_func_repeats_raw,
	.name = "func_repeats",
	.fields = func_repeats_fields,
	.print_fmt = "\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", (void *)REC->ip, "
		     "(void *)REC->parent_ip, REC->count, "
		     "(((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)",
};

static int __init init_function_output(void)
{
	register_trace_event(&trace_fn_event);
	register_trace_event(&func_repeats_event);
	return 0;
}
core_initcall(init_function_output);
