/* The interface between the files that read trace.dat. */
#pragma once

#include "dat.h"

#define PAGE_MAX 65536
#define ID_MAX	 65536

#define DAT_TEXT_MAX (64u << 20) /* size limit of one section */

struct symbol {
	uint64_t address;
	const char *name;
	const char *module; /* "[NAME]", or "" */
};

struct comm {
	int pid;
	char name[16];
};

struct print_format {
	uint64_t address;
	char *text;
};

struct field {
	unsigned offset, size; /* size 0: missing, or up to the end of the record */
	bool there;
};

/* The contents of an event's format file. */
struct format {
	char name[64];
	enum event_kind kind;
	struct field ip, parent, depth, calltime, rettime, data;
};

struct cpu {
	uint64_t offset, size, at; /* in the file; `at` is the next page, or the next chunk of compressed pages */
	uint64_t page_offset;	   /* in the file: the offset of the current page, or of its chunk */
	uint8_t *chunk;		   /* uncompressed pages; the next one is at chunk_at */
	size_t chunk_at, chunk_size, chunk_room;
	uint32_t chunks; /* number of chunks not yet read */
	uint8_t *page;
	size_t pos, end; /* offsets in the page's data */
	uint64_t ts, lost;
	struct event next;
	bool has_next;
};

enum packing { PACKED_NOT, PACKED_ZLIB, PACKED_ZSTD };

struct dat {
	int fd;
	const char *file_name;
	uint64_t file_size;
	uint64_t at, end; /* the next byte to take, and the end: in the file, */
	uint8_t *section; /* or in this section, if not NULL */
	enum packing packing;
	unsigned damage, page_size, data_offset;
	unsigned nr_cpus;
	struct cpu *cpus;
	struct event given; /* the event that dat_next() has returned; its data is a copy, because the page may be gone */
	uint8_t given_data[PAGE_MAX];
	struct format **formats; /* by ID */
	char *kallsyms, *cmdlines, *printk;
	struct symbol *symbols;
	unsigned nr_symbols;
	struct comm *comms;
	unsigned nr_comms;
	struct print_format *prints;
	unsigned nr_prints;
	struct {
		uint64_t ip;
		unsigned symbol;
	} cache[16384];
	char (*unknown)[24]; /* names of addresses without a symbol; their numbers begin at nr_symbols */
	unsigned nr_unknown;
};

/* Prints a message about damage to standard error, and counts it. */
__attribute__((format(printf, 2, 3))) void dat_damaged(struct dat *dat, const char *fmt, ...);

/*
 * dat_sections.c. The dat_take functions take the next data. A `const char *` result names the missing part, for an error
 * message; NULL: success.
 */
bool dat_read_at(struct dat *dat, uint64_t offset, void *buf, size_t size);
bool dat_take(struct dat *dat, void *buf, size_t size);
/* Takes this text with its NUL. False, and nothing is taken, if other data is next. */
bool dat_take_tag(struct dat *dat, const char *tag);
/* Takes a text after its size, which has size_bytes bytes. The caller frees the string. NULL: missing. */
char *dat_take_text(struct dat *dat, size_t size_bytes);
const char *dat_take_headers(struct dat *dat);
bool dat_take_formats(struct dat *dat);	       /* ftrace's own events */
bool dat_take_systems(struct dat *dat);	       /* the other event systems */
/* Allocates `count` CPUs. They have no pages until dat_place_cpu(). */
const char *dat_set_cpus(struct dat *dat, uint32_t count);
void dat_place_cpu(struct dat *dat, unsigned cpu, uint64_t offset, uint64_t size);
/* Read everything after the version, the byte order and the page size. */
const char *dat_read_v6(struct dat *dat);
const char *dat_read_v7(struct dat *dat);
/* dat_v7.c: decompresses `packed` bytes of the file to exactly `size` bytes. */
bool dat_decompress(struct dat *dat, uint64_t offset, size_t packed, void *to, size_t size);
/* dat_pages.c: stores the CPU's next event in cpu->next. */
void dat_advance(struct dat *dat, unsigned cpu);
/* dat_names.c */
void dat_read_names(struct dat *dat);
void dat_free_names(struct dat *dat);
/* dat_format.c: parses the text of a format file. False if it is not valid. */
bool dat_read_format(struct dat *dat, char *text);
