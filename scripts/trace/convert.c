/*
 * trace-convert converts trace.dat to Chrome's trace events (for Perfetto), to speedscope's format, to folded stacks (for
 * flame graphs), or to text. It reads the file once. It needs memory for each function and each task, not for each event.
 */
#include "convert.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct output *const outputs[] = { &output_json, &output_speedscope, &output_folded, &output_ftrace, &output_rows };

#define NR_OUTPUTS (sizeof(outputs) / sizeof(*outputs))
#define DEPTH_MAX  4096

void *allocate(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p) {
		fprintf(stderr, "trace-convert: out of memory\n");
		exit(2);
	}
	return p;
}

void put_json_string(void *out, const char *s)
{
	putc_unlocked('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			putc_unlocked('\\', out);
		/* A byte above ASCII may not be valid UTF-8. As a Latin-1 character it is always valid JSON. */
		if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc_unlocked(c, out);
	}
	putc_unlocked('"', out);
}

void task_name(const struct converter *c, const struct task *task, char *buf, size_t size)
{
	if (task->pid)
		snprintf(buf, size, "%s-%d", dat_comm(c->dat, task->pid), task->pid);
	else
		snprintf(buf, size, "<idle>/%u", task->cpu);
}

unsigned event_stack(const struct converter *c, const struct event *event, unsigned *symbols)
{
	const struct event *next;
	unsigned n = 0;

	if (event->kind == EVENT_FUNCTION) {
		next = dat_peek(c->dat, event->cpu);
		if (next && next->kind == EVENT_STACK && next->pid == event->pid)
			return 0;
		symbols[n++] = dat_symbol(c->dat, event->ip);
		symbols[n++] = dat_symbol(c->dat, event->parent);
	}
	for (size_t at = 0; event->kind == EVENT_STACK && at + 8 <= event->size && n < STACK_MAX; at += 8) {
		uint64_t caller;

		memcpy(&caller, event->data + at, 8);
		if (caller == UINT64_MAX)
			break;
		if (caller)
			symbols[n++] = dat_symbol(c->dat, caller);
	}
	return n;
}

static struct task *find_task(struct converter *c, int pid, unsigned cpu)
{
	struct task **slot = &c->tasks[(pid ? (unsigned)pid : cpu * 7 + 1) % 4096], *task;

	for (task = *slot; task; task = task->next)
		if (task->pid == pid && (pid || task->cpu == cpu))
			return task;
	task = allocate(sizeof(*task));
	*task = (struct task){ .next = *slot, .pid = pid, .cpu = cpu };
	*slot = task;
	c->nr_tasks++;
	return task;
}

/* ---- matching returns with calls: events may be missing anywhere ---- */

/* Ends the innermost call at ts. exit: its return event, or NULL when the trace has none. */
static void pop(struct converter *c, struct task *task, uint64_t ts, const struct event *exit)
{
	struct frame *frame = &task->frames[task->nr_frames - 1];

	if (exit)
		frame->duration = exit->rettime > exit->calltime ? exit->rettime - exit->calltime : 0;
	else
		frame->duration = ts > frame->start ? ts - frame->start : 0;
	if (c->output->ret)
		c->output->ret(c, task, frame, ts, exit != NULL);
	if (task->nr_frames > 1)
		frame[-1].children += frame->duration;
	task->nr_frames--;
}

/* Ends the calls at this depth and deeper. The trace has no returns for them. */
static void pop_to(struct converter *c, struct task *task, int depth, uint64_t ts)
{
	while (task->nr_frames && task->frames[task->nr_frames - 1].depth >= depth)
		pop(c, task, ts, NULL);
}

static struct frame *push(struct converter *c, struct task *task, const struct event *event, uint64_t ts)
{
	struct frame *frame;

	if (task->nr_frames == DEPTH_MAX)
		return NULL;
	if (task->nr_frames == task->room) {
		unsigned room = task->room ? 2 * task->room : 8;
		struct frame *frames = allocate(room * sizeof(*frames));

		if (task->frames)
			memcpy(frames, task->frames, task->nr_frames * sizeof(*frames));
		free(task->frames);
		task->frames = frames;
		task->room = room;
	}
	frame = &task->frames[task->nr_frames++];
	if (task->nr_frames > 1 && !frame[-1].first_child)
		frame[-1].first_child = ts;
	*frame = (struct frame){ .symbol = dat_symbol(c->dat, event->ip), .depth = event->depth, .start = ts };
	if (c->output->call)
		c->output->call(c, task, frame, ts);
	return frame;
}

