/*
 * Version 7 of trace.dat (trace-cmd.dat.v7(5)) can have its sections anywhere. Each section has a header, and a chain of
 * option sections tells their offsets. Any section may be compressed. Pages are compressed in chunks (dat_pages.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "dat_internal.h"

#define NAME_SIZE	32
#define OPTIONS_MAX	1000 /* option sections; a limit, because a damaged chain may be a loop */
#define SECTION_PACKED	1    /* flags */

enum { OPTIONS = 0, OPTION_DONE = 0, OPTION_BUFFER = 3, HEADER_INFO = 16, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, PRINTK,
       CMDLINES, NR_SECTIONS };

/* The contents of the options. */
struct table {
	uint64_t sections[NR_SECTIONS]; /* offsets; 0: missing */
	char *instance;			/* the instance that is read; "": the top level; NULL: no trace */
	uint8_t *buffer;		/* the rest of its option: page size, number of CPUs, offset of each CPU's pages */
	uint32_t buffer_size;
};

bool dat_decompress(struct dat *dat, uint64_t offset, size_t packed, void *to, size_t size)
{
	unsigned long unpacked = size;
	bool good = false;
	void *from = malloc(packed ? packed : 1);

	if (from && dat_read_at(dat, offset, from, packed)) {
		if (dat->packing == PACKED_ZSTD)
			good = ZSTD_decompress(to, size, from, packed) == size;
		else
			good = uncompress(to, &unpacked, from, packed) == Z_OK && unpacked == size;
	}
	free(from);
	return good;
}

static bool unpack_section(struct dat *dat, uint64_t offset, uint64_t size)
{
	uint32_t sizes[2]; /* compressed, uncompressed */

	if (size < sizeof(sizes) || !dat_read_at(dat, offset, sizes, sizeof(sizes)) || sizes[0] > size - sizeof(sizes) ||
	    sizes[1] > DAT_TEXT_MAX || !(dat->section = malloc(sizes[1] + 1)))
		return false;
	dat->at = 0;
	dat->end = sizes[1];
	return dat_decompress(dat, offset + sizeof(sizes), sizes[0], dat->section, sizes[1]);
}

/* Makes dat_take() take the section's contents from now on. */
static bool enter_section(struct dat *dat, uint64_t offset, uint16_t id)
{
	struct {
		uint16_t id, flags;
		uint32_t description;
		uint64_t size;
	} head;

	free(dat->section);
	dat->section = NULL;
	if (offset > dat->file_size || !dat_read_at(dat, offset, &head, sizeof(head)) || head.id != id)
		return false;
	offset += sizeof(head);
	if (head.size > dat->file_size - offset)
		return false;
	if (head.flags & SECTION_PACKED)
		return unpack_section(dat, offset, head.size);
	dat->at = offset;
	dat->end = offset + head.size;
	return true;
}

static char *take_string(struct dat *dat)
{
	char text[NAME_SIZE];

	for (size_t i = 0; i < sizeof(text); i++) {
		if (!dat_take(dat, &text[i], 1))
			return NULL;
		if (!text[i])
			return strdup(text);
	}
	return NULL;
}

static void leave_out(const struct dat *dat, const char *instance)
{
	fprintf(stderr, "%s: the trace of %s%s is left out\n", dat->file_name, *instance ? "instance " : "the top level",
		instance);
}

/* Reads a BUFFER option of `size` bytes. The top level's is used, or the first one if the top level has none. */
static bool take_buffer(struct dat *dat, struct table *table, uint32_t size)
{
	uint64_t end = dat->at + size, section;
	char *instance, *clock;

	if (!dat_take(dat, &section, sizeof(section)) || !(instance = take_string(dat)))
		return false;
	if (table->instance && (*instance || !*table->instance)) {
		leave_out(dat, instance);
		free(instance);
		return true;
	}
	if (table->instance)
		leave_out(dat, table->instance);
	free(table->instance);
	free(table->buffer);
	table->instance = instance;
	table->buffer = NULL;
	clock = take_string(dat);
	free(clock);
	if (!clock || dat->at > end)
		return false;
	table->buffer_size = (uint32_t)(end - dat->at);
	table->buffer = malloc(table->buffer_size + 1);
	return table->buffer && dat_take(dat, table->buffer, table->buffer_size);
}

static bool take_option(struct dat *dat, struct table *table, uint16_t id, uint32_t size)
{
	uint64_t next = dat->at + size;

	if (id == OPTION_BUFFER && !take_buffer(dat, table, size))
		return false;
	if (id >= HEADER_INFO && id < NR_SECTIONS && !dat_take(dat, &table->sections[id], 8))
		return false;
	dat->at = next;
	return true;
}

