/* What a sample does beside its record: wakes readers, sends signals, turns its event off. */
#pragma once

#include "kernel/types.h"

struct irq_work;
struct perf_buffer;
struct perf_event;
struct perf_sample_data;

/* Wakes readers of a buffer, if one waits. Any context, preemption off. wakeup.c */
void perf_buffer_wake(struct perf_buffer *buffer);
void perf_buffer_wake_func(struct irq_work *work);

/* ---- alert.c ---- */

/* A sample of an event with PERF_AFTER_ALERT. Any context, preemption off. */
void perf_alert(struct perf_event *event, const struct perf_sample_data *data);
/* From now on the samples of an original and its children call perf_alert(). M held. */
void perf_alert_begin(struct perf_event *event);
/*
 * PERF_EVENT_IOC_REFRESH: turns an original without children on for n more samples; 0: for as many
 * as before. M held.
 */
void perf_refresh(struct perf_event *event, int n);
/* The event is turned on or off otherwise: a limit that is used up no longer counts. M held. */
void perf_forget_limit(struct perf_event *event);
