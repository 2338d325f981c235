/* The function graph tracer's options, and the header with the columns that they show. */
#include "fs/vfs/seq_file.h"
#include "trace/tracers/function_graph/function_graph.h"
#include "trace/core/options.h"
#include "trace/core/trace_file.h"

struct tracer_flags graph_flags = {
	.val = TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_OVERHEAD | TRACE_GRAPH_PRINT_DURATION |
	       TRACE_GRAPH_PRINT_IRQS | TRACE_GRAPH_SLEEP_TIME | TRACE_GRAPH_GRAPH_TIME,
	.opts =
		(const struct tracer_opt[]){
			{ "funcgraph-overrun", TRACE_GRAPH_PRINT_OVERRUN },
			{ "funcgraph-cpu", TRACE_GRAPH_PRINT_CPU },
			{ "funcgraph-overhead", TRACE_GRAPH_PRINT_OVERHEAD },
			{ "funcgraph-proc", TRACE_GRAPH_PRINT_PROC },
			{ "funcgraph-duration", TRACE_GRAPH_PRINT_DURATION },
			{ "funcgraph-abstime", TRACE_GRAPH_PRINT_ABS_TIME },
			{ "funcgraph-irqs", TRACE_GRAPH_PRINT_IRQS },
			{ "funcgraph-tail", TRACE_GRAPH_PRINT_TAIL },
			{ "funcgraph-retval", TRACE_GRAPH_PRINT_RETVAL },
			{ "funcgraph-retval-hex", TRACE_GRAPH_PRINT_RETVAL_HEX },
			{ "sleep-time", TRACE_GRAPH_SLEEP_TIME },
			{ "graph-time", TRACE_GRAPH_GRAPH_TIME },
			{ "funcgraph-args", TRACE_GRAPH_ARGS },
			{ "funcgraph-retaddr", TRACE_GRAPH_PRINT_RETADDR },
			{ NULL, 0 },
		},
};

static void print_lat_help_header(struct seq_file *m, u32 flags)
{
	int size = (flags & TRACE_GRAPH_PRINT_ABS_TIME ? 16 : 0) +
		   (flags & TRACE_GRAPH_PRINT_REL_TIME ? 16 : 0) +
		   (flags & TRACE_GRAPH_PRINT_CPU ? 4 : 0) +
		   (flags & TRACE_GRAPH_PRINT_PROC ? 17 : 0);

	seq_printf(m, "#%*s  _-----=> irqs-off        \n", size, "");
	seq_printf(m, "#%*s / _----=> need-resched    \n", size, "");
	seq_printf(m, "#%*s| / _---=> hardirq/softirq \n", size, "");
	seq_printf(m, "#%*s|| / _--=> preempt-depth   \n", size, "");
	seq_printf(m, "#%*s||| /                      \n", size, "");
}

/* Prints two lines: the names of the columns, and pointers to the columns. */
static void print_column_names(struct seq_file *m, u32 flags, bool latency)
{
	const struct {
		bool shown;
		const char *name, *pointer;
	} columns[] = {
		{ flags & TRACE_GRAPH_PRINT_ABS_TIME, "     TIME       ", "      |         " },
		{ flags & TRACE_GRAPH_PRINT_REL_TIME, "   REL TIME     ", "      |         " },
		{ flags & TRACE_GRAPH_PRINT_CPU, " CPU", " |  " },
		{ flags & TRACE_GRAPH_PRINT_PROC, "  TASK/PID       ", "   |    |        " },
		{ latency, "||||   ", "||||   " },
		{ flags & TRACE_GRAPH_PRINT_DURATION, "  DURATION   ", "   |   |      " },
		{ true, "               FUNCTION CALLS\n", "               |   |   |   |\n" },
	};

	seq_putc(m, '#');
	for (unsigned i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].shown)
			seq_puts(m, columns[i].name);
	seq_putc(m, '#');
	for (unsigned i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].shown)
			seq_puts(m, columns[i].pointer);
}

void print_graph_headers(struct seq_file *m, struct trace_iterator *iter)
{
	print_graph_headers_flags(m, iter, tracer_flags_of(iter->tr, &graph_trace));
}

void print_graph_headers_flags(struct seq_file *m, struct trace_iterator *iter, u32 flags)
{
	u64 trace_flags = trace_iter_flags(iter);

	if (!(trace_flags & TRACE_ITER_CONTEXT_INFO))
		return;
	if (trace_flags & TRACE_ITER_LATENCY_FMT) {
		if (trace_empty(iter))
			return;
		print_latency_header(m, iter);
		print_lat_help_header(m, flags);
	}
	print_column_names(m, flags, trace_flags & TRACE_ITER_LATENCY_FMT);
}
