/* The records beside the samples: what tasks do, and what becomes of the kernel's text. */
#pragma once

#include "trace/perf/internal.h"

enum perf_record_kind {
	PERF_RECORDS_TASK, /* FORK, EXIT */
	PERF_RECORDS_COMM,
	PERF_RECORDS_MMAP, /* executable areas */
	PERF_RECORDS_MMAP_DATA,
	PERF_RECORDS_NAMESPACES,
	PERF_RECORDS_KSYMBOL,
	PERF_RECORDS_TEXT_POKE,
	PERF_RECORDS_SWITCH,
	NR_PERF_RECORDS
};
/* How many events ask for a kind: read without a lock, where a record would be made. */
extern unsigned perf_record_users[NR_PERF_RECORDS];
static inline bool perf_records(enum perf_record_kind kind)
{
	return READ_ONCE(perf_record_users[kind]);
}
/* The kinds that a new event asks for, and may get. */
u16 perf_record_kinds(const struct perf_event *event);
/* Registers what the records of an original event need: 0 or -ENOMEM. Task context, no lock. */
int perf_records_begin(const struct perf_event *event);
void perf_records_end(const struct perf_event *event);
/* FORK, and NAMESPACES of a new task; EXIT of the current one. Task context. */
void perf_record_fork(const struct task_struct *child);
void perf_record_exit(void);
/* SWITCH, of both tasks. R held, interrupts off; the current task is prev. */
void perf_record_switch(const struct task_struct *prev, const struct task_struct *next);

/* ---- for the files that write such records ---- */

/*
 * sideband.c. Writes a record into the buffer of event: head, whose size is its own, then name,
 * padded with zeros to 8 bytes (NULL: none), then the ids, for task. As perf_output_begin().
 */
void perf_put_record(struct perf_event *event, const struct perf_event_header *head,
		     const char *name, const struct task_struct *task);
/* The same for the events of this CPU and of the current task that ask for that kind. */
void perf_record_all(enum perf_record_kind kind, const struct perf_event_header *head,
		     const char *name);

/* text_records.c: the probes of records of the kernel's text. */
extern struct perf_tap perf_ksymbol_tap, perf_text_poke_tap;
