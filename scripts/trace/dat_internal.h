/* Between the files that read trace.dat. */
#pragma once

#include "dat.h"

#define PAGE_MAX 65536
#define ID_MAX	 65536

#define DAT_TEXT_MAX (64u << 20) /* of one section */

struct symbol {
	uint64_t address;
	const char *name;
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
	unsigned offset, size; /* size 0: not there, or to the end */
	bool there;
};

/* What an event's format file tells. */
struct format {
	char name[64];
	enum event_kind kind;
	struct field ip, parent, depth, calltime, rettime, data;
};

struct cpu {
	uint64_t offset, size, at; /* in the file; the next page, or chunk of compressed pages, is at `at` */
	uint64_t page_offset;	   /* in the file, of what is in page, or of its chunk */
	uint8_t *chunk;		   /* pages, uncompressed; the next one is at chunk_at */
	size_t chunk_at, chunk_size, chunk_room;
	uint32_t chunks; /* how many are left */
	uint8_t *page;
	size_t pos, end; /* in the page's data */
	uint64_t ts, lost;
	struct event next;
	bool has_next;
};

enum packing { PACKED_NOT, PACKED_ZLIB, PACKED_ZSTD };

struct dat {
	int fd;
	const char *file_name;
	uint64_t file_size;
	uint64_t at, end; /* what is taken next, and where that ends: in the file, */
	uint8_t *section; /* or in this, if it is there */
	enum packing packing;
	unsigned damage, page_size, data_offset;
	unsigned nr_cpus;
	struct cpu *cpus;
	struct event given; /* what dat_next() gave; its data is a copy, as the page may be another one by now */
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
	char (*unknown)[24]; /* names of addresses without a symbol: nr_symbols on */
	unsigned nr_unknown;
};

/* printf() to standard error, counted. */
__attribute__((format(printf, 2, 3))) void dat_damaged(struct dat *dat, const char *fmt, ...);

/* dat_sections.c. Take what stands next; what is told to be missing is a text for people, NULL when all is there. */
bool dat_read_at(struct dat *dat, uint64_t offset, void *buf, size_t size);
bool dat_take(struct dat *dat, void *buf, size_t size);
/* This text with its NUL; when another one stands there, that stays. */
bool dat_take_tag(struct dat *dat, const char *tag);
/* A text with its size before it, in so many bytes: a string to be freed, NULL when it is not there. */
char *dat_take_text(struct dat *dat, size_t size_bytes);
const char *dat_take_headers(struct dat *dat); /* what is missing */
bool dat_take_formats(struct dat *dat);	       /* of ftrace's own events */
bool dat_take_systems(struct dat *dat);	       /* of the others */
/* So many CPUs, without pages until dat_place_cpu(): what is missing. */
const char *dat_set_cpus(struct dat *dat, uint32_t count);
void dat_place_cpu(struct dat *dat, unsigned cpu, uint64_t offset, uint64_t size);
/* All that stands behind the version, the byte order and the page size: what is missing. */
const char *dat_read_v6(struct dat *dat);
const char *dat_read_v7(struct dat *dat);
/* dat_v7.c: so many bytes of the file, compressed, become exactly `size` bytes. */
bool dat_decompress(struct dat *dat, uint64_t offset, size_t packed, void *to, size_t size);
/* dat_pages.c: the CPU's next event into cpu->next. */
void dat_advance(struct dat *dat, unsigned cpu);
/* dat_names.c */
void dat_read_names(struct dat *dat);
void dat_free_names(struct dat *dat);
/* dat_format.c: the text of a format file; false when it is none. */
bool dat_read_format(struct dat *dat, char *text);
