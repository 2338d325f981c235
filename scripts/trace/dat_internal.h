/* The interface between the files that read trace.dat. */
#pragma once

#include "dat.h"

#define PAGE_MAX (512 * 1024) /* the largest sub-buffer of Linux */
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

/* Where the value of a field is: in the field, or at an offset that the field gives, from the record or from the field. */
enum place { PLACE_HERE, PLACE_DYNAMIC, PLACE_RELATIVE };

/* A field, as the format file describes it. */
struct event_field {
	char name[64];
	unsigned offset, size; /* size 0 of an array: up to the end of the record */
	unsigned element;      /* bytes of an element of an array; 0: it is no number */
	bool is_signed, is_array;
	enum place place;
};

/* The contents of an event's format file. */
struct format {
	char name[64], system[64];
	enum event_kind kind;
	struct field ip, parent, depth, calltime, rettime, retval, data;
	struct event_field *fields;
	unsigned nr_fields;
	struct print_fmt *print; /* NULL: it cannot be understood */
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
bool dat_take_formats(struct dat *dat, const char *system); /* ftrace's own events */
bool dat_take_systems(struct dat *dat);			    /* the other event systems */
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
/* dat_format.c: parses the text of a format file of this system. False if it is not valid. */
bool dat_read_format(struct dat *dat, const char *system, char *text);
void dat_free_format(struct format *format);
/*
 * dat_names.c: an address as the kernel prints it: form 's' "name", 'S' "name+0x1/0x20", 'B' the same for a return address;
 * "0x1234" if it has no symbol.
 */
#define DAT_SYMBOL_TEXT 256
void dat_symbol_text(const struct dat *dat, uint64_t address, char form, char text[DAT_SYMBOL_TEXT]);
/* dat_names.c: the address of the function or label of this name. False: the trace has no such symbol. */
bool dat_symbol_address(const struct dat *dat, const char *name, uint64_t *address);
/* dat_names.c: a string constant of the kernel (printk_formats); NULL: the trace does not have it. */
const char *dat_string_at(const struct dat *dat, uint64_t address);
/* dat_other.c: the text of an EVENT_OTHER. */
void dat_print_other(struct dat *dat, const struct event *event, char *buf, size_t size);
