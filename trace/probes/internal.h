/* Declarations shared by the files of trace/probes. */
#pragma once

#include "trace/probes/probe_arg.h"

/* What the name of a parameter, and the fields behind it, have led to. */
struct probe_field {
	const struct btf_type *type; /* without modifiers; NULL: there was no name, or it is void */
};

/* One argument while it is parsed. */
struct probe_parser {
	const struct probe_command *command;
	unsigned word;
	struct probe_arg *arg;
	const struct probe_arg_sources *sources;
	void *data;
	struct probe_field *field;
};

static inline int probe_parse_error(const struct probe_parser *p, enum probe_error error,
				    const char *at)
{
	return probe_error(p->command, error, p->word, at);
}

static inline unsigned probe_arg_elements(const struct probe_arg *arg)
{
	return arg->count ? arg->count : 1;
}

/* Whether the probe has the arguments of the function. */
static inline bool probe_has_arguments(const struct probe_parser *p)
{
	return (p->sources->flags & PROBE_FL_ENTRY) || p->command->entry_args;
}
/* Makes argument number of the function, from 1 on, the source. at: for the error. 0 or -EINVAL. */
int probe_set_argument(const struct probe_parser *p, unsigned long number, const char *at);
/* Appends a dereference, the outermost so far. at: for the error. 0 or -EINVAL. */
int probe_add_deref(const struct probe_parser *p, long offset, bool user, const char *at);

/* Whether a source that begins like this is the name of a parameter, and names are supported. */
bool probe_is_btf_name(const struct probe_parser *p, const char *text);
/* Parses "PARAMETER[->FIELD[.FIELD…]…]". 0 or an errno. */
int probe_parse_btf_name(const struct probe_parser *p, const char *text);
/* Parses what follows "$retval": nothing, or "->FIELD…". Its source is set. 0 or an errno. */
int probe_parse_btf_retval(const struct probe_parser *p, const char *text);
/*
 * Parses a cast, "(STRUCT[,FIELD[.FIELD…]])VALUE->MEMBER…": VALUE points to the structure, or to
 * that field in it. It may have braces of its own. Changes text. 0 or an errno.
 */
int probe_parse_cast(const struct probe_parser *p, char *text);
/* Parses what is cast: any source with its dereferences; of an event's fields also without '$'. */
int probe_parse_operand(const struct probe_parser *p, char *text);
/* Checks that the function has that argument. True if nothing is known of it. */
bool probe_btf_has_argument(const struct probe_parser *p, unsigned long number);
/* The name of that argument; NULL: not known, or not to be used. */
const char *probe_btf_argument_name(const struct probe_parser *p, unsigned long number);
/* Gives the field the type of that argument. */
void probe_btf_use_argument_type(const struct probe_parser *p, unsigned long number);
/* The name of the type that the value has by itself: "x64" if nothing is known of it. */
const char *probe_btf_type_name(const struct probe_parser *p);
/* Checks that a field can be a string, and follows a pointer to one. 0 or -EINVAL. */
int probe_check_btf_string(const struct probe_parser *p, const char *text);

/* Cuts "[N]" off text, the type of an argument, for arg->count. 0 or -EINVAL. */
int probe_parse_array(const struct probe_parser *p, char *text);
/* Parses the type, without "[N]". 0 or -EINVAL. */
int probe_parse_type(const struct probe_parser *p, const char *text);
/*
 * Gives the argument the type that its source has by itself (text NULL), and checks that they fit.
 * text: where the type stands.
 */
int probe_check_type(const struct probe_parser *p, const char *text);
