/*
 * Events that are made of probes, whatever their kind (kprobes, uprobes). An event has one or more
 * probes, with the same names and types of arguments. It is enabled in any number of trace_arrays;
 * the probes are on while it is enabled in one of them.
 *
 * The kind of probe has a struct that begins with a struct trace_probe, and calls
 * trace_probe_hit() in its handler.
 */
#pragma once

#include "kernel/rcu/rculist.h"
#include "trace/events/dynamic_events.h"
#include "trace/events/record.h"
#include "trace/probes/probe_arg.h"

struct trace_probe;

/* What the entries of a probe begin with, and those of a return probe. */
struct probe_entry {
	struct trace_entry ent;
	unsigned long ip;
};
struct probe_return_entry {
	struct trace_entry ent;
	unsigned long func;
	unsigned long ret_ip;
};

struct trace_probe_ops {
	const char *location; /* in error_log: "trace_kprobe"; kinds may share it */
	/*
	 * Begins a probe that is complete, off. Called last when it is created. 0 or an errno. E
	 * held.
	 */
	int (*begin)(struct trace_probe *probe);
	/* Logs an error of begin(), in error_log. NULL: it has been logged. */
	void (*log_error)(const struct probe_command *command, int error);
	/* Switch the hits on (0 or an errno) and off. E held. */
	int (*enable)(struct trace_probe *probe);
	void (*disable)(struct trace_probe *probe);
	/*
	 * For programs of perf events: from now on the context of hits is all registers. Also
	 * called before begin(). NULL: the context never is. 0 or an errno. E held.
	 */
	int (*keep_registers)(struct trace_probe *probe);
	/* On return no handler of the probe runs or will run. E held. */
	void (*unregister)(struct trace_probe *probe);
	/* Frees the probe, after a grace period of RCU-tasks. */
	void (*free)(struct trace_probe *probe);
	/* Returns whether word names the place of the probe. E held. */
	bool (*match_place)(const struct trace_probe *probe, const char *word);
	/* Whether two probes have the same place. E held. */
	bool (*is_same_place)(const struct trace_probe *a, const struct trace_probe *b);
	/* Prints the place in an entry of the probe's event: "(vfs_read+0x0/0x10)". */
	void (*print_place)(struct trace_iterator *iter, const struct trace_probe *probe);
};

/* The event, for all of its probes. */
struct trace_probe_event {
	struct trace_event_call call; /* own legend */
	char *group, *name;
	struct list_head probes; /* [E] of struct trace_probe, at least one; RCU */
	struct list_head files;  /* [E] of struct trace_probe_file; RCU */
	/* The only file, if records have a short_size; NULL: see the list. */
	struct trace_event_file *single; /* [E] to write; RCU */
	struct trace_probe
		*printer; /* [E] to write; RCU-tasks. A probe, for the types of arguments */
	struct trace_event_field *fields;
	char *print_fmt;
	bool keeps_registers; /* [E] a program has asked: later probes do, too */
	struct rcu_head rcu;
}; /* no letter: constant */

/* The event is enabled in the trace_array of this file. */
struct trace_probe_file {
	struct list_head list; /* [E] RCU */
	struct trace_event_file *file;
};

struct trace_probe {
	struct dyn_event dyn;  /* own legend */
	struct list_head list; /* [E] in event->probes; RCU */
	struct trace_probe_event *event;
	const struct trace_probe_ops *ops;
	const struct probe_arg_sources *sources;
	struct probe_arg *args;
	unsigned nr_args;
	struct probe_entry_args entry_args; /* of a return probe, in the kernel */
	u32 static_size;                    /* bytes of the record without strings */
	u32 short_size; /* rb_data_size() of a record that is short and without strings; else 0 */
	bool has_strings;
	struct rcu_head rcu;
}; /* no letter: constant once it is in dyn_event_list */

static inline bool trace_probe_is_return(const struct trace_probe *probe)
{
	return probe->sources->flags & PROBE_FL_RETURN;
}
/* Whether the hits are on, or are to be when the probe can begin. E held. */
static inline bool trace_probe_is_enabled(const struct trace_probe *probe)
{
	return !list_empty(&probe->event->files);
}

/* ---- making probes; task context ---- */

/*
 * Creates the probe that a command defines: its arguments, which are the words from the third on
 * ("$arg*" becomes the names of all parameters), and its event, unless the event exists. probe->ops
 * and sources are set. event: behind the colon of the first word, or NULL; name: of an event that
 * has none there; kind: of the probe, in dynamic_events. 0 or an errno; then the probe has been
 * freed, and the reason is in error_log, if Linux logs one. dyn_event_mutex held, E not.
 */
