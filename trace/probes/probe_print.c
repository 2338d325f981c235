/* Records of probes: their fields, and printing them (trace/probes/probe_arg.h). */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/core/trace_seq.h"
#include "trace/probes/internal.h"

/* ---- the description of the record ---- */

bool probe_args_have_strings(const struct probe_arg *args, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (args[i].type->is_string)
			return true;
	return false;
}

/*
 * Returns the type for the format file: "u64", "u8[]", "__data_loc char[]",
 * "__data_loc char[][2]", or NULL.
 */
static char *field_type(const struct probe_arg *arg)
{
	char type[32];

	if (!arg->type->is_string)
		snprintf(type, sizeof(type), "%s%s", arg->type->field_type, arg->count ? "[]" : "");
	else if (!arg->count)
		snprintf(type, sizeof(type), "__data_loc %s", arg->type->field_type);
	else
		snprintf(type, sizeof(type), "__data_loc %s[%u]", arg->type->field_type,
			 arg->count);
	return kstrdup(type, GFP_KERNEL);
}

static void describe_arg(struct trace_event_field *field, const struct probe_arg *arg)
{
	*field = (struct trace_event_field){
		.type = field_type(arg),
		.name = kstrdup(arg->name, GFP_KERNEL),
		.offset = arg->offset,
		.size = arg->size,
		.is_signed = arg->type->is_signed,
		.filter_type =
			arg->type->is_string && !arg->count ? FILTER_DYN_STRING : FILTER_OTHER,
	};
}

/* The texts are copies: the fields may outlive args, which are those of one probe of the event. */
struct trace_event_field *probe_args_fields(const struct trace_event_field *head,
					    const struct probe_arg *args, unsigned count)
{
	struct trace_event_field *fields;
	unsigned heads = 0;

	while (head && head[heads].name)
		heads++;
	fields = kcalloc(heads + count + 1, sizeof(*fields), GFP_KERNEL);
	for (unsigned i = 0; fields && i < heads + count; i++) {
		if (i < heads) {
			fields[i] = head[i];
			fields[i].type = kstrdup(head[i].type, GFP_KERNEL);
			fields[i].name = kstrdup(head[i].name, GFP_KERNEL);
		} else {
			describe_arg(&fields[i], &args[i - heads]);
		}
		if (!fields[i].type || !fields[i].name) {
			probe_args_free_fields(fields);
			return NULL;
		}
	}
	return fields;
}

/* The last field may have only one of its texts. */
void probe_args_free_fields(struct trace_event_field *fields)
{
	for (struct trace_event_field *f = fields; f && (f->name || f->type); f++) {
		kfree(f->type);
		kfree(f->name);
	}
	kfree(fields);
}

/* Prints the print fmt into text, which has size bytes; returns its length. */
static size_t print_print_fmt(const char *head, const char *head_values,
			      const struct probe_arg *args, unsigned count, char *text, size_t size)
{
	size_t n = 0;

#define ADD(...) (n += (size_t)snprintf(size ? text + n : NULL, size ? size - n : 0, __VA_ARGS__))
	ADD("\"%s", head);
	for (unsigned i = 0; i < count; i++) {
		ADD(" %s=%s", args[i].name, args[i].count ? "{" : "");
		for (unsigned j = 0; j < probe_arg_elements(&args[i]); j++)
			ADD("%s%s", j ? "," : "", args[i].type->fmt);
		ADD("%s", args[i].count ? "}" : "");
	}
	ADD("\"%s", head_values);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < probe_arg_elements(&args[i]); j++) {
			if (args[i].type->is_string && args[i].count)
				ADD(", __get_str(%s[%u])", args[i].name, j);
			else if (args[i].type->is_string)
				ADD(", __get_str(%s)", args[i].name);
			else if (args[i].count)
				ADD(", REC->%s[%u]", args[i].name, j);
			else
				ADD(", REC->%s", args[i].name);
		}
	}
#undef ADD
	return n;
}

char *probe_args_print_fmt(const char *head, const char *head_values, const struct probe_arg *args,
			   unsigned count)
{
	size_t size = print_print_fmt(head, head_values, args, count, NULL, 0) + 1;
	char *text = kmalloc(size, GFP_KERNEL);

	if (text)
		print_print_fmt(head, head_values, args, count, text, size);
	return text;
}

/* ---- printing ---- */

static void print_text(struct trace_seq *s, const void *record, const u8 *at)
{
	u32 loc;

	memcpy(&loc, at, sizeof(loc));
	if (!(loc >> 16)) {
		trace_seq_puts(s, "(fault)");
		return;
	}
	trace_seq_putc(s, '"');
	trace_seq_puts_max(s, (const char *)record + (loc & 0xffff), loc >> 16);
	trace_seq_putc(s, '"');
}

static void print_integer(struct trace_seq *s, const struct probe_type *type, const u8 *at)
{
	u64 value = 0;
	unsigned shift = 64 - 8U * type->size;

	memcpy(&value, at, type->size);
	if (type->is_signed)
		value = (u64)((s64)(value << shift) >> shift);
	if (type->fmt[1] == 'p')
		trace_seq_printf(s, "%pS", (void *)value);
	else if (type->fmt[0] == '0')
		trace_seq_printf(s, "0x%lx", value);
	else if (type->fmt[0] == '\'')
		trace_seq_printf(s, "'%c'", (char)value);
	else
		trace_seq_printf(s, type->is_signed ? "%ld" : "%lu", value);
}

void probe_args_print(struct trace_seq *s, const struct probe_arg *args, unsigned count,
		      const void *record)
{
	for (unsigned i = 0; i < count; i++) {
		const struct probe_arg *arg = &args[i];

		trace_seq_printf(s, " %s=%s", arg->name, arg->count ? "{" : "");
		for (unsigned j = 0; j < probe_arg_elements(arg); j++) {
			const u8 *at = (const u8 *)record + arg->offset + j * arg->type->size;

			if (j)
				trace_seq_putc(s, ',');
			if (arg->type->is_string)
				print_text(s, record, at);
			else
				print_integer(s, arg->type, at);
		}
		if (arg->count)
			trace_seq_putc(s, '}');
	}
}
