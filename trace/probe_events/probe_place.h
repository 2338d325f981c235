/*
 * Places of probes in the kernel, "[MODULE:]SYMBOL", as commands name them and entries show them:
 * what the kinds of probes share.
 */
#pragma once

#include "trace/probe_events/trace_probe.h"

struct module;

#define PROBE_MAXACTIVE_MAX 4096
/* In error_log, of events of functions and of tracepoints: trace_probe_ops.location. */
extern const char fprobe_location[];

/* ---- commands; task context ---- */

/*
 * Parses the number behind the first letter of a command: "r10:…". *maxactive stays as it is if
 * there is none. 0 or -EINVAL.
 */
int probe_parse_maxactive(const struct probe_command *command, bool is_return, int *maxactive);
/*
 * Checks the symbol, which is the second word. 0, also if it names a module; -EADDRNOTAVAIL
 * (several functions have the name), -ENOENT. The reason is in error_log.
 */
int probe_check_symbol(const struct probe_command *command, const char *symbol);
/*
 * Returns the first argument that contains $retval, the number of its word, or 0: none. Such a
 * probe can only be at a return.
 */
unsigned probe_find_retval(const struct probe_command *command);
/* Makes a text the name of an event: characters that it cannot have become '_'. */
void probe_clean_name(char *name);
/* Logs why a probe could not begin: ops->log_error. */
void probe_log_begin_error(const struct probe_command *command, int error);

/* ---- modules ---- */

/* Whether a later module cannot have the symbol: it names no module, or one that is ready. */
bool probe_module_is_there(const char *symbol);
/* Whether the symbol names this module. */
bool probe_names_module(const char *symbol, const struct module *module);
/* Says in the kernel's log that a probe waits for its module. */
void probe_warn_of_waiting(const struct trace_probe_ops *ops);
/* Says that a probe cannot go on in its module, which has come again. */
void probe_warn_of_module(const struct trace_probe *probe, const struct module *module, int error);

/* ---- entries ---- */

/* trace_probe_ops.print_place of probes in the kernel. */
void probe_print_place(struct trace_iterator *iter, const struct trace_probe *probe);
