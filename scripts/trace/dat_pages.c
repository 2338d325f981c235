/* Reads events from trace.dat's pages, which are pages of the ring buffer (Documentation/trace/ring-buffer-design.rst). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "dat_internal.h"

#define CHUNK_MAX (1u << 20) /* trace-cmd compresses ten pages into a chunk */

#define TYPE_PADDING	 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP	 31

#define MISSED_EVENTS (1u << 31) /* a flag in a page's commit field */
#define MISSED_STORED (1u << 30)

static uint32_t load32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return x;
}

/*
 * Decompresses the chunk of pages at cpu->at into cpu->chunk. False: the chunk is damaged; cpu->at is behind it, or the
 * CPU has no more chunks.
 */
static bool next_chunk(struct dat *dat, unsigned number)
{
	struct cpu *cpu = &dat->cpus[number];
	uint64_t offset = cpu->offset + cpu->at, left = cpu->size - cpu->at;
	uint32_t sizes[2]; /* compressed, uncompressed */

	cpu->chunk_at = cpu->chunk_size = 0;
	cpu->chunks--;
	cpu->page_offset = offset;
	if (left < sizeof(sizes) || !dat_read_at(dat, offset, sizes, sizeof(sizes)) || sizes[0] > CHUNK_MAX ||
	    sizes[1] > CHUNK_MAX || sizes[0] > left - sizeof(sizes)) {
		cpu->chunks = 0;
		dat_damaged(dat, "CPU %u: from %" PRIu64 " on there is no chunk of compressed pages", number, offset);
		return false;
	}
	cpu->at += sizeof(sizes) + sizes[0];
	if (cpu->chunk_room < sizes[1]) {
		free(cpu->chunk);
		cpu->chunk = malloc(sizes[1]);
		cpu->chunk_room = cpu->chunk ? sizes[1] : 0;
	}
	if (!cpu->chunk || !dat_decompress(dat, offset + sizeof(sizes), sizes[0], cpu->chunk, sizes[1])) {
		dat_damaged(dat, "CPU %u: the pages at %" PRIu64 " do not decompress", number, offset);
		return false;
	}
	cpu->chunk_size = sizes[1];
	return true;
}

/* Reads the CPU's next page, or the part of it that the file has, into cpu->page. Returns its size; -1: no more pages. */
static ssize_t read_page(struct dat *dat, unsigned number)
{
	struct cpu *cpu = &dat->cpus[number];
	uint64_t left;
	size_t size;

	if (dat->packing != PACKED_NOT)
		while (cpu->chunk_at == cpu->chunk_size && cpu->chunks)
			next_chunk(dat, number);
	left = dat->packing != PACKED_NOT ? cpu->chunk_size - cpu->chunk_at : cpu->size - cpu->at;
	if (!left)
		return -1;
	size = left < dat->page_size ? (size_t)left : dat->page_size;
	memset(cpu->page + size, 0, dat->page_size - size);
	if (dat->packing != PACKED_NOT) {
		memcpy(cpu->page, cpu->chunk + cpu->chunk_at, size);
		cpu->chunk_at += size;
		return (ssize_t)size;
	}
	cpu->page_offset = cpu->offset + cpu->at;
	cpu->at += size;
	return dat_read_at(dat, cpu->page_offset, cpu->page, size) ? (ssize_t)size : 0;
}

static bool next_page(struct dat *dat, unsigned number)
{
	struct cpu *cpu = &dat->cpus[number];
	uint8_t *page = cpu->page;
	uint32_t commit;
	ssize_t got;

	while ((got = read_page(dat, number)) >= 0) {
		size_t size = (size_t)got;

		if (size <= dat->data_offset) {
			dat_damaged(dat, "CPU %u: the page at %" PRIu64 " is cut short", number, cpu->page_offset);
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
			dat_damaged(dat, "CPU %u: the page at %" PRIu64 " says that it has %zu bytes", number,
				    cpu->page_offset, cpu->end);
			cpu->end = size - dat->data_offset;
		}
		cpu->pos = 0;
		return true;
	}
	return false;
}

/* Returns a number field of a record of `size` bytes; 0 if the record does not have it. */
static uint64_t field_of(const struct field *field, const uint8_t *record, size_t size)
{
	uint64_t value = 0;

	if (field->there && field->size <= 8 && field->offset + field->size <= size)
		memcpy(&value, record + field->offset, field->size);
	return value;
}

/* Fills in the event from a record. False: the file describes no such event. */
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
		.type = id,
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
		.retval = field_of(&format->retval, record, size),
		.has_retval = format->retval.there && format->retval.offset + format->retval.size <= size,
		.data = record + size,
	};
	if (format->kind == EVENT_OTHER) {
		event->data = record;
		event->size = size;
	} else if (format->data.there && format->data.offset <= size) {
		event->data = record + format->data.offset;
		event->size = size - format->data.offset;
		/* A field with a size ends there, and other data may follow. But a stack can be longer than its field. */
		if (event->kind == EVENT_STACK && format->data.offset >= 12) {
			uint64_t callers = load32(record + 8) & 0xffff;

			if (callers && callers * 8 < event->size)
				event->size = (size_t)callers * 8;
		}
	}
	cpu->lost = 0;
	return true;
}

/* Reads one record. 1: cpu->next has an event; 0: the record is no event; -1: the rest of the page is damaged. */
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
		/* An absolute time stamp has only 59 bits. */
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

void dat_advance(struct dat *dat, unsigned number)
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
				    cpu->page_offset, cpu->pos);
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
	dat_advance(dat, dat->given.cpu);
	return &dat->given;
}

const struct event *dat_peek(struct dat *dat, unsigned cpu)
{
	return dat->cpus[cpu].has_next ? &dat->cpus[cpu].next : NULL;
}
