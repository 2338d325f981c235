/*
 * Function probes: FUNCTION:COMMAND[:COUNT] in set_ftrace_filter does something each time that
 * FUNCTION is called (Documentation/trace/ftrace.rst, "Filter commands"). The commands are in
 * trace/tracers/function/commands.c.
 */
#pragma once

#include "trace/ftrace/ftrace.h"

struct trace_array;
struct seq_file;

/* What can stand after the first colon. */
struct ftrace_func_command {
	const char *name;
	/* At each call; op is for ftrace_probe_tr() and ftrace_probe_take(). As ftrace_func_t. */
	ftrace_func_t func;
	/* The same when there is a count. NULL: the count is not for the user to give. */
	ftrace_func_t counted;
	unsigned long fixed_count; /* without counted: how often for each function, 0 for ever */
	int (*attach)(struct trace_array *tr); /* before it is used: 0 or an errno. NULL: 0 */
};

/* One command in one trace_array, with or without counts, and its functions. */
struct ftrace_func_probe;

/* The commands, the last one with a NULL name. */
extern const struct ftrace_func_command ftrace_func_commands[];

/* In a command's functions: whose trace it is about. */
struct trace_array *ftrace_probe_tr(const struct ftrace_ops *op);
/* One less for the function at ip; false: none was left. Any context. */
bool ftrace_probe_take(const struct ftrace_ops *op, unsigned long ip);

/*
 * "[!]FUNCTION:COMMAND[:COUNT]", which is taken apart: 0, -EINVAL (no such command, no function of
 * that name, no number, or nothing new), -ENODEV (to remove: no such command is in use), -ENOMEM,
 * or what its attach says. Task context.
 */
int ftrace_probe_command(struct trace_array *tr, char *word);
/* A line for each function of each command, the newest command first. ftrace_lock held. */
void ftrace_probe_show(struct trace_array *tr, struct seq_file *m);
/* Remove them all. Task context. */
void ftrace_clear_probes(struct trace_array *tr);
