/*
 * Options of a trace_array: bits of trace_flags, lines of trace_options and files in options/.
 * Documentation/trace/ftrace.rst, "trace_options". Options of one tracer are in tracer.h.
 */
#pragma once

#include "trace/core/trace_array.h"

/* The options in the order of trace_options. TRACE_FLAGS_OF_ROOMS are options of other rooms. */
#define TRACE_FLAGS                                                                                \
	C(PRINT_PARENT, "print-parent")                                                            \
	C(SYM_OFFSET, "sym-offset")                                                                \
	C(SYM_ADDR, "sym-addr")                                                                    \
	C(VERBOSE, "verbose")                                                                      \
	C(RAW, "raw")                                                                              \
	C(HEX, "hex")                                                                              \
	C(BIN, "bin")                                                                              \
	C(BLOCK, "block")                                                                          \
	C(FIELDS, "fields")                                                                        \
	C(PRINTK, "trace_printk")                                                                  \
	C(ANNOTATE, "annotate")                                                                    \
	C(USERSTACKTRACE, "userstacktrace")                                                        \
	C(SYM_USEROBJ, "sym-userobj")                                                              \
	C(PRINTK_MSGONLY, "printk-msg-only")                                                       \
	C(CONTEXT_INFO, "context-info")                                                            \
	C(LATENCY_FMT, "latency-format")                                                           \
	C(RECORD_CMD, "record-cmd")                                                                \
	C(RECORD_TGID, "record-tgid")                                                              \
	C(OVERWRITE, "overwrite")                                                                  \
	C(STOP_ON_FREE, "disable_on_free")                                                         \
	C(IRQ_INFO, "irq-info")                                                                    \
	C(MARKERS, "markers")                                                                      \
	C(EVENT_FORK, "event-fork")                                                                \
	C(TRACE_PRINTK, "trace_printk_dest")                                                       \
	C(COPY_MARKER, "copy_trace_marker")                                                        \
	C(PAUSE_ON_TRACE, "pause-on-trace")                                                        \
	C(HASH_PTR, "hash-ptr")                                                                    \
	C(BITMASK_LIST, "bitmask-list")                                                            \
	C(FUNCTION, "function-trace")                                                              \
	C(FUNC_FORK, "function-fork")                                                              \
	C(DISPLAY_GRAPH, "display-graph")                                                          \
	C(STACKTRACE, "stacktrace")

#define C(name, text) TRACE_ITER_##name##_BIT,
enum trace_iterator_bits { TRACE_FLAGS TRACE_ITER_LAST_BIT };
#undef C
#define C(name, text) TRACE_ITER_##name = 1 << TRACE_ITER_##name##_BIT,
enum trace_iterator_flags { TRACE_FLAGS };
#undef C

/* Options that do not exist until a room has registered them (struct trace_flag). */
#define TRACE_FLAGS_OF_ROOMS                                                                       \
	(TRACE_ITER_EVENT_FORK | TRACE_ITER_FUNC_FORK | TRACE_ITER_FUNCTION |                      \
	 TRACE_ITER_DISPLAY_GRAPH | TRACE_ITER_FIELDS | TRACE_ITER_BITMASK_LIST)

/* Options that a new instance does not take from the top level. */
#define ZEROED_TRACE_FLAGS                                                                         \
	(TRACE_ITER_EVENT_FORK | TRACE_ITER_FUNC_FORK | TRACE_ITER_COPY_MARKER |                   \
	 TRACE_ITER_TRACE_PRINTK)

#define TRACE_DEFAULT_FLAGS                                                                        \
	(TRACE_ITER_PRINT_PARENT | TRACE_ITER_PRINTK | TRACE_ITER_ANNOTATE |                       \
	 TRACE_ITER_CONTEXT_INFO | TRACE_ITER_RECORD_CMD | TRACE_ITER_OVERWRITE |                  \
	 TRACE_ITER_IRQ_INFO | TRACE_ITER_MARKERS | TRACE_ITER_COPY_MARKER | TRACE_ITER_HASH_PTR | \
	 TRACE_ITER_FUNCTION | TRACE_ITER_TRACE_PRINTK)

/* Options that only the top level has. */
#define TOP_LEVEL_TRACE_FLAGS                                                                      \
	(TRACE_ITER_PRINTK | TRACE_ITER_PRINTK_MSGONLY | TRACE_ITER_RECORD_CMD)

/* One of TRACE_FLAGS_OF_ROOMS. Every trace_array has it. */
struct trace_flag {
	const char *name;
	/* Called after a change in tr. T held. May be NULL. */
	void (*changed)(struct trace_array *tr, bool enabled);
	u64 mask; /* constant once registered: its bit in trace_flags */
};
/* Registers the option and sets flag->mask. Boot, before device_initcall. 0, or -EINVAL. */
int register_trace_flag(struct trace_flag *flag);

/* Sets or clears a bit of trace_flags. 0, -ENOMEM, or -EINVAL: tr has always this value. T held. */
int set_tracer_flag(struct trace_array *tr, u64 mask, bool enabled);
/*
 * Applies "NAME" or "noNAME" to the options of tr and of its current tracer. 0, -EINVAL, or an
 * error of the tracer's set_flag. T held.
 */
int trace_set_options_locked(struct trace_array *tr, const char *option);
/* Applies trace_options= of the command line, and keeps the unknown options for later. T held. */
void trace_apply_boot_options(void);

/* Create the files for one tracer's options if options/ exists. 0 or -ENOMEM. T held. */
int create_trace_option_files(struct trace_array *tr, struct tracer *tracer);
/* Removes them. The tracer is of a module; no file is open. T held. */
void remove_trace_option_files(struct trace_array *tr, const struct tracer *tracer);
/* Creates options/ with all options known so far. 0 or -ENOMEM. T held. */
int trace_create_options_dir(struct trace_array *tr);
/* Frees the data of these files, after the last one is closed. */
void trace_free_options(struct trace_array *tr);
