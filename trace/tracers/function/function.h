/* The function tracer's interface for other rooms. */
#pragma once

#include "trace/core/entries.h"

struct ftrace_ops;
struct ftrace_regs;
struct trace_array;

#define TRACE_FN 1 /* common_type of struct ftrace_entry */
struct ftrace_entry {
	struct trace_entry ent;
	unsigned long ip;
	unsigned long parent_ip;
};

/* The callback of the function tracer: op->private is the trace_array. */
void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs);
/* Returns the ops of tr. Its hashes are those of set_ftrace_filter and set_ftrace_notrace. */
struct ftrace_ops *function_trace_ops(struct trace_array *tr);
