/*
 * struct trace_array: a ring buffer with the tracer that fills it and the files that show it.
 * global_trace is the top level, /sys/kernel/tracing itself; each directory in instances/ is one
 * more.
 */
#pragma once

#include "fs/file/file_owner.h"
#include "fs/vfs/fs.h"
#include "kernel/cpumask.h"
#include "kernel/lib/list.h"
#include "kernel/sched/mutex.h"
#include "trace/core/max_latency.h"
#include "trace/core/trace_persistent.h"
#include "trace/core/tracer.h"
#include "trace/ring_buffer/ring_buffer.h"

/* The i_private of each tracefs file of a trace_array. */
struct trace_cpu {
	struct trace_array *tr;
	int cpu;         /* N for the files in per_cpu/cpuN, RING_BUFFER_ALL_CPUS for the others */
	bool ignore_pid; /* [A] tracers must not record the task that this CPU runs now */
};

#define TRACERS_MAX           16
#define TRACE_ARRAY_PARTS_MAX 4

/* [T] trace_types_lock to write; [S] snapshot_lock to write; [A] atomic. */
struct trace_array {
	/*
	 * [S] The buffer that writers use now, and the buffer that holds the last snapshot. A
	 * snapshot exchanges them on any CPU and in any context but NMI, and does not wait for
	 * writers. So code that uses one of them twice reads the pointer once. A setting of the
	 * trace_array is made in both buffers.
	 */
	struct trace_buffer *buffer, *snapshot;
	spinlock_t snapshot_lock;        /* S. Interrupts off; snapshot.c */
	struct trace_buffer *buffers[2]; /* constant: the same two buffers */
	/*
	 * [A] Above 0: as many take snapshots. Below 0: as many areas of programs show parts of
	 * `buffer`, so that it must not become the snapshot. snapshot.h
	 */
	int snapshot_users;
	bool recording;               /* [A] tracing_on; set_recording() copies it to both */
	bool snapshot_allocated;      /* [T] both buffers have the same size */
	struct mutex tracer_lock;     /* taken before T: one change of current_trace at a time */
	struct tracer *current_trace; /* [tracer_lock and T] never NULL */
	/*
	 * [tracer_lock and T] to write: readers print with this tracer. It follows current_trace,
	 * but remains the old tracer until that has stopped and its entries are removed.
	 */
	struct tracer *print_trace;
	u64 trace_flags;         /* [T] TRACE_ITER_* (options.h) */
	unsigned clock_id;       /* [T] */
	unsigned buffer_percent; /* [T] a buffer this full wakes trace_pipe_raw and poll */
	bool buffer_expanded;    /* [T] the buffer has its full size: tracing_expand() */
	int stop_count;          /* [T] calls of tracing_stop_tr() without tracing_start_tr() */
	struct cpumask tracing_cpumask; /* [T] */
	u64 time_start;                 /* [T] clock when the trace was last cleared */
	struct dentry *dir;             /* constant: NULL for the root of tracefs */
	struct dentry *options_dir;     /* constant */
	struct mutex pipe_lock;         /* serializes consuming readers, entry by entry */
	struct trace_cpu all;           /* constant */
	struct trace_cpu *cpus;         /* constant pointer: nr_cpu_ids elements */
	struct trace_max max;           /* its fields say their locks */
	struct {
		u32 flags;                  /* [T] the tracer's options in this trace_array */
		void *private;              /* the tracer's data in this trace_array */
	} tracers[TRACERS_MAX];             /* by tracer.index */
	struct list_head options;           /* [T] struct trace_option (options.c) */
	void *parts[TRACE_ARRAY_PARTS_MAX]; /* by trace_array_part.index: the part's data */

	struct trace_persistent *persistent; /* constant: NULL: the buffer ends with this boot */
	const char *name;                    /* constant: NULL for the top level */
	struct file_owner owner;             /* of an instance's files */
	struct list_head list;               /* [T] RCU: trace_arrays */
};

/*
 * What another room, such as trace/events/, adds to each trace_array. All functions are called in
 * task context.
 */
struct trace_array_part {
	/* Allocates the part's data in tr (trace_array_private()). 0 or -ENOMEM. E and T held. */
	int (*create)(struct trace_array *tr);
	/* Creates the part's files in tr->dir. 0 or -ENOMEM. E and T held. NULL: none. */
	int (*create_files)(struct trace_array *tr);
	/* Stops all of the part that uses tr. No lock held. NULL: nothing does. */
	void (*detach)(struct trace_array *tr);
	void (*destroy)(struct trace_array *tr); /* frees the data, after the last file is closed */
	unsigned index;                /* constant once registered: index into trace_array.parts */
	struct trace_array_part *next; /* [boot] */
};
extern struct trace_array_part *trace_array_parts; /* constant after the boot */
/* Registers a part and creates its data in the top level. 0, -ENOSPC or -ENOMEM. Boot. */
int register_trace_array_part(struct trace_array_part *part);

/* Returns the place of a part's data in tr. */
static __always_inline void **trace_array_private(struct trace_array *tr,
						  const struct trace_array_part *part)
{
	return &tr->parts[part->index];
}

extern struct trace_array global_trace;

/*
 * Set by trace/core/dump.c, else NULL: the sub-buffers of the top level have a new size. Task
 * context.
 */
extern void (*tracing_resized_hook)(void);
static inline void tracing_resized(const struct trace_array *tr)
{
	if (tr == &global_trace && tracing_resized_hook)
		tracing_resized_hook();
}

