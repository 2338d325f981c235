/* The entries of hwlat, osnoise and timerlat, in Linux's binary layout. */
#pragma once

#include "trace/core/entries.h"

/* common_type. */
#define TRACE_HWLAT    15
#define TRACE_OSNOISE  16
#define TRACE_TIMERLAT 17

/* A gap that hwlat has found. Times are in us, but for nmi_total_ts and the time of day. */
struct hwlat_entry {
	struct trace_entry ent;
	u64 duration;       /* the longest gap between two reads in one round of the loop */
	u64 outer_duration; /* the longest gap between two rounds */
	u64 nmi_total_ts;   /* ns that NMIs took in this time */
	s64 tv_sec;         /* the time of day of the first gap */
	long tv_nsec;
	u32 nmi_count;
	u32 seqnum;
	u32 count; /* of gaps */
};

/* What osnoise has found in one period. Times are in us. */
struct osnoise_entry {
	struct trace_entry ent;
	u64 noise;
	u64 runtime;
	u64 max_sample;
	u32 hw_count, nmi_count, irq_count, softirq_count, thread_count;
};

enum timerlat_context { TIMERLAT_IRQ, TIMERLAT_THREAD };

/* How late timerlat's interrupt or thread was. */
struct timerlat_entry {
	struct trace_entry ent;
	u32 seqnum;
	s32 context;       /* enum timerlat_context */
	u64 timer_latency; /* ns */
};
