/* Samples: sample.c writes the record, callchain.c collects its call chain. */
#pragma once

#include "trace/perf/internal.h"

/* Sets what is constant of the event's samples. */
void perf_sample_init(struct perf_event *event);
/* Memory for call chains, from the first event that needs it to the last. 0 or -ENOMEM. No lock. */
int perf_callchain_users(int n);
/*
 * The chain of a hit, which belongs to this level of this CPU until the sample is written, and its
 * length. user: perf_shows_user(). NULL and 0: there is none. Preemption off.
 */
const u64 *perf_callchain(const struct perf_event *event, const struct perf_sample_data *data,
			  unsigned level, bool user, unsigned *nr);
/* The registers with which the program has entered the kernel. Only if perf_shows_user(). */
const struct pt_regs *perf_user_regs(const struct perf_sample_data *data);
/* Whether a sample of event may tell registers, addresses and frames of the kernel. */
static __always_inline bool perf_shows_kernel(const struct perf_event *event,
					      const struct perf_sample_data *data)
{
	return event->shows & data->mode & PERF_MODE_KERNEL;
}
/*
 * Whether the memory and registers of the program of data->task can be read now: it is current, a
 * program that does not end, and its page tables are loaded. Interrupts off; not in an NMI.
 */
bool perf_shows_user(const struct perf_sample_data *data);
/* What follows a sample of an event with perf_event.after: overflow.c. Interrupts off. */
void perf_after_sample(struct perf_event *event, const struct perf_sample_data *data);
