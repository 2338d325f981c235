/*
 * Chrome's trace-event format ("Trace Event Format", JSON object form), for Perfetto and chrome://tracing. Each task is a
 * thread. A call with its return is a complete event, any other event is an instant. Times are in microseconds.
 */
#include <inttypes.h>
#include <stdio.h>

#include "convert.h"

#define IDLE_TID 1000000 /* plus the CPU's number: all idle tasks have PID 0 */

static int tid_of(const struct task *task)
{
	return task->pid ? task->pid : IDLE_TID + (int)task->cpu;
}

static void begin(struct converter *c)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"nop5\"}}", c->out);
}

static void put_start(struct converter *c, const struct task *task, const char *name, const char *phase, uint64_t ts)
{
	fputs(",\n{\"name\":", c->out);
	put_json_string(c->out, name);
	fprintf(c->out, ",\"ph\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64, phase, tid_of(task),
		ts / 1000, ts % 1000);
}

static void put_lost(struct converter *c, const struct event *event, const struct task *task)
{
	put_start(c, task, "LOST EVENTS", "i", event->ts);
	fprintf(c->out, ",\"s\":\"g\",\"args\":{\"cpu\":%u", event->cpu);
	if (event->lost != UINT64_MAX)
		fprintf(c->out, ",\"count\":%" PRIu64, event->lost);
	fputs("}}", c->out);
}

static void put_event(struct converter *c, const struct event *event, struct task *task)
{
	const char *name = event->name;
	char text[DAT_PRINT_MAX];

	if (event->lost)
		put_lost(c, event, task);
	if (event->kind == EVENT_ENTRY || event->kind == EVENT_EXIT)
		return;
	if (event->kind == EVENT_FUNCTION)
		name = dat_symbol_name(c->dat, dat_symbol(c->dat, event->ip));
	if (event->kind == EVENT_PRINT || event->kind == EVENT_BPRINT || event->kind == EVENT_BPUTS) {
		dat_print(c->dat, event, text, sizeof(text));
		name = text;
	}
	put_start(c, task, name, "i", event->ts);
	fprintf(c->out, ",\"s\":\"t\",\"args\":{\"cpu\":%u", event->cpu);
	if (event->kind == EVENT_FUNCTION) {
		fputs(",\"parent\":", c->out);
		put_json_string(c->out, dat_symbol_name(c->dat, dat_symbol(c->dat, event->parent)));
	}
	if (event->kind == EVENT_OTHER) {
		dat_print(c->dat, event, text, sizeof(text));
		fputs(",\"text\":", c->out);
		put_json_string(c->out, text);
	}
	fputs("}}", c->out);
}

/*
 * Returns the beginning of a call's bar that ends at ts. A bar is as long as the duration in the `trace` file, so it
 * begins a little after the entry event. But bars must nest. If a child began in between, the bar begins with the entry
 * event.
 */
static uint64_t start_of_bar(const struct frame *frame, uint64_t ts)
{
	uint64_t start = ts > frame->duration ? ts - frame->duration : 0;

	if (start < frame->start || (frame->first_child && frame->first_child < start))
		return frame->start;
	return start;
}

static void put_return(struct converter *c, struct task *task, struct frame *frame, uint64_t ts, bool whole)
{
	uint64_t start = start_of_bar(frame, ts), duration = ts > start ? ts - start : 0;

	put_start(c, task, dat_symbol_name(c->dat, frame->symbol), "X", start);
	fprintf(c->out, ",\"dur\":%" PRIu64 ".%03" PRIu64, duration / 1000, duration % 1000);
	if (!whole)
		fputs(",\"args\":{\"return\":\"not seen\"}", c->out);
	else if (duration != frame->duration)
		fprintf(c->out, ",\"args\":{\"measured_us\":%" PRIu64 ".%03" PRIu64 "}", frame->duration / 1000,
			frame->duration % 1000);
	putc_unlocked('}', c->out);
}

static void end(struct converter *c)
{
	for (unsigned i = 0; i < 4096; i++)
		for (const struct task *task = c->tasks[i]; task; task = task->next) {
			char name[64];

			task_name(c, task, name, sizeof(name));
			fprintf(c->out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":",
				tid_of(task));
			put_json_string(c->out, name);
			fputs("}}", c->out);
		}
	fputs("\n]}\n", c->out);
}

const struct output output_json = { .name = "json", .help = "Chrome trace events, for Perfetto (ui.perfetto.dev)",
				    .begin = begin, .event = put_event, .ret = put_return, .end = end };
