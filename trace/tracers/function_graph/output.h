/* A line of the function graph. Between output.c, which prints calls, and columns.c. */
#pragma once

#include "trace/core/options.h"
#include "trace/tracers/function_graph/function_graph.h"

/* Everything that the functions below need to print a line. The structs are in output.c. */
struct graph_line {
	struct trace_iterator *iter;
	struct trace_seq *s;
	struct graph_data *data; /* NULL: the reader has no state */
	struct graph_cpu *cpu;   /* NULL if data is NULL */
	u32 flags;               /* TRACE_GRAPH_* */
	u64 trace_flags;         /* TRACE_ITER_* */
};

void graph_print_spaces(struct trace_seq *s, int count);
void graph_print_cpu(const struct graph_line *line);
/* Prints COMM-PID in the middle of its column. Cuts long names. */
void graph_print_proc(struct trace_seq *s, pid_t pid);
/* Prints the columns to the left of the duration. */
void graph_print_context(const struct graph_line *line);
static inline bool graph_shows_duration(const struct graph_line *line)
{
	return (line->flags & TRACE_GRAPH_PRINT_DURATION) &&
	       (line->trace_flags & TRACE_ITER_CONTEXT_INFO);
}
/* The column of the duration, if it is shown. */
void graph_print_no_duration(const struct graph_line *line);
void graph_print_duration(const struct graph_line *line, u64 ns);
