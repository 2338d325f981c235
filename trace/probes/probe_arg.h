/*
 * The arguments of probes that users define (Documentation/trace/kprobetrace.rst, FETCHARGS):
 *
 *	NAME=SOURCE[:TYPE]	pid=$next_pid:s32  name=+8($ptr):string  x=\5  j=@jiffies:u64
 *
 * An argument is parsed once and becomes a short program: a source, some dereferences, a type. Each
 * hit of the probe runs the programs and stores the values in a record. Memory is read so that a
 * bad address gives no fault: an integer is 0 then, a string is empty and prints as (fault).
 *
 * A kind of probe (event probes, kprobes) has its own sources for $NAME and %NAME; the struct
 * probe_arg_sources tells what they are.
 */
#pragma once

#include "kernel/types.h"
#include "trace/core/events.h"

struct trace_array;
struct trace_seq;

#define PROBE_ARGS_MAX   128
#define PROBE_ARRAY_MAX  64   /* elements of an array */
#define PROBE_NAME_MAX   32   /* bytes of an argument's name, with its NUL */
#define PROBE_EVENT_MAX  64   /* bytes of the name of an event or a group, with its NUL */
#define PROBE_TEXT_MAX   63   /* characters of an argument behind its name */
#define PROBE_DEREFS_MAX 16   /* nested +OFF(…) */
#define PROBE_STRING_MAX 1024 /* bytes of a string in the record, with its NUL */

struct probe_type {
	const char *name;
	u8 size; /* bytes of one element in the record */
	bool is_signed;
	bool is_string;         /* the record has a __data_loc word */
	bool is_user;           /* the string is in the memory of a task */
	bool is_symbol_text;    /* the string is the symbol of the value */
	const char *fmt;        /* for the print fmt */
	const char *field_type; /* for the format file */
};

enum probe_source_kind {
	PROBE_SOURCE_VALUE,   /* value: a constant, or the address of a symbol */
	PROBE_SOURCE_TEXT,    /* text */
	PROBE_SOURCE_COMM,    /* the name of the current task */
	PROBE_SOURCE_PRIVATE, /* of the kind of probe: data, value */
};

struct probe_source {
	enum probe_source_kind kind;
	u64 value;
	char *text;
	const void *data;
};

struct probe_arg {
	char *name;
	char *text; /* SOURCE[:TYPE], as the user wrote it */
	struct probe_source source;
	struct {
		long offset;
		bool user;
	} derefs[PROBE_DEREFS_MAX]; /* the innermost first */
	u8 nr_derefs;
	u8 bit_width, bit_shift; /* of a bit field; width 0: the whole value */
	u8 count;                /* elements of an array; 0: no array */
	const struct probe_type *type;
	u16 offset; /* in the record; of all elements, size bytes */
	u16 size;
}; /* constant after parsing */

/* A probe in the making. Positions of errors are offsets in command. */
struct probe_command {
	const char *location; /* "event_probe" */
	char *command;        /* the words, joined by single blanks */
	unsigned argc;
	char **argv; /* the words; they are separate strings */
};

enum probe_error {
	PROBE_ERR_NO_GROUP_NAME,
	PROBE_ERR_GROUP_TOO_LONG,
	PROBE_ERR_BAD_GROUP_NAME,
	PROBE_ERR_NO_EVENT_NAME,
	PROBE_ERR_EVENT_TOO_LONG,
	PROBE_ERR_BAD_EVENT_NAME,
	PROBE_ERR_EVENT_EXIST,
	PROBE_ERR_BAD_VAR,
	PROBE_ERR_BAD_MEM_ADDR,
	PROBE_ERR_BAD_IMM,
	PROBE_ERR_IMMSTR_NO_CLOSE,
	PROBE_ERR_BAD_DEREF_OFFS,
	PROBE_ERR_DEREF_NEED_BRACE,
	PROBE_ERR_DEREF_OPEN_BRACE,
	PROBE_ERR_TOO_MANY_OPS,
	PROBE_ERR_BAD_FETCH_ARG,
	PROBE_ERR_FILE_ON_KPROBE,
	PROBE_ERR_ARRAY_NO_CLOSE,
	PROBE_ERR_BAD_ARRAY_SUFFIX,
	PROBE_ERR_BAD_ARRAY_NUM,
	PROBE_ERR_ARRAY_TOO_BIG,
	PROBE_ERR_BAD_TYPE,
	PROBE_ERR_BAD_STRING,
	PROBE_ERR_BAD_BITFIELD,
	PROBE_ERR_TOO_MANY_ARGS,
	PROBE_ERR_ARG_NAME_TOO_LONG,
	PROBE_ERR_NO_ARG_NAME,
	PROBE_ERR_BAD_ARG_NAME,
	PROBE_ERR_USED_ARG_NAME,
	PROBE_ERR_NO_ARG_BODY,
	PROBE_ERR_ARG_TOO_LONG,
	PROBE_ERR_BAD_ATTACH_EVENT,
	PROBE_ERR_BAD_ATTACH_ARG,
	PROBE_ERR_NO_EVENT_INFO,
	PROBE_ERR_NO_EP_FILTER,
};

