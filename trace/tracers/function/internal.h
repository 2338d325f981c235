/* The files of the function tracer, between themselves. */
#pragma once

#include "kernel/linker_table.h"
#include "trace/core/trace_array.h"
#include "trace/ftrace_files/filter.h"
#include "trace/tracers/function/function.h"

struct pid_filter;
struct seq_file;

/* Options: bits of tracer_flags_of(). */
#define TRACE_FUNC_OPT_STACK      0x1
#define TRACE_FUNC_OPT_NO_REPEATS 0x2
#define TRACE_FUNC_OPT_ARGS       0x4

#define FUNC_REPEATS_MAX 0xffff
/* The common_type is TRACE_FUNC_REPEATS: the call of the entry before came count times more. */
struct func_repeats_entry {
	struct trace_entry ent;
	unsigned long ip;
	unsigned long parent_ip;
	u16 count; /* up to FUNC_REPEATS_MAX */
	/* Since the last of these calls: the upper 16 and the lower 32 bits. */
	u16 top_delta_ts;
	u32 bottom_delta_ts;
};

/* The last call on a CPU. [I] only that CPU uses it, with interrupts off and not in NMI. */
struct function_repeats {
	unsigned long ip, parent_ip; /* [I] */
	u64 ts;                      /* [I] of the last of the calls that have no entry */
	u16 count;                   /* [I] of these calls */
} __aligned(64);

/* The function tracer's data in a trace_array. */
struct function_tracer {
	struct ftrace_ops ops;
	bool enabled;                    /* [tracer_lock] ops is registered */
	struct ftrace_filter filters[2]; /* of set_ftrace_filter and set_ftrace_notrace */
	struct pid_filter *pids; /* constant: of set_ftrace_pid and set_ftrace_notrace_pid */
	struct function_repeats *repeats; /* constant pointer: nr_cpu_ids elements */
	struct list_head probes;          /* [probe_lock, ftrace_lock] to write (probes.c) */
};

extern struct tracer function_trace;

/* Returns the data in tr: constant while tr is in trace_arrays. Any context. */
static inline struct function_tracer *function_of(struct trace_array *tr)
{
	return *trace_tracer_private(tr, &function_trace);
}

/*
 * The words with a ':' of set_ftrace_filter. probes.c makes the only entry of this linker table; if
 * it is not linked, there are no such words. Constant.
 */
struct function_words {
	/* Those of struct ftrace_filter; owner is the ops of the function tracer. */
	int (*command)(void *owner, char *word);
	void (*show)(void *owner, struct seq_file *m);
	void (*detach)(struct trace_array *tr); /* Removes all that the words have made. No lock. */
};
#define FUNCTION_WORDS                                                                             \
	static const struct function_words words_of_functions LINKER_TABLE_ENTRY(                  \
		rodata, function_words, "")

/* ---- pids.c; T held ---- */

/* The pid_func of the function tracer's ops. */
void function_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs);
/* Allocates f->pids: 0 or -ENOMEM. */
int function_pids_create(struct function_tracer *f, struct trace_array *tr);
/* Empties both lists of tr. Takes T. */
void function_pids_detach(struct trace_array *tr);
/* Frees f->pids. */
void function_pids_destroy(struct function_tracer *f);
