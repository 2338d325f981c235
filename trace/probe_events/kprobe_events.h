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
	bool registered;    /* [E] not: the module is not loaded */
	char *symbol;       /* "[MODULE:]SYMBOL", or NULL: addr was given */
	unsigned offset;    /* from the symbol */
	unsigned long addr; /* constant while hits can happen */
	struct kprobe_event_hits *hits;
}; /* no letter: constant */

extern const struct dyn_event_operations *const kprobe_event_ops;

/*
 * Creates an event. 0, -ECANCELED: the line is not of a kprobe, or another errno, for which
 * error_log has the reason. dyn_event_mutex held, E not.
 */
int kprobe_event_create(const char *line);
/* Prints a line of kprobe_profile: the name, the hits, the hits without a record. E held. */
void kprobe_event_show_profile(struct seq_file *m, struct dyn_event *dyn);
