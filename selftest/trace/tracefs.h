/*
 * What the self-tests of tracing share: its files from within, as `echo` and `cat` use them. Names
 * of files are below /sys/kernel/tracing, unless they begin with '/'. Task context.
 */
#pragma once

#include "kernel/compiler.h"

#define TRACING         "/sys/kernel/tracing/"
#define TRACE_TEXT_SIZE 8192U

/* What get() has read. */
extern char text[TRACE_TEXT_SIZE];

/* Write as `echo -n DATA > NAME` does; mode: O_TRUNC, O_APPEND or 0. 0 or the error. */
long put_mode(const char *name, const char *data, size_t length, int mode);
long put(const char *name, const char *data); /* O_TRUNC */
/* put_mode() of a string, again as long as there is no memory for it. */
long put_patiently(const char *name, const char *data, int mode);
/* Read from the start into buf, which gets a NUL: the length, or the error. */
long get_into(const char *name, char *buf, size_t size);
const char *get(const char *name); /* into text; "" after an error */
/* One call of ftrace_target_add() is traced, and recording is off then. False when it failed. */
bool trace_one_call(void);
/* No tracer, no filter, an empty trace, recording on. */
void reset(void);

/* What a function probe may do: each command with a count, as far as it takes one, and without. */
#define NR_PROBE_COMMANDS 10U
extern const char *const probe_commands[NR_PROBE_COMMANDS];
/* All probes of a set_ftrace_filter, the top level's or that of an instance. */
void remove_probes(const char *filter);
