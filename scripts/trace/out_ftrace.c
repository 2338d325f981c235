/* Text as in the `trace` file: the lines of the function tracer and of function_graph. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"

struct cpu_text {
	bool leaf; /* its next event is the return of a call that was printed as a leaf */
	int depth; /* the indentation of a comment */
};

struct text {
	bool line_header, graph_header; /* already printed */
	struct cpu_text cpus[];
};

static void begin(struct converter *c)
{
	struct text *text = allocate(sizeof(*text) + dat_cpus(c->dat) * sizeof(text->cpus[0]));

	c->data = text;
}

/* Prints the header of the function tracer's lines, or of the graph's, before the first line of that kind. */
static void put_header(struct converter *c, bool graph)
{
	struct text *text = c->data;
	bool *printed = graph ? &text->graph_header : &text->line_header;

	if (*printed)
		return;
	*printed = true;
	fputs(graph ? "# CPU  DURATION                  FUNCTION CALLS\n"
		      "# |     |   |                     |   |   |   |\n"
		    : "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		      "#              | |         |   |||||     |         |\n",
	      c->out);
}

/* Writes irqs-off, need-resched, context, preempt-depth, migrate-disable: Documentation/trace/ftrace.rst, "Latency trace format". */
static void flags_of(const struct event *event, char flags[6])
{
	unsigned f = event->flags;
	bool hard = f & 0x08, soft = f & 0x10, nmi = f & 0x40;

	flags[0] = f & 0x01 && f & 0x80 ? 'D' : f & 0x01 ? 'd' : f & 0x80 ? 'b' : '.';
	flags[1] = f & 0x04 && f & 0x20 ? 'N' : f & 0x04 ? 'n' : f & 0x20 ? 'p' : '.';
	flags[2] = nmi && hard ? 'Z' : nmi ? 'z' : hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
	flags[3] = event->preempt & 15 ? "0123456789abcdef"[event->preempt & 15] : '.';
	flags[4] = event->preempt >> 4 ? "0123456789abcdef"[event->preempt >> 4 & 15] : '.';
	flags[5] = '\0';
}

static void put_head(struct converter *c, const struct event *event)
{
	char flags[6];
	uint64_t us = (event->ts + 500) / 1000;

	flags_of(event, flags);
	fprintf(c->out, "%16s-%-7d [%03u] %s %5" PRIu64 ".%06" PRIu64 ": ", dat_comm(c->dat, event->pid), event->pid,
		event->cpu, flags, us / 1000000, us % 1000000);
}

static void put_stack(struct converter *c, const struct event *event)
{
	fputs("<stack trace>\n", c->out);
	for (size_t at = 0; at + 8 <= event->size; at += 8) {
		uint64_t caller;

		memcpy(&caller, event->data + at, 8);
		if (caller == UINT64_MAX)
			break;
		if (caller)
			fprintf(c->out, " => %s\n", dat_symbol_name(c->dat, dat_symbol(c->dat, caller)));
	}
}

static void put_duration(void *out, uint64_t ns)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRIu64, ns / 1000);

	/* At most seven digits, with a fraction of three digits or as many as fit. This is Linux's format. */
	if (n < 7)
		snprintf(text + n, 9 - (size_t)n, ".%03" PRIu64, ns % 1000);
	text[n < 7 ? (n == 6 ? 8 : n + 4) : n] = '\0';
	fprintf(out, "%c %s us%*s|  ", ns > 1000000000 ? '$' : ns > 100000000 ? '@' : ns > 10000000 ? '*' :
					ns > 1000000 ? '#' : ns > 100000 ? '!' : ns > 10000 ? '+' : ' ',
		text, (int)(9 - strlen(text)), "");
}

static void put_cpu(struct converter *c, unsigned cpu)
{
	unsigned count = dat_cpus(c->dat);

	fprintf(c->out, " %*u) ", count > 99 ? 3 : count > 9 ? 2 : 1, cpu);
}

