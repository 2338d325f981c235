/* The PMU `software`: what its two files and the switch hook share. */
#pragma once

#include "trace/perf/internal.h"

/* ---- software.c, for the switch hook. R held, interrupts off; the current task is prev ---- */

/* Hits of context-switches, and of cpu-migrations of next and this CPU. frame: __schedule()'s. */
void perf_software_switch(struct task_struct *prev, struct task_struct *next, unsigned long *frame);

/* ---- clock.c: cpu-clock and task-clock, for software.c ---- */

/* struct pmu */
int perf_clock_init(struct perf_event *event);
void perf_clock_destroy(struct perf_event *event);
void perf_clock_start(struct perf_event *event);
void perf_clock_stop(struct perf_event *event);
void perf_clock_set_period(struct perf_event *event);
