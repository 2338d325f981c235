/* Watchpoint events: what the files of trace/wprobe share. */
#pragma once

#include "trace/probe_events/trace_probe.h"
#include "trace/wprobe/watch.h"

/* An event of this kind whose name is `name`, or NULL. E held. */
struct trace_wprobe *find_wprobe(const char *name);

struct trace_wprobe {
	struct trace_probe probe;
	char *place;           /* as the command has it: "w@SYMBOL+8:4" */
	unsigned long address; /* what it means; WATCH_NOTHING: a trigger will say */
	struct watch watch;    /* begun while the event is enabled */
	unsigned triggers;     /* [E] that set or clear watch: they keep the probe */
};                             /* no letter: constant */
