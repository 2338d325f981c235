/*
 * struct trace_event: one type of entry, its text and its fields. Each owner of entries registers
 * its types; the core prints them and makes events/ftrace/NAME/ from them.
 */
#pragma once

#include "kernel/compiler.h"
#include "trace/core/tracer.h"

/* A field of an entry, as events/ftrace/NAME/format describes it. */
struct trace_event_field {
	const char *declaration; /* NULL ends a list */
	unsigned offset, size;
	bool is_signed;
	u32 option; /* the entry has the field only with this option of event->tracer; 0: always */
};

/* A field that is a member of a struct; a field at the end of a struct, of that many bytes. */
#define TRACE_FIELD(struct_name, member, text, sign)                                               \
	{                                                                                          \
		text, offsetof(struct struct_name, member),                                        \
			sizeof(((struct struct_name *)0)->member), sign, 0                         \
	}
#define TRACE_ARRAY(struct_name, member, text, bytes, sign)                                        \
	{                                                                                          \
		text, offsetof(struct struct_name, member), bytes, sign, 0                         \
	}
#define TRACE_OPTION_FIELD(struct_name, member, text, bytes, bit)                                  \
	{                                                                                          \
		text, offsetof(struct struct_name, member), bytes, false, bit                      \
	}

struct trace_event {
	unsigned type; /* common_type */
	/* Print the entry after the context. NULL: the entry's number is printed instead. */
	enum print_line_t (*trace)(struct trace_iterator *iter);
	enum print_line_t (*raw)(struct trace_iterator *iter);
	enum print_line_t (*hex)(struct trace_iterator *iter);
	enum print_line_t (*binary)(struct trace_iterator *iter);

	const char *name; /* of its directory in events/ftrace/; NULL: none */
	const struct trace_event_field *fields;
	const char *print_fmt;
	const struct tracer *tracer;  /* of the options; NULL: the fields depend on none */
	u32 option;                   /* an option that changes print_fmt; 0: none does */
	const char *print_fmt_option; /* the print fmt with that option */
	struct trace_event *next;     /* in trace_events */
};

/* Registers a type before its first entry is written. Boot, before device_initcall. */
void register_trace_event(struct trace_event *event);
extern struct trace_event *trace_events; /* all events: the list only grows, during the boot */
/* Returns the event of a type, or NULL. Any context. */
struct trace_event *ftrace_find_event(unsigned type);
/* Creates events/ of tr (format.c). 0 or -ENOMEM. Task context. */
int trace_create_events_dir(struct trace_array *tr);
