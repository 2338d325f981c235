/* The function tracer's interface for other rooms. */
#pragma once

#include "trace/core/entries.h"
#include "trace/ftrace/ftrace.h"

struct trace_array;

#define TRACE_FN 1 /* common_type of struct ftrace_entry */
struct ftrace_entry {
	struct trace_entry ent;
	unsigned long ip;
	unsigned long parent_ip;
	unsigned long args[]; /* option func-args: FTRACE_REGS_MAX_ARGS */
};

/* The callback of the function tracer: op->private is the trace_array. It keeps all registers. */
void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs);
/* Records a call of ip by parent_ip, with the flags ctx. Preemption off, any context. */
void function_record(struct trace_array *tr, unsigned long ip, unsigned long parent_ip, u32 ctx);
/*
 * Registers the ops of tr with another callback, for a tracer that records functions at times; and
 * unregisters it. 0 or an errno. T held for the first; the second waits for a grace period of
 * RCU-tasks, so T is not held.
 */
int function_trace_register(struct trace_array *tr, ftrace_func_t func);
void function_trace_unregister(struct trace_array *tr);
/* Returns the ops of tr. Its hashes are those of set_ftrace_filter and set_ftrace_notrace. */
struct ftrace_ops *function_trace_ops(struct trace_array *tr);