int trace_probe_create(struct trace_probe *probe, struct probe_command *command, char *event,
		       const char *group, const char *name,
		       const struct dyn_event_operations *kind);
/* The fields of struct probe_entry, or of struct probe_return_entry. */
const struct trace_event_field *trace_probe_head_fields(bool is_return);
/* Frees the arguments. For ops->free(). */
void trace_probe_free_args(struct trace_probe *probe);
/* Prints " NAME=TEXT" for each argument. */
void trace_probe_show_args(struct seq_file *m, const struct trace_probe *probe);

/* For the struct dyn_event_operations of a kind. */
bool trace_probe_is_busy(struct dyn_event *dyn, bool all);
int trace_probe_release(struct dyn_event *dyn);
int trace_probe_match(const struct dyn_event *dyn, const char *system, const char *name,
		      const char *rest);

/* ---- hits ---- */

/* Whether the hit is to be recorded: programs of perf events may drop it. NULL: no registers. */
static inline bool trace_probe_passes(struct trace_event_file *file, const void *regs)
{
	return !(file->flags & EVENT_FILE_FL_PERF) ||
	       perf_event_ops.wants_hit(file, (struct pt_regs *)regs);
}

/*
 * A handler of hits: it is in the section of __traceiter_NAME(), where the stack of an event ends.
 */
#define __hit __section(".traceiter.text")

static inline struct trace_probe *to_trace_probe(const struct dyn_event *dyn)
{
	return container_of(dyn, struct trace_probe, dyn);
}

/* The same as trace_probe_hit(), for all files. */
void trace_probe_hit_any(const struct trace_probe *probe, const unsigned long *head,
			 unsigned nr_head, const void *context);

static __always_inline void trace_probe_fill(const struct trace_probe *probe,
					     struct trace_entry *entry, const unsigned long *head,
					     unsigned nr_head, const void *context, size_t size)
{
	for (unsigned i = 0; i < nr_head; i++)
		((unsigned long *)(entry + 1))[i] = head[i];
	if (context)
		probe_args_store(probe->args, probe->nr_args, probe->sources, context, entry,
				 probe->static_size, size);
}

/*
 * Records a hit in each trace_array in which the event is enabled. head: the words behind the
 * trace_entry, nr_head of them. context: for the arguments; NULL: there are none. Any context,
 * preemption off; see PROBE_FL_USER.
 */
static __always_inline void trace_probe_hit(const struct trace_probe *probe,
					    const unsigned long *head, unsigned nr_head,
					    const void *context)
{
	struct trace_event_file *file = rcu_dereference(probe->event->single);
	struct trace_event_room room;

	if (unlikely(!file || trace_event_is_slow(file))) {
		trace_probe_hit_any(probe, head, nr_head, context);
		return;
	}
	room = trace_event_reserve_short(file, probe->short_size);
	if (!room.entry)
		return;
	trace_probe_fill(probe, room.entry, head, nr_head, context, probe->static_size);
	trace_event_commit_short(file, room, probe->short_size);
}

/* Records what trace_probe_hit_without_args() has begun. */
void trace_probe_hit_begun(struct trace_event_file *file, struct ring_buffer_per_cpu *cb,
			   const unsigned long *head, unsigned nr_head);

/* trace_probe_hit() for a probe without arguments. The usual case calls no function (record.h). */
static __always_inline void trace_probe_hit_without_args(const struct trace_probe *probe,
							 const unsigned long *head,
							 unsigned nr_head)
{
	const u32 size = rb_data_size(sizeof(struct trace_entry) + nr_head * sizeof(*head));
	struct trace_event_file *file = rcu_dereference(probe->event->single);
	struct ring_buffer_per_cpu *cb;
	void *entry;
	u64 end;

	if (unlikely(!file || !trace_event_is_inline(file))) {
		trace_probe_hit_any(probe, head, nr_head, NULL);
		return;
	}
	if (!trace_event_begin(file, &cb))
		return;
	entry = trace_event_reserve_inline(file, cb, size, &end);
	if (likely(entry)) {
		trace_probe_fill(probe, entry, head, nr_head, NULL, 0);
		trace_event_commit_inline(cb, end);
	} else {
		trace_probe_hit_begun(file, cb, head, nr_head);
	}
}
