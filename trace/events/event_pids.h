/* The tasks whose events are recorded: set_event_pid and set_event_notrace_pid (event_pids.c). */
#pragma once

#include "trace/core/pid_filter.h"
#include "trace/events/event.h"

/* Both lists of a trace_array, and what follows from them. */
struct event_pids {
	struct pid_filter filter;
	bool probes;   /* [E] the probes that keep ignore[] up to date are registered */
	bool ignore[]; /* [A] for each CPU: its events are not recorded now */
};

/* Allocates the lists of tr: 0 or -ENOMEM. E held. */
int event_pids_create(struct trace_array *tr);
/* Empties the lists of tr and removes the probes. E held. */
void event_pids_detach(struct trace_array *tr);
/* Frees the lists, which may be NULL. Task context. */
void event_pids_free(struct event_pids *pids);

/* Whether the event must not be recorded now. Any context, preemption off. */
static inline bool event_pid_ignored(const struct trace_event_file *file)
{
	return READ_ONCE(trace_events_of(file->tr)->pids->ignore[smp_processor_id()]);
}
