/* Declarations shared by the files of trace/probes. */
#pragma once

#include "trace/probes/probe_arg.h"

/* One argument while it is parsed. */
struct probe_parser {
	const struct probe_command *command;
	unsigned word;
	struct probe_arg *arg;
	const struct probe_arg_sources *sources;
	void *data;
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

/* Cuts "[N]" off text, the type of an argument, for arg->count. 0 or -EINVAL. */
int probe_parse_array(const struct probe_parser *p, char *text);
/* Parses the type, without "[N]". 0 or -EINVAL. */
int probe_parse_type(const struct probe_parser *p, const char *text);
/*
 * Gives the argument the type that its source has by itself (text NULL), and checks that they fit.
 * text: where the type stands.
 */
int probe_check_type(const struct probe_parser *p, const char *text);
