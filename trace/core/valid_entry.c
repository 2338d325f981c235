/* Checks the entries of the last boot: see trace/core/valid_entry.h. */
#include "trace/core/valid_entry.h"

#include "kernel/lib/string.h"
#include "kernel/sections.h"
#include "trace/core/entries.h"
#include "trace/core/events.h"

/* Returns whether a string begins there that can be printed: it and its end are constant data. */
static bool is_constant_string(const char *text)
{
	size_t room = (size_t)(__end_rodata - text);

	return !text ||
	       (text >= __start_rodata && text < __end_rodata && strnlen(text, room) < room);
}

/* Returns whether a field of this type is printed up to its first NUL. */
static bool is_text(const char *type)
{
	return strstr(type, "char[") != NULL;
}

static bool has_end(const u8 *text, size_t size)
{
	return strnlen((const char *)text, size) < size;
}

/* Returns whether the data that the word loc of the field names lies in the entry. */
static bool valid_loc(const struct trace_event_field *field, u32 loc, const u8 *entry,
		      size_t length)
{
	size_t offset = (loc & 0xffff) + trace_loc_base(field), size = loc >> 16;

	return offset + size <= length && (!is_text(field->type) || has_end(entry + offset, size));
}

static bool is_array(const struct trace_event_field *field)
{
	return strchr(field->type, '[') && !trace_field_is_loc(field);
}

static bool valid_field(const struct trace_event_field *field, const u8 *entry, size_t length)
{
	const char *text;
	u32 loc;

	if ((size_t)field->offset + field->size > length)
		return false;
	if (trace_field_is_loc(field)) {
		memcpy(&loc, entry + field->offset, sizeof(loc));
		return valid_loc(field, loc, entry, length);
	}
	if (is_array(field)) /* without a size: it takes what remains of the entry */
		return !field->size || !is_text(field->type) ||
		       has_end(entry + field->offset, field->size);
	if (strstr(field->type, "char *") && field->size == sizeof(text)) {
		memcpy(&text, entry + field->offset, sizeof(text));
		return is_constant_string(text);
	}
	return true;
}

bool trace_entry_is_valid(const void *payload, size_t length)
{
	const struct trace_entry *entry = payload;
	const struct trace_event *event;

	if (length < sizeof(*entry))
		return false;
	event = ftrace_find_event(entry->type);
	if (!event || !event->fields)
		return false;
	for (const struct trace_event_field *field = event->fields; field->name; field++) {
		bool any_size = is_array(field) && event->valid;

		if (field->option) /* may be missing: the printer looks at the length */
			continue;
		if (any_size ? field->offset > length : !valid_field(field, payload, length))
			return false;
	}
	return !event->valid || event->valid(entry, length);
}
