/* The formats of user events: what a program says about its payload. */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/core/entries.h"
#include "trace/user_events/internal.h"

#define FIELD_ARRAY_MAX 1024U   /* bytes of a char[N] */
#define RECORD_MAX      0xffffU /* a __data_loc word cannot point further */
#define ARRAY_DIGITS    6       /* of N, as in Linux */

static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";

/* No long: its size would depend on the program. */
static const struct {
	const char *name, *fmt;
	u16 size;
} number_types[] = {
	{ "s64", "%lld", 8 }, { "u64", "%llu", 8 },
	{ "s32", "%d", 4 },   { "u32", "%u", 4 },
	{ "int", "%d", 4 },   { "unsigned int", "%u", 4 },
	{ "s16", "%d", 2 },   { "u16", "%u", 2 },
	{ "short", "%d", 2 }, { "s8", "%d", 1 },
	{ "u8", "%u", 1 },    { "unsigned short", "%u", 2 },
	{ "char", "%d", 1 },  { "unsigned char", "%u", 1 },
};

/* What the type of a field begins with that is a word with the place of its data; NULL: another. */
static const char *loc_prefix(const char *type)
{
	if (strstarts(type, data_loc))
		return data_loc;
	return strstarts(type, rel_loc) ? rel_loc : NULL;
}

static bool is_struct(const char *type)
{
	return strstarts(type, "struct ");
}

/* ---- parsing ---- */

/* Ends the word at *at with a NUL, and moves *at behind it, or to NULL. NULL: the word is empty. */
static char *next_word(char **at)
{
	char *word = strsep(at, " ");

	return word && *word ? word : NULL;
}

/* The type may have several words. Ends it with a NUL, and moves *at behind it. */
static char *next_type(char **at)
{
	static const char *const prefixes[] = { data_loc, rel_loc, "struct ", "unsigned " };
	char *type = *at, *last = type;

	for (unsigned i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strstarts(last, prefixes[i]))
			last += strlen(prefixes[i]);
	*at = last;
	return next_word(at) ? type : NULL;
}

static bool is_type(const char *type)
{
	for (; *type; type++)
		if (!isalnum(*type) && !strchr("_[] ", *type))
			return false;
	return true;
}

static bool is_identifier(const char *name)
{
	if (isdigit(*name))
		return false;
	while (isalnum(*name) || *name == '_')
		name++;
	return !*name;
}

/* The size of char[N], or a negative errno. number: behind the bracket. */
static int array_size(char *number)
{
	char *end = strchr(number, ']');
	unsigned long size;

	if (!end || end - number > ARRAY_DIGITS)
		return -EINVAL;
	*end = '\0';
	if (kstrtoul(number, 0, &size) || !size || size > FIELD_ARRAY_MAX)
		size = 0;
	*end = ']';
	return size ? (int)size : -EINVAL;
}

static int type_size(char *type)
{
	if (loc_prefix(type))
		return sizeof(u32);
	if (strstarts(type, "char[") || strstarts(type, "unsigned char["))
		return array_size(strchr(type, '[') + 1);
	for (unsigned i = 0; i < ARRAY_SIZE(number_types); i++)
		if (strcmp(type, number_types[i].name) == 0)
			return number_types[i].size;
	return -EINVAL;
}

static enum trace_filter_type filter_type(const char *type)
{
	const char *prefix = loc_prefix(type);

	if (prefix)
		return !strstr(type, "char") ? FILTER_OTHER
		       : prefix == data_loc  ? FILTER_DYN_STRING
					     : FILTER_RDYN_STRING;
	return strstr(type, "char[") ? FILTER_STATIC_STRING : FILTER_OTHER;
}

/* Parses "TYPE NAME", or "struct TYPE NAME SIZE". size: of the fields before. */
static int parse_field(char *text, struct trace_event_field *field, u32 *size)
{
	char *type = next_type(&text), *name = type ? next_word(&text) : NULL;
	unsigned long bytes;
	int number;

	if (!name || !is_type(type) || !is_identifier(name))
		return -EINVAL;
	if (is_struct(type)) {
		if (!text || kstrtoul(text, 10, &bytes) || !bytes || bytes > RECORD_MAX)
			return -EINVAL;
	} else {
		number = type_size(type);
		if (text || number < 0)
			return -EINVAL;
		bytes = (unsigned long)number;
	}
	*field = (struct trace_event_field){
		.type = type,
		.name = name,
		.offset = (u16)(sizeof(struct trace_entry) + *size),
		.size = (u16)bytes,
		.is_signed = *type != 'u',
		.filter_type = (u8)filter_type(type),
	};
	*size += (u32)bytes;
	return sizeof(struct trace_entry) + *size <= RECORD_MAX ? 0 : -EINVAL;
}

