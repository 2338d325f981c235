/*
 * What the latency tracers share: irqsoff and its kin (sections.c), wakeup and its kin (wakeup.c).
 * docs/architecture.md, "Latency tracers", explains them.
 */
#pragma once

#include "trace/core/options.h"
#include "trace/ftrace/ftrace.h"
#include "trace/tracers/function_graph/record.h"

/*
 * One family of tracers. Only one trace_array can have one of them, because what they measure is
 * kept once for each CPU. [T] trace_types_lock, [A] atomic, no letter: constant.
 */
struct latency {
	struct trace_array *tr;     /* [T] to write; NULL: not in use. Probes: latency_array() */
	bool enabled;               /* [A] tracing_on of tr, which is written before it */
	ftrace_func_t func;         /* records a function, if the family wants it now */
	struct graph_tracer *graph; /* with callbacks that do the same */
	void (*forget)(void);       /* forgets what is measured now. T held */
	bool has_func, has_graph;   /* [T] registered: from the first need until latency_reset() */
	u64 saved_flags;            /* [T] options to restore */
	struct latency *next;       /* [boot] */
};

/* Makes a family known. Boot. */
void latency_register(struct latency *latency);
/*
 * Begin and end the use of a family by tr: its options, its function tracing, an empty trace. 0,
 * -EBUSY (another trace_array uses it) or an errno. As init and reset of a struct tracer: T held
 * for the first, not for the second.
 */
int latency_init(struct latency *latency, struct trace_array *tr);
void latency_reset(struct latency *latency);

/* For probes: the trace_array to record in, or NULL: record nothing. */
static inline struct trace_array *latency_array(const struct latency *latency)
{
	struct trace_array *tr = smp_load_acquire(&latency->enabled) ? latency->tr : NULL;

	/* The trigger traceoff turns recording off without latency_stop(). */
	return tr && READ_ONCE(tr->recording) ? tr : NULL;
}

/* Returns whether functions are recorded as calls; graph: as a graph. Any context. */
static inline bool latency_wants_functions(const struct trace_array *tr, bool graph)
{
	u64 flags = READ_ONCE(tr->trace_flags);

	return flags & TRACE_ITER_FUNCTION && !!(flags & TRACE_ITER_DISPLAY_GRAPH) == graph;
}

/*
 * Records that ip was called by parent, as the options ask for: a call, or a leaf of a graph.
 * Preemption off, any context.
 */
void latency_record(struct trace_array *tr, unsigned long ip, unsigned long parent, u32 ctx);
/*
 * Records the stack of the current context. It begins behind ip, if ip is in it, or with the caller
 * of the tracepoint. Preemption off, any context.
 */
void latency_record_stack(struct trace_array *tr, unsigned long ip, u32 ctx);

/* Defines NAME_tracer, whose init is NAME_init and whose other functions belong to the family. */
#define LATENCY_TRACER(name_, family_)                                                             \
	static struct tracer name_##_tracer = {                                                    \
		.name = #name_,                                                                    \
		.init = name_##_init,                                                              \
		.reset = family_##_reset,                                                          \
		.start = family_##_start,                                                          \
		.stop = family_##_stop,                                                            \
		.print_header = latency_print_header,                                              \
		.print_line = latency_print_line,                                                  \
		.use_max = true,                                                                   \
		.allow_instances = true,                                                           \
	}

/* struct tracer's start, stop, print_header and print_line. */
void latency_start(struct latency *latency);
void latency_stop(struct latency *latency);
void latency_print_header(struct seq_file *m, struct trace_iterator *iter);
enum print_line_t latency_print_line(struct trace_iterator *iter);
