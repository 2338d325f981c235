/* What the two files of the PMU `tracepoint` share. tracepoint.c explains it. */
#pragma once

#include "trace/events/event.h"
#include "trace/perf/internal.h"

struct perf_tp {
	struct trace_event_file file; /* what the recorder hits. In no list */
	struct list_head list;        /* [E] in perf_tps */
	/* Constant. */
	bool has_counter, has_recorder;
	bool of_user;   /* as in Linux: a probe of a program, and an event of one system call */
	u16 ip_offset;  /* of the address in the record of a probe; 0: there is none */
	unsigned users; /* [E] perf events */
	unsigned counters, recorders; /* [E] perf events that use the way; 0: it is not attached */
	struct list_head programs;    /* [E] to write, RCU to read: perf_program.node */
	bool is_probe;        /* constant: programs run at hits, with registers, not with records */
	unsigned nr_programs; /* [E] */
	unsigned nr_readers;  /* [E] programs that read the record */
	unsigned plain;       /* [E] to write: perf events that need no record */
	struct rcu_head rcu;
};

enum perf_program_kind perf_tp_program_kind(const struct perf_event *event);

/* The counter: a probe of any tracepoint, with a perf_tp as its data. tracepoint_hit.c */
void perf_count_hit(void *tp);
/* Also asked by code that holds E, instead of RCU. */
static inline bool perf_needs_record(struct perf_event *event)
{
	return READ_ONCE(perf_original(event)->needs_record);
}