/* Reads the option section at offset, and all that follow in the chain. */
static bool read_options(struct dat *dat, struct table *table, uint64_t offset)
{
	for (unsigned n = 0; offset; n++) {
		uint16_t id;
		uint32_t size;

		if (n == OPTIONS_MAX || !enter_section(dat, offset, OPTIONS))
			return false;
		do {
			if (!dat_take(dat, &id, 2) || !dat_take(dat, &size, 4) || size > dat->end - dat->at)
				return false;
			if (id == OPTION_DONE ? size < 8 || !dat_take(dat, &offset, 8)
					      : !take_option(dat, table, id, size))
				return false;
		} while (id != OPTION_DONE);
	}
	return true;
}

/* Reads the number of chunks, which is stored before the chunks. trace-cmd's size does not include the number. */
static void place_cpu(struct dat *dat, unsigned number, uint64_t offset, uint64_t size)
{
	struct cpu *cpu = &dat->cpus[number];

	if (dat->packing != PACKED_NOT) {
		if (!size)
			return;
		if (!dat_read_at(dat, offset, &cpu->chunks, sizeof(cpu->chunks)))
			cpu->chunks = 0; /* the chunks are behind the end of the file */
		offset += sizeof(cpu->chunks);
	}
	dat_place_cpu(dat, number, offset, size);
}

/* Reads the places of the CPUs' pages. CPUs without pages are not listed. */
static const char *read_buffer(struct dat *dat, struct table *table)
{
	struct __attribute__((packed)) {
		uint32_t cpu;
		uint64_t offset, size;
	} place;
	uint32_t count, cpus = 0;
	const char *missing;
	uint64_t first;

	free(dat->section);
	dat->section = table->buffer;
	dat->at = 0;
	dat->end = table->buffer_size;
	table->buffer = NULL;
	if (!dat_take(dat, &dat->page_size, 4) || dat->page_size <= dat->data_offset || dat->page_size > PAGE_MAX)
		return "a sensible page size";
	if (!dat_take(dat, &count, 4))
		return "the number of CPUs";
	first = dat->at;
	for (uint32_t i = 0; i < count; i++) {
		if (!dat_take(dat, &place, sizeof(place)))
			return "the table of the CPUs' data";
		if (place.cpu >= cpus && place.cpu < UINT32_MAX)
			cpus = place.cpu + 1;
	}
	missing = dat_set_cpus(dat, cpus);
	if (missing)
		return missing;
	for (dat->at = first; dat_take(dat, &place, sizeof(place));) {
		if (place.cpu >= cpus)
			return "a sensible number of CPUs";
		place_cpu(dat, place.cpu, place.offset, place.size);
	}
	return NULL;
}

/* Reads an optional text. */
static char *read_text(struct dat *dat, uint64_t offset, uint16_t id, size_t size_bytes)
{
	if (!offset)
		return strdup("");
	return enter_section(dat, offset, id) ? dat_take_text(dat, size_bytes) : NULL;
}

static const char *read_sections(struct dat *dat, struct table *table, uint64_t options)
{
	uint64_t *sections = table->sections;
	const char *missing;

	if (!read_options(dat, table, options))
		return "a section of options";
	if (!table->instance || !table->buffer)
		return "a trace";
	if (!enter_section(dat, sections[HEADER_INFO], HEADER_INFO))
		return "header_page";
	missing = dat_take_headers(dat);
	if (missing)
		return missing;
	if (sections[FTRACE_EVENTS] && (!enter_section(dat, sections[FTRACE_EVENTS], FTRACE_EVENTS) || !dat_take_formats(dat, "ftrace")))
		return "the formats of ftrace's events";
	if (sections[EVENT_FORMATS] && (!enter_section(dat, sections[EVENT_FORMATS], EVENT_FORMATS) || !dat_take_systems(dat)))
		return "the formats of the events";
	if (!(dat->kallsyms = read_text(dat, sections[KALLSYMS], KALLSYMS, 4)))
		return "kallsyms";
	if (!(dat->printk = read_text(dat, sections[PRINTK], PRINTK, 4)))
		return "the formats of trace_printk";
	if (!(dat->cmdlines = read_text(dat, sections[CMDLINES], CMDLINES, 8)))
		return "the names of the tasks";
	return read_buffer(dat, table);
}

/* Reads the name of the compression, and the version of its library. */
static const char *take_packing(struct dat *dat)
{
	static const char *const names[] = { [PACKED_NOT] = "none", [PACKED_ZLIB] = "zlib", [PACKED_ZSTD] = "zstd" };
	char *name = take_string(dat), *version = name ? take_string(dat) : NULL;
	const char *missing = version ? "a compression that is known here: zstd, zlib or none" : "the name of its compression";

	for (unsigned i = 0; version && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			dat->packing = i;
			missing = NULL;
		}
	free(name);
	free(version);
	return missing;
}

const char *dat_read_v7(struct dat *dat)
{
	const char *missing = take_packing(dat);
	struct table table = { 0 };
	uint64_t options;

	if (!missing && (!dat_take(dat, &options, 8) || !options))
		missing = "a section of options";
	if (!missing)
		missing = read_sections(dat, &table, options);
	free(dat->section);
	dat->section = NULL;
	free(table.instance);
	free(table.buffer);
	return missing;
}
