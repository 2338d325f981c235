/*
 * What osnoise and timerlat share: a thread for each CPU, the workload; its settings; and the
 * instances that its samples go to. Either tracer may be in several trace_arrays at once, but not
 * one in one and the other in another.
 */
#pragma once

#include "kernel/cpumask.h"
#include "kernel/time/ktime.h"
#include "trace/core/trace_array.h"

enum osnoise_option {
	OSN_DEFAULTS, /* no option: all others have their first value */
	OSN_WORKLOAD,
	OSN_PANIC_ON_STOP,
	OSN_PREEMPT_DISABLE,
	OSN_IRQ_DISABLE,
	OSN_OPTIONS
};

/*
 * The files of osnoise/. Read with READ_ONCE(). [N] number_file.c; [T] trace_types_lock to write.
 */
struct osnoise_settings {
	u64 period, runtime;                  /* [N] us */
	u64 stop_tracing, stop_tracing_total; /* [N] us; 0: never */
	u64 print_stack;                      /* [N] us; 0: never */
	u64 timerlat_period;                  /* [N] us */
	u32 options;                          /* [T] a bit for each enum osnoise_option */
	struct cpumask cpus;                  /* [T] */
};
extern struct osnoise_settings osnoise_settings;

static inline bool osnoise_option(enum osnoise_option option)
{
	return READ_ONCE(osnoise_settings.options) & BIT(option);
}

/* The workload of a tracer. Constant. */
struct workload {
	const char *name; /* of its threads, before the / */
	/* The function of a thread; data is its CPU. It has called workload_thread_begin(). */
	int (*main)(void *data);
	bool always; /* it runs without OSNOISE_WORKLOAD, too */
};

/*
 * Begin and end the workload for tr. The first begin starts the threads, and the last end stops
 * them. begin returns 0, also if tr has it already; -EBUSY: the other workload runs; or an errno. T
 * held, and end waits for the threads, so they must not take it.
 */
int workload_begin(const struct workload *workload, struct trace_array *tr);
void workload_end(struct trace_array *tr);
/* Stop the threads, if a workload runs, and start them with changed settings. T held. */
void workload_pause(void);
void workload_resume(void);

/* The thread says that it is the workload of its CPU, from now on, or no longer. */
void workload_thread_begin(unsigned cpu);
void workload_thread_end(unsigned cpu);
/* Sleeps until a time or until kthread_stop(). A kernel thread. */
void workload_sleep_until(ktime_t when);

/* Calls fn for each trace_array that has the workload. fn does not sleep. Any context. */
void workload_for_each_instance(void (*fn)(struct trace_array *tr, const void *arg),
				const void *arg);
/* Reports a latency, in ns, for tracing_max_latency. Any context. */
void workload_report_max(u64 latency);
/* Stops recording in the instances: a limit was exceeded. Any context but NMI. */
void workload_stop_tracing(void);
