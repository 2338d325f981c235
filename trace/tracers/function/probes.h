/*
 * Function probes: FUNCTION:COMMAND[:COUNT] in set_ftrace_filter runs COMMAND at each call of
 * FUNCTION (Documentation/trace/ftrace.rst, "Filter commands"). The commands are in
 * trace/tracers/function/commands.c.
 */
#pragma once

#include "trace/ftrace/ftrace.h"

struct trace_array;
struct seq_file;

/* A command, the word after the first colon. */
struct ftrace_func_command {
	const char *name;
	/* Called at each call. op->private is the trace_array; op is for ftrace_probe_take(), too.
	 */
	ftrace_func_t func;
	/* The same for functions with a count. NULL: the user cannot give a count. */
	ftrace_func_t counted;
	unsigned long fixed_count; /* without counted: the count of each function; 0: no limit */
	int (*attach)(struct trace_array *tr); /* called before use; 0 or an errno; may be NULL */
};

/* One command in one trace_array, with or without counts, and its functions. */
struct ftrace_func_probe;

/* The commands, the last one with a NULL name. */
extern const struct ftrace_func_command ftrace_func_commands[];

/* Decrements the count of the function at ip. False: the count is 0. Any context. */
bool ftrace_probe_take(const struct ftrace_ops *op, unsigned long ip);

/*
 * Adds or removes the probe of "[!]FUNCTION:COMMAND[:COUNT]"; changes word. 0; -EINVAL (unknown
 * command, no function of this name, bad number, or no change), -ENODEV (to remove: the command is
 * not in use), -ENOMEM, or the error of attach. Task context.
 */
int ftrace_probe_command(struct trace_array *tr, char *word);
/* Prints a line for each function of each command, the newest command first. ftrace_lock held. */
void ftrace_probe_show(struct trace_array *tr, struct seq_file *m);
/* Removes all probes of tr. Task context. */
void ftrace_clear_probes(struct trace_array *tr);
