/*
 * The calls that pstore's function tracer records (trace/tracers/pstore.c) in ramoops' memory. Each
 * CPU has a ring of records. A record has a sum of its own, so that a writer has no header to keep,
 * and the next boot believes each record by itself.
 */
#pragma once

#include "kernel/compiler.h"

struct pstore_ftrace_record {
	u64 ip, parent_ip;
	u64 ts; /* trace_clock_local() */
	u32 cpu;
	u32 sum; /* 0: empty, or being written */
};

/* Returns the sum that belongs to the other fields; never 0. Any context. */
static __always_inline u32 pstore_ftrace_sum(const struct pstore_ftrace_record *record)
{
	u64 sum = (record->ip ^ record->cpu) * 0x9e3779b97f4a7c15UL;

	sum = ((sum << 23 | sum >> 41) ^ record->parent_ip) * 0x9e3779b97f4a7c15UL;
	sum = ((sum << 23 | sum >> 41) ^ record->ts) * 0x9e3779b97f4a7c15UL;
	return (u32)(sum >> 32 ^ sum) | 1;
}

/*
 * Returns the ring of a CPU, of *count records, all empty; NULL: the command line asks for none.
 * Any context after early_initcall.
 */
struct pstore_ftrace_record *pstore_ftrace_ring(unsigned cpu, unsigned *count);
