/*
 * Functions for the self-tests of tracing: read and write files of tracefs, as `cat` and `echo` do.
 * Names of files are relative to /sys/kernel/tracing, unless they begin with '/'. Task context.
 */
#pragma once

#include "kernel/compiler.h"

#define TRACING         "/sys/kernel/tracing/"
#define TRACE_TEXT_SIZE 8192U

/* The result of get(). */
extern char text[TRACE_TEXT_SIZE];

/* Writes as `echo -n DATA > NAME` does. mode: O_TRUNC, O_APPEND or 0. Returns 0 or an errno. */
long put_mode(const char *name, const char *data, size_t length, int mode);
long put(const char *name, const char *data); /* with O_TRUNC */
/* put_mode() of a string. Repeats while it fails with -ENOMEM. */
long put_patiently(const char *name, const char *data, int mode);
/* Reads from the start into buf, and adds a NUL. Returns the length or an errno. */
long get_into(const char *name, char *buf, size_t size);
/* The same of a short file that is not empty. Repeats while there is no memory. */
long get_patiently(const char *name, char *buf, size_t size);
/* Removes an instance. path: from the root. Repeats while there is no memory. 0 or an errno. */
long rmdir_patiently(const char *path);
const char *get(const char *name); /* reads into text; "" after an error */
/*
 * Traces one call of ftrace_target_add(), then turns recording off. Returns false after an error.
 */
bool trace_one_call(void);
/* Sets: no tracer, no filter, an empty trace, recording on. */
void reset(void);

/* The commands of function probes: with a count, if the command takes one, and without. */
#define NR_PROBE_COMMANDS 12U
extern const char *const probe_commands[NR_PROBE_COMMANDS];
/* Removes all probes. filter: the set_ftrace_filter of the top level or of an instance. */
void remove_probes(const char *filter);