static int parse_fields(char *text, struct user_event_format *format)
{
	struct trace_event_field *field = format->fields;

	while (*text) {
		char *start = text + strspn(text, " "), *end = strchrnul(start, ';');
		int error;

		text = *end ? end + 1 : end;
		*end = '\0';
		if (!*start)
			continue;
		error = parse_field(start, field++, &format->size);
		if (error)
			return error;
	}
	return 0;
}

int user_event_format_parse(const char *text, struct user_event_format *format)
{
	size_t count = 2; /* one field and the end */
	int error = -ENOMEM;

	for (const char *at = text; *at; at++)
		count += *at == ';';
	*format = (struct user_event_format){
		.fields = kcalloc(count, sizeof(*format->fields), GFP_KERNEL),
		.text = kstrdup(text, GFP_KERNEL),
	};
	if (format->fields && format->text)
		error = parse_fields(format->text, format);
	if (error)
		user_event_format_free(format);
	return error;
}

void user_event_format_free(struct user_event_format *format)
{
	kfree(format->fields);
	kfree(format->text);
	*format = (struct user_event_format){ .fields = NULL };
}

bool user_event_format_equal(const struct user_event_format *a, const struct user_event_format *b)
{
	const struct trace_event_field *x = a->fields, *y = b->fields;

	for (; x->name && y->name; x++, y++)
		if (strcmp(x->type, y->type) != 0 || strcmp(x->name, y->name) != 0 ||
		    x->size != y->size)
			return false;
	return !x->name && !y->name;
}

/* ---- text ---- */

void user_event_format_show(struct seq_file *m, const struct user_event_format *format)
{
	const struct trace_event_field *field;

	for (field = format->fields; field->name; field++) {
		seq_printf(m, "%s %s %s", field == format->fields ? "" : ";", field->type,
			   field->name);
		if (is_struct(field->type))
			seq_printf(m, " %u", field->size);
	}
}

/* As in Linux, what is no number and no string is printed as a number. */
static const char *field_fmt(const struct trace_event_field *field)
{
	for (unsigned i = 0; i < ARRAY_SIZE(number_types); i++)
		if (strcmp(field->type, number_types[i].name) == 0)
			return number_types[i].fmt;
	return strstr(field->type, "char[") ? "%s" : "%llu";
}

/* Prints the print fmt into text, which has size bytes; returns its length. */
static size_t print_print_fmt(const struct user_event_format *format, char *text, size_t size)
{
	const struct trace_event_field *field;
	size_t n = 0;

#define ADD(...) (n += (size_t)snprintf(size ? text + n : NULL, size ? size - n : 0, __VA_ARGS__))
	ADD("\"");
	for (field = format->fields; field->name; field++)
		ADD("%s%s=%s", field == format->fields ? "" : " ", field->name, field_fmt(field));
	ADD("\"");
	for (field = format->fields; field->name; field++) {
		if (field->filter_type == FILTER_DYN_STRING)
			ADD(", __get_str(%s)", field->name);
		else if (field->filter_type == FILTER_RDYN_STRING)
			ADD(", __get_rel_str(%s)", field->name);
		else
			ADD(", REC->%s", field->name);
	}
#undef ADD
	return n;
}

char *user_event_format_print_fmt(const struct user_event_format *format)
{
	size_t size = print_print_fmt(format, NULL, 0) + 1;
	char *text = kmalloc(size, GFP_KERNEL);

	if (text)
		print_print_fmt(format, text, size);
	return text;
}

/* ---- payloads ---- */

/*
 * Checks the data that a word of the record names. An offset of __data_loc counts from the start of
 * the record, which is a head longer than the payload; one of __rel_loc from behind the word.
 */
static bool is_valid_loc(const struct trace_event_field *field, const char *payload, size_t length)
{
	size_t at = field->offset - sizeof(struct trace_entry), start, size, end;
	u32 loc;

	memcpy(&loc, payload + at, sizeof(loc));
	start = (loc & 0xffff) + trace_loc_base(field);
	size = loc >> 16;
	end = start + size;
	if (end > sizeof(struct trace_entry) + length)
		return false;
	if (field->filter_type == FILTER_OTHER)
		return true;
	return start >= sizeof(struct trace_entry) && size &&
	       !payload[end - sizeof(struct trace_entry) - 1];
}

bool user_event_format_valid(const struct user_event_format *format, const void *payload,
			     size_t length)
{
	const struct trace_event_field *field;

	for (field = format->fields; field->name; field++)
		if (trace_field_is_loc(field) && !is_valid_loc(field, payload, length))
			return false;
	return true;
}
