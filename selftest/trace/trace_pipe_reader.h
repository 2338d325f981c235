/*
 * For the self-tests of trace_pipe and trace_pipe_raw: they run on CPU 0, write their events there,
 * and have a task that reads or polls a file once. Task context.
 */
#pragma once

#include "kernel/sched/sched.h"
#include "trace/core/trace_array.h"

#define PIPE     "/sys/kernel/tracing/trace_pipe"
#define CPU_PIPE "/sys/kernel/tracing/per_cpu/cpu0/trace_pipe"
#define RAW      "/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw"
#define PAGES    8U /* of CPU 0's buffer */

/*
 * Sets: an empty buffer of PAGES sub-buffers, recording on, this task bound to CPU 0. percent is
 * for buffer_percent. False: an error.
 */
bool trace_pipe_begin(unsigned percent);
void trace_pipe_end(void);
void trace_pipe_set_on(bool on);

struct reader {
	struct task_struct *task;
	const char *path;
	char *buf;
	long result;
	bool done;
};

/* Starts the reader, and waits until it sleeps. False: memory is short. */
bool start_reader(struct reader *r, const char *path);
/* Waits until the reader ends. Returns the result of its read. The caller frees the page. */
long join_reader(struct reader *r);
/* The reader sets its state first. It sleeps when it has left its run queue and its CPU. */
bool is_asleep(struct reader *r);
/*
 * Returns true if the reader sleeps without a single wakeup for a time. An event of before may have
 * woken it: it sleeps again first.
 */
bool stays_asleep(struct reader *r);
