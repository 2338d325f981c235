/*
 * The text of the events that are not functions, stacks of the kernel, or messages. Most have a print fmt. The kernel
 * prints some in other words than their print fmt says. These are made here from the fields.
 */
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

/* `sys_read(fd: 3, buf: 7ffd1000, count: 200)` and `sys_read -> 0x200`. */
static void put_system_call(struct output_text *out, const struct format *format, const struct event *event)
{
	const struct event_field *ret = find_field(format, "ret");
	const char *between = "";

	if (!strncmp(format->name, "sys_exit_", 9)) {
		put(out, "sys_%s -> 0x%" PRIx64, format->name + 9, ret ? number_at(event, ret) : 0);
		return;
	}
	put(out, "sys_%s(", format->name + strlen("sys_enter_"));
	for (unsigned i = 0; i < format->nr_fields; i++) {
		const struct event_field *field = &format->fields[i];

		if (is_common(field))
			continue;
		put(out, "%s%s: %" PRIx64, between, field->name, number_at(event, field));
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
		put_system_call(&out, format, event);
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
