/* Checks of struct perf_event_attr. attr.c needs nothing of the kernel. */
#pragma once

#include "trace/perf/perf_event.h"

/* What needs no other object: the first checks of perf_event_open(2). 0 or -EINVAL. */
int perf_check_attr(const struct perf_event_attr *attr);
/* The sampling rate. max_rate: perf_event_max_sample_rate. 0 or -EINVAL. */
int perf_check_period(const struct perf_event_attr *attr, u64 max_rate);
