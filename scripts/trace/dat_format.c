/* Parses events/SYSTEM/EVENT/format, which gives the offsets and sizes of an event's fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_fmt.h"

static const struct {
	const char *name;
	enum event_kind kind;
} known[] = {
	{ "function", EVENT_FUNCTION },	  { "funcgraph_entry", EVENT_ENTRY }, { "funcgraph_exit", EVENT_EXIT },
	{ "kernel_stack", EVENT_STACK },  { "print", EVENT_PRINT },	      { "bprint", EVENT_BPRINT },
	{ "bputs", EVENT_BPUTS },	  { "fgraph_retaddr_entry", EVENT_ENTRY },
};

/* Fields that other files of the reader use. */
static void note_field(struct format *format, const char *name, struct field field)
{
	if (!strcmp(name, "ip") || !strcmp(name, "func"))
		format->ip = field;
	else if (!strcmp(name, "parent_ip") || !strcmp(name, "fmt") || !strcmp(name, "str") ||
		 !strcmp(name, "retaddr"))
		format->parent = field;
	else if (!strcmp(name, "depth"))
		format->depth = field;
	else if (!strcmp(name, "calltime"))
		format->calltime = field;
	else if (!strcmp(name, "rettime"))
		format->rettime = field;
	else if (!strcmp(name, "retval"))
		format->retval = field;
	else if (!strcmp(name, "buf") || !strcmp(name, "caller"))
		format->data = field;
}

/* The bytes of an element, by its type. 0: no number. */
static unsigned element_size(const char *type)
{
	static const struct {
		const char *part;
		unsigned size;
	} parts[] = { { "char", 1 }, { "8", 1 },   { "bool", 1 }, { "short", 2 }, { "16", 2 },	 { "long", 8 },
		      { "64", 8 },   { "*", 8 }, { "size_t", 8 }, { "int", 4 },	 { "unsigned", 4 }, { "32", 4 }, { "pid_t", 4 } };

	if (strstr(type, "struct "))
		return 0;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(type, parts[i].part))
			return parts[i].size;
	return 0;
}

/* Adds the field that `declaration` declares: `char comm[16]`, `__data_loc char[] name`. */
static void add_field(struct format *format, char *declaration, struct field field, int is_signed)
{
	size_t length = strlen(declaration);
	struct event_field new = { .offset = field.offset, .size = field.size, .is_signed = is_signed }, *fields;
	char *bracket = length && declaration[length - 1] == ']' ? strrchr(declaration, '[') : NULL, *name;

	if (bracket) {
		*bracket = '\0';
		new.is_array = true;
	}
	name = strrchr(declaration, ' ');
	if (!name)
		return;
	*name++ = '\0';
	snprintf(new.name, sizeof(new.name), "%.63s", name);
	if (!strncmp(declaration, "__data_loc ", 11))
		new.place = PLACE_DYNAMIC;
	else if (!strncmp(declaration, "__rel_loc ", 10))
		new.place = PLACE_RELATIVE;
	new.element = element_size(declaration);
	note_field(format, new.name, field);
	/* The array doubles when it is full: its room is a power of two. */
	if (!(format->nr_fields & (format->nr_fields - 1))) {
		fields = realloc(format->fields, (format->nr_fields ? 2 * format->nr_fields : 1) * sizeof(*fields));
		if (!fields)
			return;
		format->fields = fields;
	}
	format->fields[format->nr_fields++] = new;
}

/* Parses `\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;`. */
static void read_field(struct format *format, char *line)
{
	char *end = strchr(line, ';');
	struct field field = { .there = true };
	int is_signed;

	if (!end || sscanf(end, ";\toffset:%u;\tsize:%u;\tsigned:%d;", &field.offset, &field.size, &is_signed) != 3 ||
	    field.offset > PAGE_MAX || field.size > PAGE_MAX)
		return;
	*end = '\0';
	add_field(format, line, field, is_signed);
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

/* The kernel prints the fields of a synthetic event with blanks between them, its print fmt has commas, too. */
static void drop_commas(char *print)
{
	char *end = *print == '"' ? strchr(print + 1, '"') : NULL, *to = print;

	for (; *print; print++)
		if (*print != ',' || !end || print > end)
			*to++ = *print;
	*to = '\0';
}

void dat_free_format(struct format *format)
{
	print_fmt_free(format->print);
	free(format->fields);
	free(format);
}

bool dat_read_format(struct dat *dat, const char *system, char *text)
{
	struct format *format = calloc(1, sizeof(*format));
	char *print = NULL;
	unsigned id = ID_MAX;
	char *line;

	if (!format)
		return false;
	snprintf(format->system, sizeof(format->system), "%s", system);
	while ((line = strsep(&text, "\n"))) {
		if (!strncmp(line, "name: ", 6))
			snprintf(format->name, sizeof(format->name), "%.63s", line + 6);
		else if (!strncmp(line, "ID: ", 4))
			id = (unsigned)strtoul(line + 4, NULL, 10);
		else if (!strncmp(line, "\tfield:", 7))
			read_field(format, line + 7);
		else if (!strncmp(line, "print fmt: ", 11))
			print = line + 11;
	}
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(format->name, known[i].name))
			format->kind = known[i].kind;
	if (id >= ID_MAX || !format->name[0] || dat->formats[id]) {
		dat_free_format(format);
		return false;
	}
	if (print && !strcmp(system, "synthetic"))
		drop_commas(print);
	if (print && format->kind == EVENT_OTHER)
		format->print = print_fmt_parse(print, format->fields, format->nr_fields);
	if (!complete(format)) {
		dat_damaged(dat, "the format of %s lacks fields", format->name);
		format->kind = EVENT_OTHER;
	}
	dat->formats[id] = format;
	return true;
}