/*
 * E protects all events: which are enabled, their filters and triggers, and the events that are
 * made at run time. Taken before T. A task may wait for a grace period of RCU with E held, but not
 * for one of RCU-tasks.
 */
extern struct mutex event_mutex;
/*
 * T protects tracers, options, sizes, clocks, and all else that files of tracing change. No task
 * may wait for a grace period of RCU-tasks with T held: a task that does not schedule would stop
 * all of tracing.
 */
extern struct mutex trace_types_lock;
extern struct list_head trace_arrays; /* [T] to write, RCU to read: for_each_trace_array() */
extern unsigned long tracing_thresh;  /* [T] ns: record only longer calls; 0: record all */
/* Called after a write to the file tracing_thresh, T held. NULL: none. Constant after the boot. */
extern void (*tracing_thresh_hook)(void);
extern size_t trace_buf_size; /* [T] bytes for each CPU of an expanded buffer */

/*
 * Visits each trace_array. T held, or preemption off: remove_instance() frees a trace_array after
 * an RCU grace period.
 */
#define for_each_trace_array(tr)                                                                   \
	for (tr = list_entry(smp_load_acquire(&trace_arrays.next), struct trace_array, list);      \
	     &tr->list != &trace_arrays;                                                           \
	     tr = list_entry(smp_load_acquire(&tr->list.next), struct trace_array, list))
/* The instance with that name, or NULL. T held. */
struct trace_array *trace_array_find(const char *name);

/* Returns the one of tr's two buffers that is not buffer. Any context. */
static inline struct trace_buffer *other_buffer(const struct trace_array *tr,
						const struct trace_buffer *buffer)
{
	return tr->buffers[buffer == tr->buffers[0]];
}

/* Returns the options of tracer in tr. Any context. */
static __always_inline u32 tracer_flags_of(const struct trace_array *tr,
					   const struct tracer *tracer)
{
	return READ_ONCE(tr->tracers[tracer->index].flags);
}

/* Returns the place of tracer's data in tr. The data is constant from create() to destroy(). */
static __always_inline void **trace_tracer_private(struct trace_array *tr,
						   const struct tracer *tracer)
{
	return &tr->tracers[tracer->index].private;
}

/* Returns the owner of an instance's files. The top level has none: NULL. */
static inline struct file_owner *trace_array_owner(struct trace_array *tr)
{
	return tr->name ? &tr->owner : NULL;
}

/* Returns whether the buffer holds the entries of the last boot. Any context. */
static inline bool trace_is_of_last_boot(const struct trace_array *tr)
{
	return tr->persistent && READ_ONCE(tr->persistent->last_boot);
}

/* Returns whether tracer may run in tr. */
static inline bool tracer_fits(const struct tracer *tracer, const struct trace_array *tr)
{
	return !tr->name || tracer->allow_instances;
}

/* ---- state; task context unless stated otherwise ---- */

/* Returns tracing_on of tr. Any context. */
bool tracing_is_on_tr(struct trace_array *tr);
/* Sets tracing_on of tr and informs the current tracer. T held. */
void tracing_set_on(struct trace_array *tr, bool on);
/* Sets tracing_on of tr, without the tracer. True: this call has changed it. Any context. */
bool tracing_record_on_tr(struct trace_array *tr);
bool tracing_record_off_tr(struct trace_array *tr);
/* Stop and restart recording. The calls nest. T held. */
void tracing_stop_tr(struct trace_array *tr);
void tracing_start_tr(struct trace_array *tr);
/*
 * Prepares tr for new entries: gives the buffer its full size, as it is small until the first use,
 * and clears the trace of the last boot unless tracing_on is 0. 0 or -ENOMEM. T held.
 */
int tracing_expand(struct trace_array *tr);
/* Gives the buffers of one CPU or of all CPUs size bytes each. 0 or -ENOMEM. T held. */
int tracing_resize(struct trace_array *tr, size_t size, int cpu);
/*
 * Gives tr sub-buffers of 1 << order pages, which removes all entries, also those of an allocated
 * snapshot. 0, or -EINVAL, -ENOMEM, -EBUSY as ring_buffer_subbuf_order_set(). T held.
 */
int tracing_set_subbuf_order(struct trace_array *tr, unsigned order);
/* Clear the trace of one CPU or of all CPUs; clear the snapshot likewise. */
void tracing_reset_cpu(struct trace_array *tr, int cpu);
void tracing_reset_snapshot_cpu(struct trace_array *tr, int cpu);
void tracing_reset_online_cpus(struct trace_array *tr);
/* Makes the named tracer the current one. 0, -EINVAL (no such tracer), or an error of its init. */
int tracing_set_tracer(struct trace_array *tr, const char *name);
int tracing_set_clock(struct trace_array *tr, const char *name); /* 0 or -EINVAL */
bool tracing_clock_in_ns(const struct trace_array *tr);
/*
 * Initialize tr (0 or -ENOMEM), without its files, and free what it owns. No other task may know
 * tr. T held for the first.
 */
int trace_array_init(struct trace_array *tr);
/*
 * Creates instances/NAME, as mkdir(2) does; persistent: its buffer, or NULL. 0 or an errno. Boot,
 * before a task can remove it.
 */
int trace_instance_create(const char *name, struct trace_persistent *persistent,
			  struct trace_array **tr);
void trace_array_exit(struct trace_array *tr);
