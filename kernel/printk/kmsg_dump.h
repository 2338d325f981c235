/*
 * Dumpers: code that saves the end of the kernel's log when the machine is about to stop. The names
 * are those of Linux (include/linux/kmsg_dump.h).
 */
#pragma once

#include "kernel/types.h"

/* Why the log is dumped. The numbers are those of ramoops.max_reason. */
enum kmsg_dump_reason {
	KMSG_DUMP_UNDEF, /* as a max_reason: the default of kmsg_dump() */
	KMSG_DUMP_PANIC,
	KMSG_DUMP_OOPS,
	KMSG_DUMP_EMERG,    /* a restart without waiting: sysrq b */
	KMSG_DUMP_SHUTDOWN, /* reboot(2) */
	KMSG_DUMP_MAX = KMSG_DUMP_SHUTDOWN,
};

/* Legend: [C] constant after kmsg_dump_register(). */
struct kmsg_dumper {
	/*
	 * Saves the log. Any context, also while another CPU is inside: it may only try locks. It
	 * may fault, which nests. The report that led to it is in the log.
	 */
	void (*dump)(struct kmsg_dumper *dumper, enum kmsg_dump_reason reason); /* [C] */
	/* [C] Called for reasons up to this one. UNDEF: oops and panic; all with
	 * printk.always_kmsg_dump. */
	enum kmsg_dump_reason max_reason;
	struct kmsg_dumper *next; /* [C] */
};

/* Adds a dumper for ever. Any context. */
void kmsg_dump_register(struct kmsg_dumper *dumper);
/* Calls the dumpers that want the reason. Any context. */
void kmsg_dump(enum kmsg_dump_reason reason);
/* Returns the name of a reason in a dump's first line: "Panic". */
const char *kmsg_dump_reason_str(enum kmsg_dump_reason reason);
/*
 * Fills buf with the last lines of the log that have room, each as kmsg_read_line() returns it.
 * line has room for KMSG_LINE_MAX bytes. Returns the number of bytes. Any context.
 */
size_t kmsg_dump_get_buffer(char *buf, size_t size, char *line);
