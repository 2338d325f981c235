/* Events of kprobes: what the files of trace/probe_events share. */
#pragma once

#include "trace/kprobes/kprobes.h"
#include "trace/probe_events/trace_probe.h"

/* Hits on one CPU. */
struct kprobe_event_hits {
	u64 count; /* only its CPU writes, with preemption off */
} __cacheline_aligned;

struct trace_kprobe {
	struct trace_probe probe;
	struct kretprobe rp; /* of a p event: only rp.kp */
	bool is_return;
	bool registered;      /* [E] not: the module has not been there since */
	bool keeps_registers; /* [E] all of them, at each hit */
	char *symbol;         /* "[MODULE:]SYMBOL", or NULL: addr was given */
	unsigned offset;      /* from the symbol */
	unsigned long addr;   /* constant while hits can happen */
	struct kprobe_event_hits *hits;
}; /* no letter: constant */

extern const struct dyn_event_file kprobe_event_file;
extern const struct dyn_event_file kprobe_profile_file; /* name, hits, hits without a record */
