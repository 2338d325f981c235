/*
 * pstore: what the last boot has left in memory, as files in /sys/fs/pstore (Linux:
 * Documentation/admin-guide/ramoops.rst, Documentation/ABI/testing/pstore).
 *
 *	zone.c		a zone of memory that survives a reboot
 *	ramoops.c	the parameters; divides the memory into zones; reads the last boot's
 *	dmesg.c		writes the end of the log into a zone at an oops or a panic
 *	console.c	writes what the console prints
 *	pmsg.c		writes what programs write to /dev/pmsg0
 *	ftrace.c	reads the calls that trace/tracers/pstore.c has recorded
 *	super.c		the file system
 */
#pragma once

#include "fs/pstore/ftrace.h"
#include "fs/pstore/zone.h"
#include "kernel/printk/kmsg_dump.h"

struct seq_file;

/* A file: a text of the last boot, or its calls. Owned by its inode. */
struct pstore_record {
	const char *type; /* "dmesg" */
	unsigned id;
	u64 time; /* ns since 1970, of the file */
	char *text;
	size_t size;
	struct pstore_ftrace_record *calls; /* instead of text */
	unsigned nr_calls, nr_damaged;      /* of calls */
};

/* ---- ramoops.c ---- */

/* The zones. They are there if ramoops_ready, which is constant after early_initcall. */
extern bool ramoops_ready;
extern enum kmsg_dump_reason ramoops_max_reason;
extern unsigned ramoops_nr_dumps;
extern struct persistent_ram_zone *ramoops_dumps; /* [ramoops_nr_dumps] */
/* Their size is 0 if the command line asks for none. */
extern struct persistent_ram_zone ramoops_console, ramoops_pmsg;

/*
 * Returns the next record of the last boot, a new object with its contents, or NULL: no more. *at
 * is 0 at the first call. Task context, boot.
 */
struct pstore_record *ramoops_next_record(unsigned *at);
/* Frees a record. Task context. */
void pstore_record_free(struct pstore_record *record);

/* ---- dmesg.c ---- */

#define PSTORE_KMSG_BYTES 10240    /* default: CONFIG_PSTORE_DEFAULT_KMSG_BYTES of Linux 6.1 */
extern unsigned pstore_kmsg_bytes; /* the mount option: the most that a dump holds [A] */

int pstore_dmesg_init(void); /* begins to dump. 0 or -ENOMEM. Early boot */
/*
 * Returns where the text of a dump begins, behind the line with its time, which goes to *time. 0:
 * this is no dump. Any context.
 */
size_t pstore_dmesg_header(const char *dump, size_t size, u64 *time);
/* Frees the zone of a dump of the last boot, unless this boot has used it. Task context. */
void pstore_dmesg_erase(unsigned id);

/* ---- console.c, pmsg.c ---- */

void pstore_console_init(void); /* begins, with the messages that there are already. Early boot */

/* ---- ftrace.c ---- */

/* Divides size bytes at area into rings of the CPUs, reads and empties them. Early boot. */
int pstore_ftrace_init(void *area, size_t size);
/* Fills in the calls of the last boot. False: there are none. Task context. */
bool pstore_ftrace_take(struct pstore_record *record);
/* The calls as text. */
int pstore_ftrace_show(struct seq_file *m, const struct pstore_record *record, unsigned index);
