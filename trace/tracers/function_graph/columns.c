/* The columns to the left of the functions: times, CPU, task, duration. See output.c. */
#include "trace/tracers/function_graph/output.h"

#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/time/ktime.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/core/output.h"

#define GRAPH_PROC_WIDTH 14
#define USEC_PER_SEC     1000000ULL

void graph_print_spaces(struct trace_seq *s, int count)
{
	if (count > 0)
		trace_seq_printf(s, "%*s", count, "");
}

void graph_print_cpu(const struct graph_line *line)
{
	int width = snprintf(NULL, 0, "%u", nr_cpu_ids - 1);

	trace_seq_printf(line->s, " %*u) ", width, line->iter->cpu);
}

void graph_print_proc(struct trace_seq *s, pid_t pid)
{
	char comm[TASK_COMM_LEN], text[TASK_COMM_LEN + 12];
	int length, spaces;

	trace_find_cmdline(pid, comm);
	length = scnprintf(text, sizeof(text), "%.7s-%d", comm, pid);
	spaces = max(GRAPH_PROC_WIDTH - length, 0);
	graph_print_spaces(s, spaces / 2);
	trace_seq_puts(s, text);
	graph_print_spaces(s, spaces - spaces / 2);
}

static void print_abs_time(const struct graph_line *line)
{
	unsigned long long us = line->iter->ts / NSEC_PER_USEC;

	trace_seq_printf(line->s, "%5llu.%06llu |  ", us / USEC_PER_SEC, us % USEC_PER_SEC);
}

void graph_print_context(const struct graph_line *line)
{
	if (!(line->trace_flags & TRACE_ITER_CONTEXT_INFO))
		return;
	if (line->flags & TRACE_GRAPH_PRINT_ABS_TIME)
		print_abs_time(line);
	if (line->flags & TRACE_GRAPH_PRINT_REL_TIME)
		trace_seq_printf(
			line->s, "%9llu us |  ",
			(unsigned long long)(line->iter->ts - trace_iter_time_start(line->iter)) /
				NSEC_PER_USEC);
	if (line->flags & TRACE_GRAPH_PRINT_CPU)
		graph_print_cpu(line);
	if (line->flags & TRACE_GRAPH_PRINT_PROC) {
		graph_print_proc(line->s, line->iter->ent->pid);
		trace_seq_puts(line->s, " | ");
	}
	if (line->trace_flags & TRACE_ITER_LATENCY_FMT) {
		trace_seq_putc(line->s, ' ');
		trace_print_lat_fmt(line->s, line->iter->ent);
		trace_seq_puts(line->s, " | ");
	}
}

void graph_print_no_duration(const struct graph_line *line)
{
	if (graph_shows_duration(line))
		trace_seq_puts(line->s, "              |  ");
}

void graph_duration_text(char text[GRAPH_DURATION_LEN], u64 ns)
{
	unsigned long long us = ns / NSEC_PER_USEC;
	int length = scnprintf(text, GRAPH_DURATION_LEN, "%llu", us);

	if (length < 7) {
		scnprintf(text + length, (size_t)(GRAPH_DURATION_LEN - length), ".%03llu",
			  (unsigned long long)ns % NSEC_PER_USEC);
		/* Cuts the fraction where the column ends. */
		text[min(length + 4, 8)] = '\0';
		length = (int)strlen(text);
	}
	scnprintf(text + length, (size_t)(GRAPH_DURATION_LEN - length), " us %*s",
		  max(8 - length, 0), "");
}

void graph_print_duration(const struct graph_line *line, u64 ns)
{
	char text[GRAPH_DURATION_LEN];

	if (!graph_shows_duration(line))
		return;
	if (line->flags & TRACE_GRAPH_PRINT_OVERHEAD)
		trace_seq_printf(line->s, "%c ", trace_delay_mark(ns));
	else
		trace_seq_puts(line->s, "  ");
	graph_duration_text(text, ns);
	trace_seq_puts(line->s, text);
	trace_seq_puts(line->s, "|  ");
}
