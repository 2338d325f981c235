/*
 * The function graph tracer, between its files: trace/tracers/function_graph/function_graph.c
 * records, trace/tracers/function_graph/filter.c chooses what,
 * trace/tracers/function_graph/output.c prints.
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

extern struct tracer_flags graph_flags; /* names and defaults: tracer_flags_of() has the values */
extern struct tracer graph_trace;       /* trace/tracers/function_graph/function_graph.c */

/* Code that interrupts enter first: the arrows in the trace stand around its functions. */
extern const char __irqentry_text_start[], __irqentry_text_end[];

/* ---- printing (trace/tracers/function_graph/output.c) ---- */

/*
 * What a reader must remember from one entry to the next. In iter->private from graph_trace_open()
 * to graph_trace_close(); without memory NULL, then lines lack what needs it. Task context.
 */
void graph_trace_open(struct trace_iterator *iter);
void graph_trace_close(struct trace_iterator *iter);
/* struct tracer's print_header and print_line. */
void print_graph_headers(struct seq_file *m, struct trace_iterator *iter);
enum print_line_t print_graph_function(struct trace_iterator *iter);
/* ns as "12.345 us   ": microseconds with as many digits after the point as fit in seven, to the
 * left. */
#define GRAPH_DURATION_LEN 40
void graph_duration_text(char text[GRAPH_DURATION_LEN], u64 ns);
