/* error_log: the reasons for refused commands. Task context. */
#pragma once

#include "kernel/types.h"

struct trace_array;

extern struct trace_array_part error_log_part; /* the log of each trace_array */

/*
 * Records why a command was refused: location is such as "hist:sched:sched_switch", errs[type] such
 * as "Field not found". The function copies location and command; errs[type] is a constant.
 * position is the offset of the caret in command. It may lie behind the end of command.
 */
void tracing_log_err(struct trace_array *tr, const char *location, const char *command,
		     const char *const *errs, u8 type, u16 position);
