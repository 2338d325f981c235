/* Between the files that read trace.dat. */
#pragma once

#include "dat.h"

#define PAGE_MAX 65536
#define ID_MAX	 65536

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
	uint64_t offset, size, at; /* in the file; the next page is at `at` */
	uint8_t *page;
	size_t pos, end; /* in the page's data */
	uint64_t ts, lost;
	struct event next;
	bool has_next;
};

struct dat {
	int fd;
	const char *file_name;
	uint64_t file_size, at;
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
/* dat_names.c */
void dat_read_names(struct dat *dat);
void dat_free_names(struct dat *dat);
/* dat_format.c: the text of a format file; false when it is none. */
bool dat_read_format(struct dat *dat, char *text);
