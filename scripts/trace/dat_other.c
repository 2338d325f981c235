/*
 * The text of the events that are not functions, stacks of the kernel, or messages. Most have a print fmt. The kernel
 * prints some in other words than their print fmt says. These are made here from the fields.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "print_fmt.h"

struct output_text {
	char *buf;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct output_text *out, const char *format, ...)
{
	size_t room = out->size - out->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out->buf + out->length, room, format, args);
	va_end(args);
	if (n > 0)
		out->length += (size_t)n < room ? (size_t)n : room - 1;
}

static uint64_t number_at(const struct event *event, const struct event_field *field)
{
	uint64_t value = 0;

	if (field->size <= 8 && field->offset <= event->size && field->size <= event->size - field->offset)
		memcpy(&value, event->data + field->offset, field->size);
	return value;
}

static const struct event_field *find_field(const struct format *format, const char *name)
{
	for (unsigned i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

static bool is_common(const struct event_field *field)
{
	return !strncmp(field->name, "common_", 7) || !strcmp(field->name, "__syscall_nr");
}

/* __NAME_val has the data that the argument NAME points to. */
static bool is_data(const struct event_field *field)
{
	size_t length = strlen(field->name);

	return length > 6 && !strncmp(field->name, "__", 2) && !strcmp(field->name + length - 4, "_val");
}

static const struct event_field *data_of(const struct format *format, const struct event_field *argument)
{
	char name[sizeof(argument->name) + 8];

	snprintf(name, sizeof(name), "__%s_val", argument->name);
	return find_field(format, name);
}

/* ` "a text"`, or ` (61:0a) "a."`, of a call that has `total` bytes. */
static void put_data(struct output_text *out, const struct event_field *data, const struct event *event, bool is_text, uint64_t total)
{
	uint32_t word = (uint32_t)number_at(event, data), length = word >> 16;
	const uint8_t *bytes = event->data + (word & 0xffff);
	const char *more;
	bool printable = false;

	if ((word & 0xffff) > event->size || length > event->size - (word & 0xffff))
		return;
	if (is_text) {
		put(out, " \"%.*s\"", (int)length, (const char *)bytes);
		return;
	}
	more = length < (uint32_t)total ? "..." : "";
	put(out, " (");
	for (uint32_t i = 0; i < length; i++) {
		printable |= isprint(bytes[i]) != 0;
		put(out, "%s%02x", i ? ":" : "", bytes[i]);
	}
	put(out, "%s%s)", *more ? ", " : "", more);
	if (!printable)
		return;
	put(out, " \"");
	for (uint32_t i = 0; i < length; i++)
		put(out, "%c", isprint(bytes[i]) ? bytes[i] : '.');
	put(out, "\"%s", more);
}

/* `flags: O_WRONLY|O_CREAT, mode: 0666` of open(2): the names of the flags are in the print fmt. */
static void put_open_flags(struct output_text *out, struct record *record, uint64_t flags, uint64_t mode)
{
	const uint64_t creates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
	char text[4096] = "", *found = NULL;

	if (record->print)
		print_fmt_text(record, text, sizeof(text));
	for (char *at = text; (at = strstr(at, "flags: ")); at++)
		found = at; /* a name of a file may contain the word, too */
	put(out, "%.*s", found ? (int)strcspn(found, ",") : 0, found);
	if (flags & creates)
		put(out, ", mode: 0%03" PRIo64, mode);
	put(out, ")");
}

/* `sys_read(fd: 3, buf: 0x7ffd1000, count: 0x200)` and `sys_read -> 0x200`. */
static void put_system_call(struct output_text *out, const struct format *format, const struct event *event, struct record *record)
{
	const struct event_field *ret = find_field(format, "ret"), *data;
	bool opens = !strcmp(format->name, "sys_enter_open") || !strcmp(format->name, "sys_enter_openat");
	bool writes = !strcmp(format->name, "sys_enter_write") || !strcmp(format->name, "sys_enter_pwrite64");
	const char *between = "";

	if (!strncmp(format->name, "sys_exit_", 9)) {
		put(out, "sys_%s -> 0x%" PRIx64, format->name + 9, ret ? number_at(event, ret) : 0);
		return;
	}
	put(out, "sys_%s(", format->name + strlen("sys_enter_"));
	for (unsigned i = 0; i < format->nr_fields; i++) {
		const struct event_field *field = &format->fields[i];
		uint64_t value = number_at(event, field), next = i + 1 < format->nr_fields ? number_at(event, field + 1) : 0;

		if (is_common(field) || is_data(field))
			continue;
		put(out, "%s", between);
		if (opens && !strcmp(field->name, "flags")) {
			put_open_flags(out, record, value, next);
			return;
		}
		put(out, value < 10 ? "%s: %" PRIu64 : "%s: 0x%" PRIx64, field->name, value);
		data = data_of(format, field);
		if (data)
			put_data(out, data, event, !writes, next);
		between = ", ";
	}
	put(out, ")");
}

static void put_raw_data(struct output_text *out, const struct format *format, const struct event *event)
{
	const struct event_field *id = find_field(format, "id"), *buf = find_field(format, "buf");

	put(out, "# %" PRIx64 " buf:", id ? number_at(event, id) : 0);
	for (size_t i = buf ? buf->offset : event->size; i < event->size; i++)
		put(out, " %02x", event->data[i]);
}

static void put_user_stack(struct output_text *out, const struct format *format, const struct event *event)
{
	const struct event_field *callers = find_field(format, "caller");
	uint64_t caller;

	put(out, "<user stack trace>");
	for (size_t at = callers ? callers->offset : event->size; at + 8 <= event->size; at += 8) {
		memcpy(&caller, event->data + at, 8);
		if (!caller)
			break;
		put(out, "\n =>  <%016" PRIx64 ">", caller);
	}
}

void dat_print_other(struct dat *dat, const struct event *event, char *buf, size_t size)
{
	const struct format *format = dat->formats[event->type];
	struct output_text out = { buf, size, 0 };
	struct record record = { .dat = dat, .data = event->data, .size = event->size, .print = format->print };

	buf[0] = '\0';
	if (!strcmp(format->system, "syscalls") &&
	    (!strncmp(format->name, "sys_enter_", 10) || !strncmp(format->name, "sys_exit_", 9))) {
		put_system_call(&out, format, event, &record);
	} else if (!strcmp(format->name, "raw_data")) {
		put_raw_data(&out, format, event);
	} else if (!strcmp(format->name, "user_stack")) {
		put_user_stack(&out, format, event);
	} else {
		put(&out, "%s: ", format->name);
		if (format->print)
			print_fmt_text(&record, buf + out.length, size - out.length);
		else
			put(&out, "[its print fmt cannot be understood]");
	}
}
