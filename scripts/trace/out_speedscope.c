/*
 * speedscope's format (https://www.speedscope.app/file-format-schema.json) has a profile for each task. Calls of function_graph
 * make an "evented" profile. A task without them has a "sampled" profile with a sample for each traced call.
 *
 * The file has the events of a profile together, but the trace mixes the events of all tasks. So the events go to a
 * temporary file first, in blocks that are linked backwards.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert.h"

#define BLOCK	  2048
#define NO_BLOCK  UINT64_MAX

struct block {
	char text[BLOCK - 16];
	uint32_t used, unused;
	uint64_t before; /* number of the previous block of this profile */
};

/* A task's profile: events or samples. */
struct profile {
	struct block block;
	uint64_t blocks, samples, first_ts;
	bool evented, any;
};

struct speedscope {
	FILE *spool;
	uint64_t nr_blocks;
};

static void fail(void)
{
	perror("trace-convert: a temporary file");
	exit(2);
}

static void begin(struct converter *c)
{
	struct speedscope *s = allocate(sizeof(*s));

	s->spool = tmpfile();
	if (!s->spool)
		fail();
	c->data = s;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"nop5 trace-convert\",\n"
	      "\"name\":\"nop5\",\"profiles\":[\n", c->out);
}

static void add_text(struct speedscope *s, struct profile *profile, const char *text, size_t size)
{
	struct block *block = &profile->block;

	if (block->used + size > sizeof(block->text)) {
		if (fwrite(block, sizeof(*block), 1, s->spool) != 1)
			fail();
		block->before = s->nr_blocks++;
		block->used = 0;
		profile->blocks++;
	}
	memcpy(block->text + block->used, text, size);
	block->used += (uint32_t)size;
}

static struct profile *profile_of(struct task *task, uint64_t ts, bool evented)
{
	struct profile *profile = task->data;

	if (!profile) {
		profile = allocate(sizeof(*profile));
		profile->block.before = NO_BLOCK;
		profile->first_ts = ts;
		profile->evented = evented;
		task->data = profile;
	}
	return profile;
}

static void add_open_or_close(struct converter *c, struct task *task, const struct frame *frame, uint64_t ts, char type)
{
	struct profile *profile = profile_of(task, ts, true);
	char text[96];
	int n;

	if (!profile->evented)
		return; /* the task has samples of another tracer already */
	n = snprintf(text, sizeof(text), "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%" PRIu64 "}",
		     profile->any ? ",\n" : "", type, frame->symbol, ts);
	profile->any = true;
	add_text(c->data, profile, text, (size_t)n);
}

static void add_call(struct converter *c, struct task *task, struct frame *frame, uint64_t ts)
{
	add_open_or_close(c, task, frame, ts, 'O');
}

static void add_return(struct converter *c, struct task *task, struct frame *frame, uint64_t ts, bool whole)
{
	(void)whole;
	add_open_or_close(c, task, frame, ts, 'C');
}

/* Adds a sample, with the outermost function first. */
static void add_sample(struct converter *c, struct profile *profile, const unsigned *symbols, unsigned n)
{
	char text[STACK_MAX * 11 + 8];
	int at = snprintf(text, sizeof(text), "%s[", profile->any ? ",\n" : "");

	while (n--)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%u%s", symbols[n], n ? "," : "]");
	profile->any = true;
	profile->samples++;
	add_text(c->data, profile, text, (size_t)at);
}

static void add_event(struct converter *c, const struct event *event, struct task *task)
{
	struct profile *profile;
	unsigned symbols[STACK_MAX], n;

	if (event->kind != EVENT_STACK && event->kind != EVENT_FUNCTION)
		return;
	profile = profile_of(task, task->last_ts, false);
	n = profile->evented ? 0 : event_stack(c, event, symbols);
	if (n)
		add_sample(c, profile, symbols, n);
}

/* Writes the blocks of a profile in the order in which they were made. */
static void put_blocks(struct converter *c, const struct profile *profile)
{
	struct speedscope *s = c->data;
	uint64_t *order = allocate(profile->blocks * sizeof(*order)), number = profile->block.before;
	struct block block;

	for (uint64_t i = profile->blocks; i--; number = block.before) {
		order[i] = number;
		if (pread(fileno(s->spool), &block.before, 8, (off_t)(number * BLOCK + offsetof(struct block, before))) != 8)
			fail();
	}
	for (uint64_t i = 0; i < profile->blocks; i++) {
		if (pread(fileno(s->spool), &block, sizeof(block), (off_t)(order[i] * BLOCK)) != sizeof(block))
			fail();
		fwrite(block.text, 1, block.used, c->out);
	}
	fwrite(profile->block.text, 1, profile->block.used, c->out);
	free(order);
}

static void put_profile(struct converter *c, const struct task *task, const struct profile *profile)
{
	char name[64];

	task_name(c, task, name, sizeof(name));
	fprintf(c->out, "{\"type\":\"%s\",\"name\":", profile->evented ? "evented" : "sampled");
	put_json_string(c->out, name);
	if (profile->evented)
		fprintf(c->out, ",\"unit\":\"nanoseconds\",\"startValue\":%" PRIu64 ",\"endValue\":%" PRIu64 ",\"events\":[\n",
			profile->first_ts, task->last_ts);
	else
		fprintf(c->out, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[\n",
			profile->samples);
	put_blocks(c, profile);
	if (!profile->evented) {
		fputs("],\"weights\":[\n", c->out);
		for (uint64_t i = 0; i < profile->samples; i++)
			fputs(i ? ",1" : "1", c->out);
	}
	fputs("]}", c->out);
}

static void put_frames(struct converter *c)
{
	unsigned count = dat_symbols(c->dat);

	fputs("],\n\"shared\":{\"frames\":[\n", c->out);
	for (unsigned i = 0; i < count; i++) {
		fputs(i ? ",\n{\"name\":" : "{\"name\":", c->out);
		put_json_string(c->out, dat_symbol_name(c->dat, i));
		putc('}', c->out);
	}
	fputs("]}}\n", c->out);
}

static void end(struct converter *c)
{
	struct speedscope *s = c->data;
	bool any = false;

	if (fflush(s->spool))
		fail();
	for (unsigned i = 0; i < 4096; i++)
		for (const struct task *task = c->tasks[i]; task; task = task->next) {
			const struct profile *profile = task->data;

			if (!profile || !profile->any)
				continue;
			if (any)
				fputs(",\n", c->out);
			any = true;
			put_profile(c, task, profile);
		}
	put_frames(c);
	fclose(s->spool);
	free(s);
}

const struct output output_speedscope = { .name = "speedscope", .help = "for speedscope: scripts/trace-view",
					  .begin = begin, .event = add_event, .call = add_call, .ret = add_return,
					  .end = end };
