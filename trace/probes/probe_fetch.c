/* Records of probes: fetching, storing and printing the arguments (trace/probes/probe_arg.h). */
#include "arch/maccess.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "trace/core/trace_seq.h"
#include "trace/probes/probe_arg.h"

/* ---- the description of the record ---- */

static unsigned elements(const struct probe_arg *arg)
{
	return arg->count ? arg->count : 1;
}

size_t probe_args_layout(struct probe_arg *args, unsigned count, size_t from)
{
	for (unsigned i = 0; i < count; i++) {
		args[i].offset = (u16)from;
		args[i].size = (u16)(args[i].type->size * elements(&args[i]));
		from += args[i].size;
	}
	return from;
}

/* Returns the type for the format file: "u64", "u8[]", "__data_loc char[]", or NULL. */
static char *field_type(const struct probe_arg *arg)
{
	char type[32];

	snprintf(type, sizeof(type), "%s%s%s", arg->type->is_string ? "__data_loc " : "",
		 arg->type->field_type, arg->count ? "[]" : "");
	return kstrdup(type, GFP_KERNEL);
}

struct trace_event_field *probe_args_fields(const struct probe_arg *args, unsigned count)
{
	struct trace_event_field *fields = kcalloc(count + 1, sizeof(*fields), GFP_KERNEL);

	for (unsigned i = 0; fields && i < count; i++) {
		const struct probe_arg *arg = &args[i];

		fields[i] = (struct trace_event_field){
			.type = field_type(arg),
			.name = arg->name,
			.offset = arg->offset,
			.size = arg->size,
			.is_signed = arg->type->is_signed,
			.filter_type = arg->type->is_string && !arg->count ? FILTER_DYN_STRING
									   : FILTER_OTHER,
		};
		if (!fields[i].type) {
			probe_args_free_fields(fields);
			return NULL;
		}
	}
	return fields;
}

void probe_args_free_fields(struct trace_event_field *fields)
{
	for (struct trace_event_field *field = fields; field && field->name; field++)
		kfree(field->type);
	kfree(fields);
}

