/*
 * struct trace_event: one type of entry, its text and its fields. Each owner of entries registers
 * its types. The core prints them; trace/events/ makes events/SYSTEM/NAME/ from them.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/lib/list.h"
#include "kernel/lib/string.h"
#include "kernel/sched/mutex.h"
#include "trace/core/tracer.h"

struct seq_file;
struct trace_entry;

/* What a filter does with a field. FILTER_OTHER: compares numbers, if the type is no string. */
enum trace_filter_type {
	FILTER_OTHER,
	FILTER_STATIC_STRING, /* char[N] in the record */
	FILTER_DYN_STRING,    /* __data_loc char[]: a string at the end of the record */
	FILTER_RDYN_STRING,   /* __rel_loc char[]: the same, in another form */
	FILTER_PTR_STRING,    /* char *: the address of a string outside the record */
	FILTER_TRACE_FN,      /* the address of a function */
	FILTER_COMM,          /* the name of the current task; not in the record */
	FILTER_CPU,           /* the current CPU; not in the record */
	FILTER_STACKTRACE,    /* the callers; only a key of histograms */
	FILTER_CPUMASK,       /* __data_loc cpumask_t: a set of CPUs at the end of the record */
};

/*
 * A field of an entry, as the format file describes it. A __data_loc field has 4 bytes at offset:
 * the low 16 bits are the offset of the data in the entry, the high 16 bits its length in bytes.
 * The offset in a __rel_loc field counts from the end of the field.
 */
struct trace_event_field {
	const char *type; /* "int", "char[16]", "__data_loc char[]" */
	const char *name; /* NULL ends a list */
	u16 offset, size;
	bool is_signed;
	u8 filter_type; /* enum trace_filter_type */
	u32 option; /* the entry has the field only with this option of event->tracer; 0: always */
};

/* Returns whether the field is a word that says where in the entry its data lies. */
static inline bool trace_field_is_loc(const struct trace_event_field *field)
{
	return strstarts(field->type, "__data_loc ") || strstarts(field->type, "__rel_loc ");
}

/* Returns what the offset in the word of such a field counts from: an offset in the entry. */
static inline u32 trace_loc_base(const struct trace_event_field *field)
{
	return strstarts(field->type, "__rel_loc ") ? field->offset + sizeof(u32) : 0;
}

/* A field that is a member of a struct; a field at the end of a struct, of that many bytes. */
#define TRACE_FIELD(struct_name, member, type, sign)                                               \
	{                                                                                          \
		type, #member, offsetof(struct struct_name, member),                               \
			sizeof(((struct struct_name *)0)->member), sign, FILTER_OTHER, 0           \
	}
#define TRACE_FIELD_EXT(struct_name, member, type, filter)                                         \
	{                                                                                          \
		type, #member, offsetof(struct struct_name, member),                               \
			sizeof(((struct struct_name *)0)->member), false, filter, 0                \
	}
#define TRACE_ARRAY(struct_name, member, type, bytes, sign)                                        \
	{                                                                                          \
		type, #member, offsetof(struct struct_name, member), bytes, sign, FILTER_OTHER, 0  \
	}
#define TRACE_OPTION_FIELD(struct_name, member, type, bytes, bit)                                  \
	{                                                                                          \
		type, #member, offsetof(struct struct_name, member), bytes, false, FILTER_OTHER,   \
			bit                                                                        \
	}

struct trace_event {
	unsigned type; /* common_type; 0: register_trace_event() chooses a number */
	/* Print the entry after the context. NULL: the entry's number is printed instead. */
	enum print_line_t (*trace)(struct trace_iterator *iter);
	enum print_line_t (*raw)(struct trace_iterator *iter);
	enum print_line_t (*hex)(struct trace_iterator *iter);
	enum print_line_t (*binary)(struct trace_iterator *iter);
	/*
	 * For an entry of the last boot, which may hold any bytes: true if the numbers in it on
	 * which the printers above rely are right. The fields are known to lie in the entry, and
	 * arrays to begin in it. NULL: the printers rely on no number, and arrays have the size of
	 * the field.
	 */
	bool (*valid)(const struct trace_entry *entry, size_t length);

	const char *system; /* NULL: "ftrace", an entry that is not recorded by an event file */
	const char *name;   /* of its directory in events/SYSTEM/; NULL: none */
	const struct trace_event_field *fields;
	const char *print_fmt;
	/* Prints the print fmt instead, which is a text only then. NULL: print_fmt is the text. */
	void (*show_print_fmt)(struct seq_file *m, const struct trace_event *event);
	const struct tracer *tracer;   /* of the options; NULL: the fields depend on none */
	u32 option;                    /* an option that changes print_fmt; 0: none does */
	const char *print_fmt_option;  /* the print fmt with that option */
	struct trace_event *hash_next; /* [X] to write, RCU to read */
	struct list_head list;         /* [X] in trace_events */
};                                     /* constant but for the last two; [X] trace_event_mutex */

/*
 * Registers a type before its first entry is written. Its number is event->type, or the next free
 * one from TRACE_TYPE_FIRST_DYNAMIC on. 0, or -ENOSPC: all numbers are in use. Task context.
 */
int register_trace_event(struct trace_event *event);
/*
 * Removes a type. Readers may still print with it until a grace period of RCU-tasks has ended: free
 * it with call_rcu_tasks(). Task context.
 */
void unregister_trace_event(struct trace_event *event);
/* Returns the event of a type, or NULL. Any context; a reader must not sleep while it uses it. */
struct trace_event *ftrace_find_event(unsigned type);

extern struct list_head trace_events; /* [X] all events, the oldest first */
extern struct mutex trace_event_mutex;
