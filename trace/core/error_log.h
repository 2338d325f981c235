/* error_log: the reasons for refused commands. Task context. */
#pragma once

#include "kernel/types.h"

struct trace_array;

/*
 * Records why a command was refused. location and errs[type] are constant texts, such as
 * "sched:sched_switch" and "Field not found". The function copies command; position is the offset
 * of the caret in it, which may lie behind its end.
 */
void tracing_log_err(struct trace_array *tr, const char *location, const char *command,
		     const char *const *errs, u8 type, u16 position);
void tracing_clear_errs(struct trace_array *tr);
