/*
 * The trace as rows of numbers, for scripts/trace_page.py, which makes a page of them. A row is an array of JSON; ts is in
 * nanoseconds since the first event, and the numbers of tasks and symbols are indices of "tasks" and "symbols":
 *
 *	[0, ts, task, cpu, symbol, caller]		a call; caller: the return address, "" if the trace does not have it
 *	[1, ts, task, cpu, duration, value]		the return of the task's innermost call; value: text, "" if it was not recorded
 *	[2, ts, task, duration]				the same, but the trace has no return for this call
 *	[3, ts, task, cpu, name, text]			an event
 *	[4, ts, task, cpu, symbol, parent, caller]	a call that the function tracer has recorded
 *	[5, ts, task, cpu, [symbol, ...]]		a stack trace, outermost function first
 *	[6, ts, cpu, count]				lost events; count: -1 if it is not known
 *
 * A symbol is [name, address, module], the module as "[NAME]", or "" for the kernel. Addresses are hexadecimal text, because JavaScript's numbers have 53 bits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "convert.h"

struct rows {
	const struct event *event; /* the one that call() or ret() belongs to */
	unsigned tasks, count;
};

/* Begins a row. Tasks get their numbers in the order of their first events. */
static void put_head(struct converter *c, int kind, uint64_t ts, struct task *task)
{
	struct rows *rows = c->data;
	unsigned *number = task->data;

	if (!number) {
		number = allocate(sizeof(*number));
		*number = rows->tasks++;
		task->data = number;
	}
	fprintf(c->out, "%s[%d,%" PRIu64 ",%u", rows->count++ ? ",\n" : "", kind, ts - c->first_ts, *number);
}

static void put_address(struct converter *c, uint64_t address)
{
	if (address)
		fprintf(c->out, ",\"%" PRIx64 "\"", address);
	else
		fputs(",\"\"", c->out);
}

static void begin(struct converter *c)
{
	c->data = allocate(sizeof(struct rows));
	fputs("{\"rows\":[\n", c->out);
}

static void put_lost(struct converter *c, const struct event *event, const struct task *task)
{
	struct rows *rows = c->data;

	fprintf(c->out, "%s[6,%" PRIu64 ",%u,", rows->count++ ? ",\n" : "", task->last_ts - c->first_ts, event->cpu);
	if (event->lost == UINT64_MAX)
		fputs("-1]", c->out);
	else
		fprintf(c->out, "%" PRIu64 "]", event->lost);
}

static void put_stack(struct converter *c, const struct event *event, struct task *task)
{
	unsigned symbols[STACK_MAX], n = event_stack(c, event, symbols);

	put_head(c, 5, task->last_ts, task);
	fprintf(c->out, ",%u,[", event->cpu);
	while (n--)
		fprintf(c->out, n ? "%u," : "%u", symbols[n]);
	fputs("]]", c->out);
}

static void put_event(struct converter *c, const struct event *event, struct task *task)
{
	char text[DAT_PRINT_MAX];

	((struct rows *)c->data)->event = event;
	if (event->lost)
		put_lost(c, event, task);
	if (event->kind == EVENT_ENTRY || event->kind == EVENT_EXIT)
		return;
	if (event->kind == EVENT_STACK) {
		put_stack(c, event, task);
		return;
	}
	put_head(c, event->kind == EVENT_FUNCTION ? 4 : 3, task->last_ts, task);
	fprintf(c->out, ",%u,", event->cpu);
	if (event->kind == EVENT_FUNCTION) {
		fprintf(c->out, "%u,%u", dat_symbol(c->dat, event->ip), dat_symbol(c->dat, event->parent));
		put_address(c, event->parent);
	} else {
		dat_print(c->dat, event, text, sizeof(text));
		put_json_string(c->out, event->name);
		putc_unlocked(',', c->out);
		put_json_string(c->out, text);
	}
	putc_unlocked(']', c->out);
}

static void put_call(struct converter *c, struct task *task, struct frame *frame, uint64_t ts)
{
	const struct event *event = ((struct rows *)c->data)->event;

	put_head(c, 0, ts, task);
	fprintf(c->out, ",%u,%u", event->cpu, frame->symbol);
	put_address(c, event->parent);
	putc_unlocked(']', c->out);
}

/* Writes an error number in decimal and any other value in hexadecimal, as the trace file does. */
static void put_value(struct converter *c, uint64_t value)
{
	int64_t number = value >> 32 ? (int64_t)value : (int32_t)value;

	if (number < 0 && number >= -4095)
		fprintf(c->out, ",\"%" PRId64 "\"", number);
	else
		fprintf(c->out, ",\"0x%" PRIx64 "\"", value);
}

static void put_return(struct converter *c, struct task *task, struct frame *frame, uint64_t ts, bool whole)
{
	const struct event *event = ((struct rows *)c->data)->event;

	put_head(c, whole ? 1 : 2, ts, task);
	if (whole)
		fprintf(c->out, ",%u", event->cpu);
	fprintf(c->out, ",%" PRIu64, frame->duration);
	if (whole && event->has_retval)
		put_value(c, event->retval);
	else if (whole)
		fputs(",\"\"", c->out);
	putc_unlocked(']', c->out);
}

static void put_tasks(struct converter *c, unsigned count)
{
	const struct task **tasks = allocate(count * sizeof(*tasks));

	for (unsigned i = 0; i < 4096; i++)
		for (const struct task *task = c->tasks[i]; task; task = task->next)
			if (task->data)
				tasks[*(const unsigned *)task->data] = task;
	fputs("],\n\"tasks\":[", c->out);
	for (unsigned i = 0; i < count; i++) {
		char name[64];

		task_name(c, tasks[i], name, sizeof(name));
		fputs(i ? "," : "", c->out);
		put_json_string(c->out, name);
	}
	free(tasks);
}

static void end(struct converter *c)
{
	put_tasks(c, ((struct rows *)c->data)->tasks);
	fprintf(c->out, "],\n\"cpus\":%u,\"start\":%" PRIu64 ",\n\"symbols\":[", dat_cpus(c->dat), c->first_ts);
	for (unsigned i = 0; i < dat_symbols(c->dat); i++) {
		fputs(i ? ",\n[" : "\n[", c->out);
		put_json_string(c->out, dat_symbol_name(c->dat, i));
		fprintf(c->out, ",\"%" PRIx64 "\",", dat_symbol_start(c->dat, i));
		put_json_string(c->out, dat_symbol_module(c->dat, i));
		putc_unlocked(']', c->out);
	}
	fputs("]}\n", c->out);
	free(c->data);
}

const struct output output_rows = { .name = "rows", .help = "numbers for -f html, which makes a page of them",
				    .begin = begin, .event = put_event, .call = put_call, .ret = put_return, .end = end };