/* Prints a call as one line if the CPU's next event is its return. Returns false if it is not. */
static bool put_leaf(struct converter *c, const struct event *event, const char *name)
{
	const struct event *next = dat_peek(c->dat, event->cpu);

	if (!next || next->kind != EVENT_EXIT || next->pid != event->pid || next->ip != event->ip ||
	    next->depth != event->depth || next->lost)
		return false;
	((struct text *)c->data)->cpus[event->cpu].leaf = true;
	put_cpu(c, event->cpu);
	put_duration(c->out, next->rettime - next->calltime);
	fprintf(c->out, "%*s%s();\n", 2 * (event->depth & 0xff), "", name);
	return true;
}

static void put_call(struct converter *c, const struct event *event)
{
	const char *name = dat_symbol_name(c->dat, dat_symbol(c->dat, event->ip));
	struct cpu_text *cpu = &((struct text *)c->data)->cpus[event->cpu];

	cpu->depth = event->kind == EVENT_ENTRY ? event->depth : event->depth - 1;
	if (cpu->leaf) {
		cpu->leaf = false;
		return;
	}
	if (event->kind == EVENT_ENTRY) {
		if (put_leaf(c, event, name))
			return;
		put_cpu(c, event->cpu);
		fprintf(c->out, "              |  %*s%s() {\n", 2 * (event->depth & 0xff), "", name);
		return;
	}
	put_cpu(c, event->cpu);
	put_duration(c->out, event->rettime - event->calltime);
	fprintf(c->out, "%*s} /* %s */\n", 2 * (event->depth & 0xff), "", name);
}

/* What the `trace` file has behind the time, or in the comment of a graph: there a message comes without its function. */
static void put_text(struct converter *c, const struct event *event, bool in_graph)
{
	char text[DAT_PRINT_MAX];

	dat_print(c->dat, event, text, sizeof(text));
	if (event->kind != EVENT_OTHER && !in_graph)
		fprintf(c->out, "%s: ", dat_symbol_name(c->dat, dat_symbol(c->dat, event->ip)));
	fputs(text, c->out);
}

/* An event among the calls of a graph: a comment as far to the right as the call that it is in. */
static void put_comment(struct converter *c, const struct event *event)
{
	int depth = ((struct text *)c->data)->cpus[event->cpu].depth;

	put_cpu(c, event->cpu);
	fprintf(c->out, "              |  %*s/* ", depth > 0 ? 2 * ((depth & 0xff) + 1) : 0, "");
	put_text(c, event, true);
	fputs(" */\n", c->out);
}

static void put_line(struct converter *c, const struct event *event)
{
	put_header(c, false);
	put_head(c, event);
	switch (event->kind) {
	case EVENT_FUNCTION:
		fprintf(c->out, "%s <-%s\n", dat_symbol_name(c->dat, dat_symbol(c->dat, event->ip)),
			dat_symbol_name(c->dat, dat_symbol(c->dat, event->parent)));
		break;
	case EVENT_STACK:
		put_stack(c, event);
		break;
	default:
		put_text(c, event, false);
		fputc('\n', c->out);
	}
}

static void put_event(struct converter *c, const struct event *event, struct task *task)
{
	bool is_call = event->kind == EVENT_ENTRY || event->kind == EVENT_EXIT;

	(void)task;
	if (is_call)
		put_header(c, true);
	if (event->lost == UINT64_MAX)
		fprintf(c->out, "CPU:%u [LOST EVENTS]\n", event->cpu);
	else if (event->lost)
		fprintf(c->out, "CPU:%u [LOST %" PRIu64 " EVENTS]\n", event->cpu, event->lost);
	if (is_call)
		put_call(c, event);
	else if (((struct text *)c->data)->graph_header && event->kind != EVENT_FUNCTION && event->kind != EVENT_STACK)
		put_comment(c, event);
	else
		put_line(c, event);
}

static void end(struct converter *c)
{
	free(c->data);
}

const struct output output_ftrace = { .name = "ftrace", .help = "the text of the trace file", .begin = begin,
				      .event = put_event, .end = end };
