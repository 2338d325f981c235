/*
 * struct tracer: one way to fill the buffer of a trace_array. Each tracer is one file or folder in
 * trace/tracers/ and registers one struct tracer. The core calls a tracer only through this struct.
 */
#pragma once

#include "kernel/types.h"

struct module;
struct seq_file;
struct trace_array;
struct trace_iterator;

/* The result of a print function of a tracer or of an event. */
enum print_line_t {
	TRACE_TYPE_PARTIAL_LINE = 0, /* the line did not fit in the trace_seq: print it again */
	TRACE_TYPE_HANDLED = 1,
	TRACE_TYPE_UNHANDLED = 2, /* the caller prints the entry in another way */
	TRACE_TYPE_NO_CONSUME = 3,
};

/* One option of a tracer: a bit of tracer_flags.val, and a file in options/. */
struct tracer_opt {
	const char *name;
	u32 bit;
};

struct tracer_flags {
	u32 val;                       /* the initial options of a new trace_array */
	const struct tracer_opt *opts; /* the last one has a NULL name */
};

/*
 * The core calls all functions in task context with trace_types_lock held. The exceptions are the
 * functions with an iterator: a reader calls them without a lock, and a dump calls print_line in
 * any context.
 */
struct tracer {
	const char *name;
	/* Starts the tracer. On a negative errno current_tracer becomes nop. May be NULL. */
	int (*init)(struct trace_array *tr);
	/*
	 * Undoes init. tr->tracer_lock held and trace_types_lock not, because the function may wait
	 * for a grace period of RCU-tasks. current_trace is nop already.
	 */
	void (*reset)(struct trace_array *tr);
	void (*start)(struct trace_array *tr); /* tracing_on became 1 */
	void (*stop)(struct trace_array *tr);  /* tracing_on became 0 */
	/*
	 * Allocates the tracer's data in an iterator (trace_iter_private()) before the iterator
	 * prints the tracer's first entry, and frees it. No lock held. Both may be NULL.
	 */
	void (*open)(struct trace_iterator *iter);
	void (*close)(struct trace_iterator *iter);
	/* Prints the heading of `trace`. NULL: the core prints its default heading. */
	void (*print_header)(struct seq_file *m, struct trace_iterator *iter);
	/* Prints an entry. NULL: the core prints it in the format of its trace_event. */
	enum print_line_t (*print_line)(struct trace_iterator *iter);
	/* Accepts (0) or refuses (an errno) a change of an option. NULL: accepts all. */
	int (*set_flag)(struct trace_array *tr, u32 old_flags, u32 bit, bool set);
	/*
	 * The life of the tracer's private data (trace_tracer_private()) in a trace_array. create
	 * allocates it before the first init: 0 or -ENOMEM. create_files makes files in tr->dir.
	 * detach, without a lock held, stops all that uses tr, before tr is removed. destroy frees
	 * the data after the last file of tr is closed. Each may be NULL.
	 */
	int (*create)(struct trace_array *tr);
	int (*create_files)(struct trace_array *tr);
	void (*detach)(struct trace_array *tr);
	void (*destroy)(struct trace_array *tr);
	struct tracer_flags *flags; /* NULL: the tracer has no options */
	/*
	 * A latency tracer (trace/core/max_latency.h): `trace` shows the worst case, which is in
	 * the snapshot buffer, and the user cannot take snapshots.
	 */
	bool use_max;
	bool allow_instances; /* false: the tracer runs in the top level only */
	/*
	 * THIS_MODULE. A trace_array that has the tracer, and a reader that prints with it, have a
	 * reference on the module, and so has an open file of its options. A tracer in a module has
	 * no open, close, create, create_files, detach and destroy: its module has its data, and
	 * makes its files. It has flags only without allow_instances.
	 */
	struct module *owner;

	unsigned index;      /* constant once registered: index into trace_array.tracers */
	struct tracer *next; /* [trace_types_lock]; RCU to read */
};

extern struct tracer *trace_types; /* [trace_types_lock] all tracers, the newest first */
/* The kernel's own tracers: the end of the same list. Constant after the boot. */
extern struct tracer *trace_own_types;

/*
 * The tracer that records nothing. A trace_array has it whenever it has no other tracer.
 * trace/tracers/nop.c defines it; the core registers it before all others.
 */
extern struct tracer nop_trace;

#define MAX_TRACER_SIZE 100
/*
 * Registers a tracer: for the rest of the kernel's life, or, in a module, until
 * unregister_tracer(). The tracer appears in available_tracers and its options in options/. Starts
 * the tracer if the command line asks for it (ftrace=). A module, or the boot; task context. 0,
 * -EEXIST, -ENOSPC, -ENOMEM, or -EINVAL (no name, a name that is too long, or a function that a
 * tracer in a module cannot have).
 */
int register_tracer(struct tracer *tracer);
/*
 * Unregisters the tracer of a module, in the module's exit: its references see to it that nothing
 * has the tracer. Waits for a grace period of RCU. Task context.
 */
void unregister_tracer(struct tracer *tracer);
/* Returns the tracer with that name, or NULL. trace_types_lock held. */
struct tracer *tracing_find_tracer(const char *name);