/* Prints the print fmt into text, which has size bytes; returns its length. */
static size_t print_print_fmt(const struct probe_arg *args, unsigned count, const char *head,
			      char *text, size_t size)
{
	size_t n = 0;

#define ADD(...) (n += (size_t)snprintf(size ? text + n : NULL, size ? size - n : 0, __VA_ARGS__))
	ADD("\"%s", head);
	for (unsigned i = 0; i < count; i++) {
		ADD(" %s=%s", args[i].name, args[i].count ? "{" : "");
		for (unsigned j = 0; j < elements(&args[i]); j++)
			ADD("%s%s", j ? "," : "", args[i].type->fmt);
		ADD("%s", args[i].count ? "}" : "");
	}
	ADD("\"");
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < elements(&args[i]); j++) {
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

char *probe_args_print_fmt(const struct probe_arg *args, unsigned count)
{
	size_t size = print_print_fmt(args, count, "", NULL, 0) + 1;
	char *text = kmalloc(size, GFP_KERNEL);

	if (text)
		print_print_fmt(args, count, "", text, size);
	return text;
}

/* ---- fetching ---- */

/* A value on its way: an address, if the type reads memory there. */
struct place {
	u64 value;
	bool in_memory; /* value is the address of the element */
	bool user;
	bool fault;
};

static long copy(void *to, u64 address, size_t size, bool user)
{
	return user ? copy_from_user_nofault(to, (const void *)address, size)
		    : copy_from_kernel_nofault(to, (const void *)address, size);
}

/* Runs the source and the dereferences; the last one is left to the type. */
static struct place find_place(const struct probe_arg *arg, const struct probe_arg_sources *sources,
			       const void *context)
{
	struct place place = { .value = arg->source.value };

	switch (arg->source.kind) {
	case PROBE_SOURCE_VALUE:
		break;
	case PROBE_SOURCE_TEXT:
		place.value = (u64)(unsigned long)arg->source.text;
		break;
	case PROBE_SOURCE_COMM:
		place.value = (u64)(unsigned long)current->comm;
		break;
	case PROBE_SOURCE_PRIVATE:
		place.value = sources->fetch(&arg->source, context);
		break;
	}
	for (unsigned i = 0; i < arg->nr_derefs; i++) {
		place.value += (u64)arg->derefs[i].offset;
		place.user = arg->derefs[i].user;
		if (i + 1 == arg->nr_derefs)
			place.in_memory = true;
		else if (copy(&place.value, place.value, sizeof(place.value), place.user))
			return (struct place){ .fault = true };
	}
	return place;
}

/* Returns the address of the text of a string's element. 0: a fault. */
static u64 text_address(const struct probe_arg *arg, struct place place, unsigned element)
{
	u64 pointer;

	if (place.fault)
		return 0;
	if (!arg->count)
		return place.value;
	/* An array of strings is an array of pointers. */
	if (copy(&pointer, place.value + element * sizeof(pointer), sizeof(pointer), place.user))
		return 0;
	return pointer;
}

/* Copies at most size bytes of the text, with its NUL. Returns the number, or 0: a fault. */
static size_t copy_text(const struct probe_arg *arg, struct place place, unsigned element, char *to,
			size_t size)
{
	u64 address = text_address(arg, place, element);
	long length;

	if (!address || !size)
		return 0;
	if (arg->type->is_symbol_text)
		return (size_t)scnprintf(to, size, "%pS", (void *)address) + 1;
	length = place.user || arg->type->is_user
			 ? strncpy_from_user_nofault(to, (const void *)address, size)
			 : strncpy_from_kernel_nofault(to, (const void *)address, size);
	return length < 0 ? 0 : (size_t)length;
}

/* Returns the bytes of a text with its NUL, at most PROBE_STRING_MAX, or 0: a fault. */
static size_t text_size(const struct probe_arg *arg, struct place place, unsigned element)
{
	u64 address = text_address(arg, place, element);
	size_t size = 0;
	char piece[64];

	if (arg->type->is_symbol_text)
		return address ? (size_t)snprintf(NULL, 0, "%pS", (void *)address) + 1 : 0;
	while (address && size < PROBE_STRING_MAX) {
		const void *at = (const void *)(address + size);
		long length = place.user || arg->type->is_user
				      ? strncpy_from_user_nofault(piece, at, sizeof(piece))
				      : strncpy_from_kernel_nofault(piece, at, sizeof(piece));

		if (length < 0)
			return 0;
		if (length < (long)sizeof(piece))
			return min(size + (size_t)length, (size_t)PROBE_STRING_MAX);
		size += sizeof(piece) - 1; /* the last byte of a cut piece is a NUL of its own */
	}
	return min(size, (size_t)PROBE_STRING_MAX);
}

size_t probe_args_data_size(const struct probe_arg *args, unsigned count,
			    const struct probe_arg_sources *sources, const void *context)
{
	size_t size = 0;

	for (unsigned i = 0; i < count; i++) {
		struct place place;

		if (!args[i].type->is_string)
			continue;
		place = find_place(&args[i], sources, context);
		for (unsigned j = 0; j < elements(&args[i]); j++)
			size += text_size(&args[i], place, j);
	}
	return size;
}

/* Stores the texts of one argument from `from` on. Returns the end. */
static size_t store_texts(const struct probe_arg *arg, struct place place, void *record,
			  size_t from, size_t end)
{
	for (unsigned j = 0; j < elements(arg); j++) {
		/* A text may have become longer since it was measured: then it is cut. */
		size_t room = min(end - from, (size_t)PROBE_STRING_MAX);
		size_t size = copy_text(arg, place, j, (char *)record + from, room);
		u32 loc = (u32)(from | size << 16);

		memcpy((u8 *)record + arg->offset + j * sizeof(loc), &loc, sizeof(loc));
		from += size;
	}
	return from;
}

static u64 bits(const struct probe_arg *arg, u64 value)
{
	return arg->bit_width ? value >> arg->bit_shift & ((1ULL << arg->bit_width) - 1) : value;
}

static void store_integers(const struct probe_arg *arg, struct place place, void *record)
{
	size_t size = arg->type->size;

	for (unsigned j = 0; j < elements(arg); j++) {
		u64 value = place.value;

		if (place.in_memory) {
			value = 0;
			if (copy(&value, place.value + j * size, size, place.user))
				value = 0;
		}
		value = bits(arg, place.fault ? 0 : value);
		memcpy((u8 *)record + arg->offset + j * size, &value, size);
	}
}

void probe_args_store(const struct probe_arg *args, unsigned count,
		      const struct probe_arg_sources *sources, const void *context, void *record,
		      size_t from, size_t end)
{
	for (unsigned i = 0; i < count; i++) {
		struct place place = find_place(&args[i], sources, context);

		if (args[i].type->is_string)
			from = store_texts(&args[i], place, record, from, end);
		else
			store_integers(&args[i], place, record);
	}
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
		for (unsigned j = 0; j < elements(arg); j++) {
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
