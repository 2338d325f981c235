/* Parses events/SYSTEM/EVENT/format, which gives the offsets and sizes of an event's fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dat_internal.h"

static const struct {
	const char *name;
	enum event_kind kind;
} known[] = {
	{ "function", EVENT_FUNCTION },	  { "funcgraph_entry", EVENT_ENTRY }, { "funcgraph_exit", EVENT_EXIT },
	{ "kernel_stack", EVENT_STACK },  { "print", EVENT_PRINT },	      { "bprint", EVENT_BPRINT },
	{ "bputs", EVENT_BPUTS },
};

/* Parses `\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;`. */
static void read_field(struct format *format, char *line)
{
	char *end = strchr(line, ';'), *name;
	struct field field = { .there = true };

	if (!end || sscanf(end, ";\toffset:%u;\tsize:%u;", &field.offset, &field.size) != 2 ||
	    field.offset > PAGE_MAX || field.size > PAGE_MAX)
		return;
	*end = '\0';
	if ((name = strchr(line, '[')))
		*name = '\0';
	name = strrchr(line, ' ');
	if (!name)
		return;
	name++;
	if (!strcmp(name, "ip") || !strcmp(name, "func"))
		format->ip = field;
	else if (!strcmp(name, "parent_ip") || !strcmp(name, "fmt") || !strcmp(name, "str"))
		format->parent = field;
	else if (!strcmp(name, "depth"))
		format->depth = field;
	else if (!strcmp(name, "calltime"))
		format->calltime = field;
	else if (!strcmp(name, "rettime"))
		format->rettime = field;
	else if (!strcmp(name, "buf") || !strcmp(name, "caller"))
		format->data = field;
}

/* True if the format has all fields that its kind needs. */
static bool complete(const struct format *f)
{
	switch (f->kind) {
	case EVENT_FUNCTION:
		return f->ip.there && f->parent.there;
	case EVENT_ENTRY:
		return f->ip.there && f->depth.there;
	case EVENT_EXIT:
		return f->ip.there && f->depth.there && f->calltime.there && f->rettime.there;
	case EVENT_STACK:
	case EVENT_PRINT:
		return f->data.there;
	case EVENT_BPUTS:
		return f->parent.there;
	case EVENT_BPRINT:
		return f->data.there && f->parent.there;
	default:
		return true;
	}
}

bool dat_read_format(struct dat *dat, char *text)
{
	struct format *format = calloc(1, sizeof(*format));
	unsigned id = ID_MAX;
	char *line;

	if (!format)
		return false;
	while ((line = strsep(&text, "\n"))) {
		if (!strncmp(line, "name: ", 6))
			snprintf(format->name, sizeof(format->name), "%.63s", line + 6);
		else if (!strncmp(line, "ID: ", 4))
			id = (unsigned)strtoul(line + 4, NULL, 10);
		else if (!strncmp(line, "\tfield:", 7))
			read_field(format, line + 7);
	}
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(format->name, known[i].name))
			format->kind = known[i].kind;
	if (id >= ID_MAX || !format->name[0] || dat->formats[id]) {
		free(format);
		return false;
	}
	if (!complete(format)) {
		dat_damaged(dat, "the format of %s lacks fields", format->name);
		format->kind = EVENT_OTHER;
	}
	dat->formats[id] = format;
	return true;
}
