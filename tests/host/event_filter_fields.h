/* What the compiler of event filters calls: the names of tasks and of functions. */
#pragma once

#include "event_record.h"
#include "host_kmalloc.h"
#include "kernel/kallsyms.h"
#include "trace/filter/filter.h"
#include "trace/filter/program.h"

unsigned nr_cpu_ids = 70;

static const char *host_comm = "cat";
const char *current_comm(void)
{
	return host_comm;
}

/* One function: schedule, at 0x1000, 0x34 bytes long. */
#define SCHEDULE      0x1000UL
#define SCHEDULE_SIZE 0x34UL

unsigned long kallsyms_lookup_name(const char *name)
{
	return strcmp(name, "schedule") == 0 ? SCHEDULE : 0;
}

const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN])
{
	if (address < SCHEDULE || address >= SCHEDULE + SCHEDULE_SIZE)
		return NULL;
	*size = SCHEDULE_SIZE;
	*offset = address - SCHEDULE;
	return strcpy(namebuf, "schedule");
}

void __noreturn report_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}
