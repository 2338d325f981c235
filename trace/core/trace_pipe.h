/* What the files of trace_pipe.c and trace_pipe_raw.c share. */
#pragma once

#include "fs/file/poll.h"
#include "trace/core/trace_array.h"

/*
 * poll(2) for a CPU's buffer, or all of them with RING_BUFFER_ALL_CPUS: asks for a wake-up when the
 * buffer is buffer_percent full. Returns POLLIN | POLLRDNORM if it is so now, or 0. Task context.
 */
unsigned trace_pipe_poll(struct trace_array *tr, int cpu, struct file *file,
			 struct poll_table_struct *table);
