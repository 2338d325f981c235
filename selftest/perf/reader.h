/* For self-tests: an event of perf with a buffer, and its records, as a program reads them. */
#pragma once

#include "kernel/vm/mm.h"
#include "trace/perf/perf_event.h"

struct perf_reader {
	struct mm_struct *mm; /* an address space for the arguments and the buffer */
	long fd;
	unsigned long args; /* address of a page for arguments */
	unsigned long user; /* address of the buffer's first page; the data follows */
	unsigned long size; /* of the data */
	u64 tail;
};

/*
 * Opens an event of the current task, or of a CPU (cpu >= 0), with a buffer of that many pages of
 * data. perf_reader_end() follows in any case. False: that did not work.
 */
bool perf_reader_begin(struct perf_reader *r, const struct perf_event_attr *attr, int cpu,
		       unsigned long pages);
/*
 * Takes the next record out of the buffer, and copies it, or of a longer one the first room bytes.
 * Returns its size, or 0: there is none.
 */
u16 perf_reader_next(struct perf_reader *r, void *record, size_t room);
/* read(2) of n words into values. */
bool perf_reader_counts(struct perf_reader *r, u64 *values, unsigned n);
/* Returns 0, or the error of close(2). */
long perf_reader_end(struct perf_reader *r);
