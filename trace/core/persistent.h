/*
 * Instances whose buffer survives a reboot (Linux 6.12: Documentation/trace/debugging.rst,
 * "Persistent Buffers across reboots"). docs/persistent-trace.md is the user's page.
 *
 * The trace of the last boot and that of this boot never mix: it is cleared when tracing starts in
 * the instance.
 */
#pragma once

#include "kernel/types.h"
#include "trace/ring_buffer/ring_buffer.h"

struct trace_array;

/* Constant, but for last_boot. Never freed, as the instance cannot be removed. */
struct trace_persistent {
	void *area;
	size_t size; /* bytes */
	/*
	 * [A] The buffer holds the trace of the last boot, and no newer entry. Cleared by
	 * tracing_reset_cpu().
	 */
	bool last_boot;
	struct ring_buffer_recovery found;
};

/* Makes the buffer of an instance in its area. NULL: no memory, or too small. Task context. */
struct trace_buffer *trace_persistent_alloc(struct trace_persistent *persistent);
/* Creates last_boot_info in the instance's directory. 0 or -ENOMEM. T held. */
int trace_persistent_create_files(struct trace_array *tr);
/*
 * Creates instances/NAME with its buffer in the area of physical memory, and reports what the last
 * boot has left there. 0 or an errno. Boot.
 */
int trace_instance_create_in(const char *name, phys_addr_t start, size_t size,
			     struct trace_array **tr);
