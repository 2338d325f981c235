/* trace.dat: its sections, and the events in its pages (Documentation/trace/ring-buffer-design.rst). */
#include "dat.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_internal.h"

#define TEXT_MAX     (256u << 20) /* of one section */
#define DAMAGE_SHOWN 20

#define TYPE_PADDING	 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP	 31

#define MISSED_EVENTS (1u << 31) /* in a page's commit */
#define MISSED_STORED (1u << 30)

void dat_damaged(struct dat *dat, const char *fmt, ...)
{
	va_list args;

	if (dat->damage++ < DAMAGE_SHOWN) {
		fprintf(stderr, "%s: ", dat->file_name);
		va_start(args, fmt);
		vfprintf(stderr, fmt, args);
		va_end(args);
		fputc('\n', stderr);
	} else if (dat->damage == DAMAGE_SHOWN + 1) {
		fprintf(stderr, "%s: (and more)\n", dat->file_name);
	}
}

/* ---- the sections ---- */

static bool read_at(struct dat *dat, uint64_t offset, void *buf, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(dat->fd, (char *)buf + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool take(struct dat *dat, void *buf, size_t size)
{
	if (size > dat->file_size - dat->at || !read_at(dat, dat->at, buf, size))
		return false;
	dat->at += size;
	return true;
}

static bool take_tag(struct dat *dat, const char *tag)
{
	char buf[16];
	size_t size = strlen(tag) + 1;

	if (!take(dat, buf, size))
		return false;
	if (!memcmp(buf, tag, size))
		return true;
	dat->at -= size;
	return false;
}

/* A text with its size before it, as a string; NULL when it is not there. */
static char *take_text(struct dat *dat, size_t size_bytes)
{
	uint64_t size = 0;
	char *text;

	if (!take(dat, &size, size_bytes) || size > TEXT_MAX || size > dat->file_size - dat->at)
		return NULL;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	if (!take(dat, text, size)) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

/* Where a page's data begins. */
static bool take_header_page(struct dat *dat)
{
	char *text = take_text(dat, 8), *data = text ? strstr(text, "field: char data;\toffset:") : NULL;
	bool good = data && sscanf(data + 24, "%*[^0-9]%u", &dat->data_offset) == 1;

	free(text);
	return good && dat->data_offset >= 12 && dat->data_offset < dat->page_size;
}

static bool take_formats(struct dat *dat, uint32_t count)
{
	while (count--) {
		char *text = take_text(dat, 8);

		if (!text)
			return false;
		dat_read_format(dat, text);
		free(text);
	}
	return true;
}

static bool take_systems(struct dat *dat)
{
	uint32_t count, events;
	char c;

	if (!take(dat, &count, 4))
		return false;
	while (count--) {
		do
			if (!take(dat, &c, 1))
				return false;
		while (c);
		if (!take(dat, &events, 4) || !take_formats(dat, events))
			return false;
	}
	return true;
}

static bool skip_options(struct dat *dat)
{
	uint16_t id;
	uint32_t size;

	for (;;) {
		if (!take(dat, &id, 2))
			return false;
		if (!id)
			return true;
		if (!take(dat, &size, 4) || size > dat->file_size - dat->at)
			return false;
		dat->at += size;
	}
}

static const char *take_cpus(struct dat *dat)
{
	uint32_t count;

	if (!take(dat, &count, 4))
		return "the number of CPUs";
	if (count > 4096)
		return "a sensible number of CPUs";
	dat->cpus = calloc(count ? count : 1, sizeof(*dat->cpus));
	if (!dat->cpus)
		return "memory";
	dat->nr_cpus = count;
	if (take_tag(dat, "options  ") && !skip_options(dat))
		return "the options";
	if (!take_tag(dat, "flyrecord"))
		return "the section of the CPUs' data";
	for (unsigned i = 0; i < count; i++) {
		struct cpu *cpu = &dat->cpus[i];

		if (!take(dat, &cpu->offset, 8) || !take(dat, &cpu->size, 8))
			return "the table of the CPUs' data";
		if (cpu->offset > dat->file_size || cpu->size > dat->file_size - cpu->offset) {
			dat_damaged(dat, "CPU %u: the data goes on behind the end of the file", i);
			cpu->size = cpu->offset > dat->file_size ? 0 : dat->file_size - cpu->offset;
		}
		cpu->page = malloc(dat->page_size);
		if (!cpu->page)
			return "memory";
	}
	return NULL;
}

/* All sections in their order: what could not be read, or NULL. */
static const char *read_sections(struct dat *dat)
{
	uint32_t count;
	uint8_t two[2];
	char *text;

	if (!take(dat, two, 2) || !take(dat, &dat->page_size, 4))
		return "its head";
	if (two[0])
		return "anything but little-endian data";
	if (dat->page_size < 64 || dat->page_size > PAGE_MAX)
		return "a sensible page size";
	if (!take_tag(dat, "header_page") || !take_header_page(dat))
		return "header_page";
	text = take_tag(dat, "header_event") ? take_text(dat, 8) : NULL;
	if (!text)
		return "header_event";
	free(text);
	if (!take(dat, &count, 4) || !take_formats(dat, count) || !take_systems(dat))
		return "the formats of the events";
	if (!(dat->kallsyms = take_text(dat, 4)))
		return "kallsyms";
	if (!(dat->printk = take_text(dat, 4)))
		return "the formats of trace_printk";
	if (!(dat->cmdlines = take_text(dat, 8)))
		return "the names of the tasks";
	return take_cpus(dat);
}

static bool refuse(const struct dat *dat, const char *what)
{
	fprintf(stderr, "%s: %s\n", dat->file_name, what);
	return false;
}

static bool check_magic(struct dat *dat)
{
	char magic[10], version[16] = "";

	if (!take(dat, magic, 10) || memcmp(magic, "\x17\x08\x44tracing", 10))
		return refuse(dat, "this is no trace.dat");
	for (unsigned i = 0; i < sizeof(version) - 1; i++)
		if (!take(dat, &version[i], 1) || !version[i])
			break;
	if (!strcmp(version, "6"))
		return true;
	fprintf(stderr, "%s: version %.15s of the format; this program reads version 6 "
			"(trace-cmd convert --file-version 6)\n", dat->file_name, version);
	return false;
}

static void advance(struct dat *dat, unsigned cpu);

struct dat *dat_open(int fd, const char *name)
{
	struct dat *dat = calloc(1, sizeof(*dat));
	const char *missing;
	struct stat st;

	if (!dat || fstat(fd, &st) || !(dat->formats = calloc(ID_MAX, sizeof(*dat->formats)))) {
		perror(name);
		free(dat);
		return NULL;
	}
	dat->fd = fd;
	dat->file_name = name;
	dat->file_size = (uint64_t)st.st_size;
	if (!check_magic(dat)) {
		dat_close(dat);
		return NULL;
	}
	missing = read_sections(dat);
	if (missing) {
		fprintf(stderr, "%s: damaged or cut short: it does not have %s\n", name, missing);
		dat_close(dat);
		return NULL;
	}
	dat_read_names(dat);
	for (unsigned i = 0; i < dat->nr_cpus; i++)
		advance(dat, i);
	return dat;
}

void dat_close(struct dat *dat)
{
	dat_free_names(dat);
	for (unsigned i = 0; dat->cpus && i < dat->nr_cpus; i++)
		free(dat->cpus[i].page);
	free(dat->cpus);
	for (unsigned i = 0; i < ID_MAX; i++)
		free(dat->formats[i]);
	free(dat->formats);
	free(dat);
}

unsigned dat_cpus(const struct dat *dat)
{
	return dat->nr_cpus;
}

unsigned dat_damage(const struct dat *dat)
{
	return dat->damage;
}

/* ---- the pages ---- */

static uint32_t load32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return x;
}

/* The next page of the CPU. */
static bool next_page(struct dat *dat, unsigned number)
{
	struct cpu *cpu = &dat->cpus[number];
	uint8_t *page = cpu->page;
	uint32_t commit;

	while (cpu->at < cpu->size) {
		uint64_t offset = cpu->offset + cpu->at;
		size_t size = cpu->size - cpu->at < dat->page_size ? (size_t)(cpu->size - cpu->at) : dat->page_size;

		cpu->at += size;
		memset(page, 0, dat->page_size);
		if (size <= dat->data_offset || !read_at(dat, offset, page, size)) {
			dat_damaged(dat, "CPU %u: the page at %" PRIu64 " is cut short", number, offset);
			continue;
		}
		memcpy(&cpu->ts, page, 8);
		commit = load32(page + 8);
		cpu->end = commit & 0xfffff;
		if (commit & MISSED_EVENTS) {
			cpu->lost = UINT64_MAX;
			if (commit & MISSED_STORED && cpu->end + 8 <= dat->page_size - dat->data_offset)
				memcpy(&cpu->lost, page + dat->data_offset + cpu->end, 8);
		}
		if (cpu->end > size - dat->data_offset) {
			dat_damaged(dat, "CPU %u: the page at %" PRIu64 " says that it has %zu bytes", number, offset,
				    cpu->end);
			cpu->end = size - dat->data_offset;
		}
		cpu->pos = 0;
		return true;
	}
	return false;
}

/* A number field of a record of `size` bytes; 0 when it is not there. */
static uint64_t field_of(const struct field *field, const uint8_t *record, size_t size)
{
	uint64_t value = 0;

	if (field->there && field->size <= 8 && field->offset + field->size <= size)
		memcpy(&value, record + field->offset, field->size);
	return value;
}

/* False: what stands there is none of the events that the file describes. */
static bool decode(struct dat *dat, unsigned number, const uint8_t *record, size_t size)
{
	struct cpu *cpu = &dat->cpus[number];
	struct event *event = &cpu->next;
	const struct format *format;
	uint16_t id;

	if (size < 8)
		return false;
	memcpy(&id, record, 2);
	format = dat->formats[id];
	if (!format)
		return false;
	*event = (struct event){
		.kind = format->kind,
		.name = format->name,
		.cpu = number,
		.pid = (int)load32(record + 4),
		.ts = cpu->ts,
		.lost = cpu->lost,
		.flags = record[2],
		.preempt = record[3],
		.ip = field_of(&format->ip, record, size),
		.parent = field_of(&format->parent, record, size),
		.depth = (int)field_of(&format->depth, record, size),
		.calltime = field_of(&format->calltime, record, size),
		.rettime = field_of(&format->rettime, record, size),
	};
	if (format->data.there && format->data.offset <= size) {
		event->data = record + format->data.offset;
		event->size = size - format->data.offset;
		/* A field with a size may be followed by what is no part of it, but a stack may be deeper. */
		if (event->kind == EVENT_STACK && format->data.offset >= 12) {
			uint64_t callers = load32(record + 8) & 0xffff;

			if (callers && callers * 8 < event->size)
				event->size = (size_t)callers * 8;
		}
	}
	cpu->lost = 0;
	return true;
}

/* One record. 1: an event is in cpu->next; 0: it was none; -1: the page makes no sense from here on. */
static int next_record(struct dat *dat, unsigned number)
{
	struct cpu *cpu = &dat->cpus[number];
	const uint8_t *p = cpu->page + dat->data_offset + cpu->pos;
	size_t left = cpu->end - cpu->pos, size, head = 4;
	uint32_t first, type, delta;

	if (left < 4)
		return -1;
	first = load32(p);
	type = first & 31;
	delta = first >> 5;
	if (type == TYPE_PADDING && !delta) {
		cpu->pos = cpu->end;
		return 0;
	}
	if (type && type < TYPE_PADDING) {
		size = 4 * (size_t)type;
	} else {
		if (left < 8)
			return -1;
		head = 8;
		size = type >= TYPE_TIME_EXTEND ? 0 : load32(p + 4) - 4;
		if (type == TYPE_TIME_EXTEND)
			cpu->ts += (uint64_t)load32(p + 4) << 27;
		/* Only 59 bits of a time stamp are in it. */
		if (type == TYPE_TIME_STAMP)
			cpu->ts = ((uint64_t)load32(p + 4) << 27) | (cpu->ts & 0xf800000000000000ULL);
	}
	if (size > left - head)
		return -1;
	cpu->ts += delta;
	cpu->pos += head + ((size + 3) & ~(size_t)3);
	if (cpu->pos > cpu->end)
		cpu->pos = cpu->end;
	if (type >= TYPE_PADDING)
		return 0;
	if (decode(dat, number, p + head, size))
		return 1;
	dat_damaged(dat, "CPU %u: an event of an unknown kind", number);
	return 0;
}

/* The CPU's next event into cpu->next. */
static void advance(struct dat *dat, unsigned number)
{
	struct cpu *cpu = &dat->cpus[number];

	for (;;) {
		int got;

		if (cpu->pos >= cpu->end && !next_page(dat, number)) {
			cpu->has_next = false;
			return;
		}
		if (cpu->pos >= cpu->end)
			continue;
		got = next_record(dat, number);
		if (got > 0) {
			cpu->has_next = true;
			return;
		}
		if (got < 0) {
			dat_damaged(dat, "CPU %u: the page at %" PRIu64 " makes no sense from byte %zu on", number,
				    cpu->offset + cpu->at - dat->page_size, cpu->pos);
			cpu->pos = cpu->end;
		}
	}
}

const struct event *dat_next(struct dat *dat)
{
	struct cpu *first = NULL;

	for (unsigned i = 0; i < dat->nr_cpus; i++) {
		struct cpu *cpu = &dat->cpus[i];

		if (cpu->has_next && (!first || cpu->next.ts < first->next.ts))
			first = cpu;
	}
	if (!first)
		return NULL;
	dat->given = first->next;
	if (dat->given.size) {
		memcpy(dat->given_data, dat->given.data, dat->given.size);
		dat->given.data = dat->given_data;
	}
	advance(dat, dat->given.cpu);
	return &dat->given;
}

const struct event *dat_peek(struct dat *dat, unsigned cpu)
{
	return dat->cpus[cpu].has_next ? &dat->cpus[cpu].next : NULL;
}
