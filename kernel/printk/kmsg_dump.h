/*
 * Dumpers: code that saves the end of the kernel's log when the machine is about to stop. The names
 * are those of Linux (include/linux/kmsg_dump.h).
 */
#pragma once

#include "kernel/linker_table.h"

/* Why the log is dumped. The numbers are those of ramoops.max_reason. */
enum kmsg_dump_reason {
	KMSG_DUMP_UNDEF, /* as the largest reason of a dumper: its default */
	KMSG_DUMP_PANIC,
	KMSG_DUMP_OOPS,
	KMSG_DUMP_EMERG,    /* a restart without waiting: sysrq b */
	KMSG_DUMP_SHUTDOWN, /* reboot(2) */
	KMSG_DUMP_MAX = KMSG_DUMP_SHUTDOWN,
};

/*
 * Saves the log. Any context from the start of the boot on, also while another CPU is inside: it
 * may only try locks. It may fault, which nests. The report that led to it is in the log.
 */
typedef void (*kmsg_dumper_t)(enum kmsg_dump_reason reason);
/* Adds a dumper: KMSG_DUMPER(pstore_dump); */
#define KMSG_DUMPER(fn)                                                                            \
	static const kmsg_dumper_t kmsg_dumper_##fn LINKER_TABLE_ENTRY(rodata, kmsg_dumpers, "") = \
		fn

/* Calls all dumpers. Any context. kernel/panic.c */
void kmsg_dump(enum kmsg_dump_reason reason);
