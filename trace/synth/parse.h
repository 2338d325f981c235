/*
 * The parser for definitions of synthetic events. It knows nothing of trace_arrays, and runs on the
 * host too (tests/host). Task context.
 */
#pragma once

#include "kernel/types.h"

#define SYNTH_FIELDS_MAX 64
#define SYNTH_STRING_MAX 256 /* bytes of a string in the record, with its NUL */

/* What a field holds, and so how it is recorded and printed. */
enum synth_kind {
	SYNTH_INTEGER,
	SYNTH_STRING,         /* char[N]: SYNTH_STRING_MAX bytes in the record */
	SYNTH_DYNAMIC_STRING, /* char[]: a __data_loc word, and the text at the end of the record */
	SYNTH_STACK,          /* long[]: a __data_loc word, and the callers at the end */
};

struct synth_field {
	char *type; /* "u64", "char[16]", "unsigned long[]" */
	char *name;
	enum synth_kind kind;
	u16 size; /* of an integer or of the string: the bytes that the user asked for */
	bool is_signed;
	const char *fmt; /* "%llu" */
};

struct synth_definition {
	char *name;
	unsigned nr_fields;
	struct synth_field *fields;
};

enum synth_error_type {
	SYNTH_ERR_BAD_NAME,
	SYNTH_ERR_INVALID_CMD,
	SYNTH_ERR_INVALID_DYN_CMD,
	SYNTH_ERR_EVENT_EXISTS,
	SYNTH_ERR_TOO_MANY_FIELDS,
	SYNTH_ERR_INCOMPLETE_TYPE,
	SYNTH_ERR_INVALID_TYPE,
	SYNTH_ERR_INVALID_FIELD,
	SYNTH_ERR_INVALID_ARRAY_SPEC,
};
extern const char *const synth_error_texts[]; /* Linux's, by synth_error_type */

/* Why a command is refused. position is the offset of the wrong word in the command. */
struct synth_error {
	u8 type;
	u16 position;
};

/* Returns whether name can be the name of an event, a group or a field: [A-Za-z_][A-Za-z0-9_]*. */
bool is_good_name(const char *name);

/*
 * Splits "NAME FIELDS" at the first white space: allocates the name and sets *fields. command is
 * what the user wrote, for the positions of errors; definition is the part of it behind "s:". 0,
 * -EINVAL with *error, or -ENOMEM.
 */
int synth_parse_name(const char *command, const char *definition, char **name, const char **fields,
		     struct synth_error *error);
/*
 * Parses the fields into definition->fields. The caller calls synth_definition_free() in any case.
 * Same results.
 */
int synth_parse_fields(const char *command, const char *fields, struct synth_definition *definition,
		       struct synth_error *error);
void synth_definition_free(struct synth_definition *definition);
