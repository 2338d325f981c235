/*
 * Function probes: FUNCTION:COMMAND[:COUNT] in set_ftrace_filter runs COMMAND at each call of
 * FUNCTION (Documentation/trace/ftrace.rst, "Filter commands"). Any file may define a command;
 * commands.c has those that need no events.
 */
#pragma once

#include "kernel/linker_table.h"
#include "trace/ftrace/ftrace.h"

struct trace_array;
struct seq_file;

/* A command, the word after the first colon. */
struct ftrace_func_command {
	const char *name;
	/*
	 * Called at each call. op->private is the trace_array; op is for ftrace_probe_take(), too.
	 */
	ftrace_func_t func;
	/* The same for functions with a count. NULL: the user cannot give a count. */
	ftrace_func_t counted;
	unsigned long fixed_count; /* without counted: the count of each function; 0: no limit */
	/*
	 * *parameter: the word behind the command's name; NULL: none. Takes off what the command
	 * needs, and leaves the count. Sets *data; probes with different data are different probes.
	 * 0 or -EINVAL.
	 */
	int (*parse)(struct trace_array *tr, char **parameter, void **data);
	/* Before the first function; 0 or an errno. */
	int (*start)(struct trace_array *tr, void *data);
	void (*stop)(struct trace_array *tr, void *data); /* after the last function is removed */
	void (*print)(struct seq_file *m, void *data);    /* prints data, with a colon behind it */
}; /* The last four may be NULL. They are called with E (event_mutex) held. */

/* One command with its data in one trace_array, with or without counts, and its functions. */
struct ftrace_func_probe;

/* Adds a command: DEFINE_FUNC_COMMAND(traceon) = { .name = "traceon", … }; */
#define DEFINE_FUNC_COMMAND(name)                                                                  \
	static const struct ftrace_func_command func_command_##name LINKER_TABLE_ENTRY(            \
		rodata, ftrace_func_commands, #name)

/* Decrements the count of the function at ip. False: the count is 0. Any context. */
bool ftrace_probe_take(const struct ftrace_ops *op, unsigned long ip);
/* Takes the last ftrace_probe_take() back. Any context. */
void ftrace_probe_give_back(const struct ftrace_ops *op, unsigned long ip);
/* The data that the command's parse has set. Any context. */
void *ftrace_probe_data(const struct ftrace_ops *op);
