/* Stacks of programs in the trace (option userstacktrace). */
#pragma once

#include "trace/core/trace_array.h"

/*
 * Writes a TRACE_USER_STACK entry: where the current task's program was when it entered the kernel.
 * The entry of a task without a program has no callers. Not in NMI: there it writes nothing.
 * Preemption off.
 */
void ftrace_trace_userstack(struct trace_array *tr, u32 ctx);
