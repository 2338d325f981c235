/*
 * The interface between the files of the function graph tracer: function_graph.c records, with the
 * callbacks of quick.c or call.c; filter.c chooses the calls; output.c, columns.c and header.c
 * print.
 */
#pragma once

#include "trace/core/iterator.h"
#include "trace/tracers/function_graph/entries.h"

/* Options. */
#define TRACE_GRAPH_PRINT_OVERRUN    0x0001
#define TRACE_GRAPH_PRINT_CPU        0x0002
#define TRACE_GRAPH_PRINT_OVERHEAD   0x0004
#define TRACE_GRAPH_PRINT_PROC       0x0008
#define TRACE_GRAPH_PRINT_DURATION   0x0010
#define TRACE_GRAPH_PRINT_ABS_TIME   0x0020
#define TRACE_GRAPH_PRINT_IRQS       0x0040
#define TRACE_GRAPH_PRINT_TAIL       0x0080
#define TRACE_GRAPH_PRINT_RETVAL     0x0100
#define TRACE_GRAPH_PRINT_RETVAL_HEX 0x0200
#define TRACE_GRAPH_SLEEP_TIME       0x0400
#define TRACE_GRAPH_GRAPH_TIME       0x0800
#define TRACE_GRAPH_ARGS             0x1000
#define TRACE_GRAPH_PRINT_RETADDR    0x2000
/* Not an option: the time since the beginning of a latency tracer's trace. */
#define TRACE_GRAPH_PRINT_REL_TIME 0x4000
/* The columns in which a latency tracer shows a graph. */
#define LATENCY_GRAPH_FLAGS                                                                        \
	(TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_PROC | TRACE_GRAPH_PRINT_REL_TIME |             \
	 TRACE_GRAPH_PRINT_DURATION | TRACE_GRAPH_PRINT_IRQS)

extern struct tracer_flags graph_flags; /* names and defaults; tracer_flags_of() gives the values */
extern struct tracer graph_trace;       /* trace/tracers/function_graph/function_graph.c */

/* The functions that interrupts enter first. The trace marks them with arrows. */
extern const char __irqentry_text_start[], __irqentry_text_end[];

/* ---- printing (trace/tracers/function_graph/output.c) ---- */

/*
 * graph_trace_open() allocates the state that a reader keeps from one entry to the next, in
 * iter->private; graph_trace_close() frees it. Without memory iter->private is NULL, and the output
 * lacks what depends on the state. Task context.
 */
void graph_trace_open(struct trace_iterator *iter);
void graph_trace_close(struct trace_iterator *iter);
/* struct tracer's print_header and print_line. */
void print_graph_headers(struct seq_file *m, struct trace_iterator *iter);
/* The same with flags instead of the options. */
void print_graph_headers_flags(struct seq_file *m, struct trace_iterator *iter, u32 flags);
enum print_line_t print_graph_function_flags(struct trace_iterator *iter, u32 flags);
static inline enum print_line_t print_graph_function(struct trace_iterator *iter)
{
	return print_graph_function_flags(iter, tracer_flags_of(iter->tr, &graph_trace));
}
/*
 * Writes ns as "12.345 us   ": microseconds, left-aligned, with at most seven digits and three of
 * them after the point.
 */
#define GRAPH_DURATION_LEN 40
void graph_duration_text(char text[GRAPH_DURATION_LEN], u64 ns);