static void handle_entry(struct converter *c, struct task *task, const struct event *event)
{
	pop_to(c, task, event->depth, task->last_ts);
	push(c, task, event, task->last_ts);
}

/*
 * A return without its call in the trace is ignored. The event has the time of the call, but the output may already have
 * later events.
 */
static void handle_exit(struct converter *c, struct task *task, const struct event *event)
{
	const struct frame *top;

	pop_to(c, task, event->depth + 1, task->last_ts);
	top = task->nr_frames ? &task->frames[task->nr_frames - 1] : NULL;
	if (top && top->depth == event->depth && top->symbol == dat_symbol(c->dat, event->ip))
		pop(c, task, task->last_ts, event);
	else
		pop_to(c, task, event->depth, task->last_ts);
}

static void handle(struct converter *c, const struct event *event)
{
	struct task *task = find_task(c, event->pid, event->cpu);

	if (!c->events++)
		c->first_ts = event->ts;
	c->last_ts = event->ts > c->last_ts ? event->ts : c->last_ts;
	task->last_ts = event->ts > task->last_ts ? event->ts : task->last_ts;
	task->events++;
	if (c->output->event)
		c->output->event(c, event, task);
	if (event->kind == EVENT_ENTRY)
		handle_entry(c, task, event);
	else if (event->kind == EVENT_EXIT)
		handle_exit(c, task, event);
}

static int convert(struct dat *dat, const struct output *output, FILE *out)
{
	struct converter *c = allocate(sizeof(*c));
	const struct event *event;
	int status;

	c->dat = dat;
	c->output = output;
	c->out = out;
	output->begin(c);
	while ((event = dat_next(dat)) && !ferror(out))
		handle(c, event);
	for (unsigned i = 0; i < 4096; i++)
		for (struct task *task = c->tasks[i]; task; task = task->next)
			while (task->nr_frames)
				pop(c, task, task->last_ts, NULL);
	output->end(c);
	status = dat_damage(dat) != 0;
	if (status)
		fprintf(stderr, "trace-convert: %u damages; the %llu events that can be read are converted\n",
			dat_damage(dat), (unsigned long long)c->events);
	for (unsigned i = 0; i < 4096; i++)
		for (struct task *task = c->tasks[i], *next; task; task = next) {
			next = task->next;
			free(task->frames);
			free(task->data);
			free(task);
		}
	free(c);
	return status;
}

static int usage(int status)
{
	FILE *to = status ? stderr : stdout;

	fprintf(to, "usage: trace-convert TRACE.DAT -f FORMAT [-o FILE]\n");
	for (unsigned i = 0; i < NR_OUTPUTS; i++)
		fprintf(to, "  -f %-12s %s\n", outputs[i]->name, outputs[i]->help);
	fprintf(to, "Status: 0 success; 1 the file is damaged, its readable part is converted; 2 nothing is converted.\n");
	return status;
}

static const struct output *find_output(const char *name)
{
	for (unsigned i = 0; i < NR_OUTPUTS; i++)
		if (!strcmp(outputs[i]->name, name))
			return outputs[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct output *output = NULL;
	const char *input = NULL, *target = NULL;
	struct dat *dat;
	FILE *out = stdout;
	int fd, status;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return usage(0);
		if (!strcmp(argv[i], "-f") && i + 1 < argc) {
			output = find_output(argv[++i]);
			if (!output)
				return usage(2);
		} else if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			target = argv[++i];
		} else if (argv[i][0] == '-' || input) {
			return usage(2);
		} else {
			input = argv[i];
		}
	}
	if (!input || !output)
		return usage(2);
	fd = open(input, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(input);
		return 2;
	}
	dat = dat_open(fd, input);
	if (!dat)
		return 2;
	if (target && !(out = fopen(target, "w"))) {
		perror(target);
		return 2;
	}
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	status = convert(dat, output, out);
	if (fflush(out) || ferror(out)) {
		fprintf(stderr, "trace-convert: the output could not be written: %s\n", strerror(errno));
		status = 2;
	}
	dat_close(dat);
	close(fd);
	return status;
}
