/*
 * The option fields: each entry is printed as its name and the values of all its fields, whatever
 * its own text leaves out. The forms are those of Linux 6.12, which has none for arrays.
 */
#include "arch/unwind/maccess.h"
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/events/fields.h"

#define POINTED_TEXT_MAX 128

static void print_bytes(struct trace_seq *s, const u8 *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		trace_seq_printf(s, "%s%02x", i ? " " : "", at[i]);
}

static void print_longs(struct trace_seq *s, const u8 *at, size_t size)
{
	u64 number;

	for (size_t i = 0; i + sizeof(number) <= size; i += sizeof(number)) {
		memcpy(&number, at + i, sizeof(number));
		trace_seq_printf(s, "%s0x%lx", i ? " " : "", number);
	}
}

static void print_array(struct trace_seq *s, const char *type, const u8 *at, size_t size)
{
	if (strstr(type, "char["))
		trace_seq_puts_max(s, (const char *)at, size);
	else if (strstr(type, "long") || strstr(type, "cpumask_t"))
		print_longs(s, at, size);
	else
		print_bytes(s, at, size);
}

static void print_number(struct trace_seq *s, const char *type, const u8 *at, size_t size)
{
	u16 half;
	u32 word;
	u64 number;

	switch (size) {
	case 1:
		if (isprint(*at))
			trace_seq_printf(s, "'%c' ", *at);
		trace_seq_printf(s, "(%d)", *at);
		break;
	case sizeof(half):
		memcpy(&half, at, sizeof(half));
		trace_seq_printf(s, "0x%x (%d)", half, half);
		break;
	case sizeof(word):
		memcpy(&word, at, sizeof(word));
		trace_seq_printf(s, "0x%x (%d)", word, (s32)word);
		break;
	case sizeof(number):
		memcpy(&number, at, sizeof(number));
		trace_seq_printf(s, "0x%lx (%ld)", number, (long)number);
		break;
	default:
		print_array(s, type, at, size);
	}
}

/* A text outside the entry is read if it is still there. */
static void print_pointer(struct trace_seq *s, const u8 *at)
{
	char text[POINTED_TEXT_MAX];
	const char *address;

	memcpy(&address, at, sizeof(address));
	trace_seq_printf(s, "(0x%016lx", (unsigned long)address);
	if (strncpy_from_kernel_nofault(text, address, sizeof(text)) > 0)
		trace_seq_printf(s, ":%s", text);
	trace_seq_putc(s, ')');
}

/* Prints the data that a __data_loc or __rel_loc field names. */
static void print_located(struct trace_iterator *iter, const struct trace_event_field *field,
			  const u8 *entry)
{
	size_t offset, size;
	u32 loc;

	memcpy(&loc, entry + field->offset, sizeof(loc));
	offset = min((loc & 0xffff) + trace_loc_base(field), iter->ent_size);
	size = min((size_t)(loc >> 16), iter->ent_size - offset);
	print_array(&iter->seq, field->type, entry + offset, size);
}

/* The field begins in the entry. An array at its end may have more or less than its size. */
static void print_field(struct trace_iterator *iter, const struct trace_event_field *field)
{
	const u8 *entry = (const u8 *)iter->ent, *at = entry + field->offset;
	struct trace_seq *s = &iter->seq;
	size_t room = iter->ent_size - field->offset,
	       size = field->size ? min((size_t)field->size, room) : room;
	unsigned long address;

	if (trace_field_is_loc(field)) {
		print_located(iter, field, entry);
		return;
	}
	switch (trace_field_filter_type(field)) {
	case FILTER_STATIC_STRING:
		trace_seq_puts_max(s, (const char *)at, size);
		break;
	case FILTER_PTR_STRING:
		print_pointer(s, at);
		break;
	case FILTER_TRACE_FN:
		memcpy(&address, at, sizeof(address));
		trace_seq_printf(s, "%pS", (void *)address);
		break;
	default:
		print_number(s, field->type, at, size);
	}
}

static enum print_line_t print_fields(struct trace_iterator *iter, const struct trace_event *event)
{
	trace_seq_printf(&iter->seq, "%s:", event->name ? event->name : "?");
	for (const struct trace_event_field *field = event->fields; field && field->name; field++) {
		/* A field of an option that was off when the entry was made is not there. */
		if (field->offset >= iter->ent_size)
			continue;
		trace_seq_printf(&iter->seq, " %s=", field->name);
		print_field(iter, field);
	}
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static struct trace_flag fields_flag = { .name = "fields" };

static int __init init_print_fields(void)
{
	trace_print_fields_hook = print_fields;
	return register_trace_flag(&fields_flag);
}
core_initcall(init_print_fields);
