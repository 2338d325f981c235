/*
 * Instances whose buffer survives a reboot (Linux 6.12: Documentation/trace/debugging.rst,
 * "Persistent Buffers across reboots"). docs/persistent-trace.md is the user's page.
 *
 * The trace of the last boot and that of this boot never mix: it is cleared when tracing starts in
 * the instance.
 */
#pragma once

#include "kernel/linker_table.h"
#include "trace/ring_buffer/ring_buffer.h"

struct trace_array;

/* Constant, but for last_boot. Never freed, as the instance cannot be removed. */
struct trace_persistent {
	/* Makes the buffer of an instance in the area. NULL: no memory, or too small. */
	struct trace_buffer *(*alloc)(struct trace_persistent *persistent);
	void *area;
	size_t size; /* bytes */
	/*
	 * [A] The buffer holds the trace of the last boot, and no newer entry. Cleared by
	 * tracing_reset_cpu().
	 */
	bool last_boot;
	struct ring_buffer_recovery found;
};

/*
 * The memory that trace_instance=NAME@WHERE names on the command line. WHERE is the name of a
 * reserved area, or "START:SIZE". trace/core/persistent.c makes the only entry of this linker
 * table; without it no instance has its own memory.
 */
struct trace_areas {
	/* Asks for the memory of "START:SIZE". 0 or an errno. While the command line is parsed. */
	int (*reserve)(const char *where);
	/*
	 * Creates instances/NAME with its buffer there, and reports what the last boot has left. 0
	 * or an errno. Boot, task context.
	 */
	int (*create)(const char *name, const char *where, struct trace_array **tr);
	/*
	 * The same in a copy of that memory, which the next boot does not find: keeps the trace of
	 * the last boot while the area holds that of this one. Before create() uses the area.
	 */
	int (*create_copy)(const char *name, const char *where, struct trace_array **tr);
};
#define TRACE_AREAS                                                                                \
	static const struct trace_areas areas LINKER_TABLE_ENTRY(rodata, trace_areas, "")