/* ---- parsing (probe_parse.c); task context ---- */

/* Splits text into words. 0 or -ENOMEM. The caller calls probe_command_free() in any case. */
int probe_command_init(struct probe_command *command, const char *location, const char *text);
void probe_command_free(struct probe_command *command);
/*
 * Writes an error into error_log. at points into the word argv[word]; NULL: its start; word may be
 * argc: behind the last word. Returns -EINVAL.
 */
int probe_error(const struct probe_command *command, enum probe_error error, unsigned word,
		const char *at);
/* Returns whether name can be the name of an event or an argument: [A-Za-z_][A-Za-z0-9_]*. */
bool probe_is_good_name(const char *name);
/*
 * Splits "[GROUP/]EVENT" or "[GROUP.]EVENT" in argv[word] at text, which it changes. Leaves *group
 * or *event as it is if the text has none. 0 or -EINVAL.
 */
int probe_parse_event_name(const struct probe_command *command, unsigned word, char *text,
			   const char **group, const char **event);

/* What $NAME and %NAME mean for a kind of probe. */
struct probe_arg_sources {
	/* text begins with $ or %. 0, -EINVAL with *error, or another errno with *error. */
	int (*parse)(const char *text, struct probe_source *source, void *data,
		     enum probe_error *error);
	/* The value of a PROBE_SOURCE_PRIVATE; any context. context: of probe_args_store(). */
	u64 (*fetch)(const struct probe_source *source, const void *context);
};

/*
 * Parses argv[word] into args[index]. The arguments before it are parsed, and give the names that
 * are taken. 0 or an errno; the reason is in error_log. The caller frees args in any case.
 */
int probe_arg_parse(const struct probe_command *command, unsigned word, struct probe_arg *args,
		    unsigned index, const struct probe_arg_sources *sources, void *data);
void probe_args_free(struct probe_arg *args, unsigned count);

/* ---- records (probe_fetch.c) ---- */

/* Places the arguments in the record from `from` on. Returns the end of its static part. */
size_t probe_args_layout(struct probe_arg *args, unsigned count, size_t from);
/* Returns the fields for the format file, or NULL: no memory. Task context. */
struct trace_event_field *probe_args_fields(const struct probe_arg *args, unsigned count);
/* Frees what probe_args_fields() has returned; NULL is fine. */
void probe_args_free_fields(struct trace_event_field *fields);
/* Returns the print fmt, or NULL: no memory. Task context. */
char *probe_args_print_fmt(const struct probe_arg *args, unsigned count);

/* Returns the bytes of all strings together. Any context, preemption off. */
size_t probe_args_data_size(const struct probe_arg *args, unsigned count,
			    const struct probe_arg_sources *sources, const void *context);
/* Stores all values in a record. Its strings begin at `from` and end before `end`. Same context. */
void probe_args_store(const struct probe_arg *args, unsigned count,
		      const struct probe_arg_sources *sources, const void *context, void *record,
		      size_t from, size_t end);
/* Prints " NAME=VALUE" for each argument. Any context. */
void probe_args_print(struct trace_seq *s, const struct probe_arg *args, unsigned count,
		      const void *record);
