/*
 * The trace core: what the files of trace/ share. A trace_array is a ring buffer with a tracer that
 * fills it and the files that show it; a tracer is one file that registers one struct tracer; an
 * event type is one struct trace_event that prints itself.
 */
#pragma once

#include "fs/file_owner.h"
#include "fs/fs.h"
#include "kernel/cpumask.h"
#include "kernel/lib/list.h"
#include "kernel/preempt.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/task.h"
#include "trace/ring_buffer/ring_buffer.h"
#include "trace/core/entries.h"
#include "trace/core/pid_list.h"
#include "trace/core/trace_printk.h"
#include "trace/core/trace_seq.h"

struct ftrace_ops;
struct trace_array;
struct trace_iterator;
struct seq_file;

/* What a tracer's or an event's print function says. */
enum print_line_t {
	TRACE_TYPE_PARTIAL_LINE = 0, /* the line did not fit in the trace_seq: show it again */
	TRACE_TYPE_HANDLED = 1,
	TRACE_TYPE_UNHANDLED = 2, /* print it some other way */
	TRACE_TYPE_NO_CONSUME = 3,
};

/* An option of one tracer: a bit of tracer_flags.val, and a file in options/. */
struct tracer_opt {
	const char *name;
	u32 bit;
};

struct tracer_flags {
	u32 val;                       /* what a trace_array begins with: tracer_flags_of() */
	const struct tracer_opt *opts; /* ends with a NULL name */
};

/*
 * One way to fill a trace. All calls are made in task context with trace_types_lock held, but
 * print_line and print_header, which readers call with nothing held.
 */
struct tracer {
	const char *name;
	/* Begin, or a negative errno: current_tracer is nop then. NULL: nothing to do. */
	int (*init)(struct trace_array *tr);
	void (*reset)(struct trace_array *tr); /* undo init */
	void (*start)(struct trace_array *tr); /* tracing_on became 1 */
	void (*stop)(struct trace_array *tr);
	void (*open)(struct trace_iterator *iter);      /* the trace file is being opened */
	void (*pipe_open)(struct trace_iterator *iter); /* the same for trace_pipe */
	void (*close)(struct trace_iterator *iter);
	void (*pipe_close)(struct trace_iterator *iter);
	void (*print_header)(struct seq_file *m,
			     struct trace_iterator *iter); /* NULL: the usual one */
	enum print_line_t (*print_line)(
		struct trace_iterator *iter); /* NULL: the event's own form */
	/* An option's bit is about to change: 0 lets it. NULL: no objection. */
	int (*set_flag)(struct trace_array *tr, u32 old_flags, u32 bit, bool set);
	/*
	 * What it needs for each trace_array, before the first init: make it
	 * (trace_tracer_private()), its files in tr->dir; when tr is removed, have nothing run for
	 * it any more, and with the last inode let it go. 0 or -ENOMEM. NULL: nothing.
	 */
	int (*create)(struct trace_array *tr);
	int (*create_files)(struct trace_array *tr);
	void (*detach)(struct trace_array *tr);
	void (*destroy)(struct trace_array *tr);
	struct tracer_flags *flags; /* NULL: no options of its own */
	bool allow_instances;       /* not in the top level only */

	unsigned index;      /* [C] trace_array.tracers[index] is about this one */
	struct tracer *next; /* [trace_types_lock] */
};

/*
 * Make a tracer known: it appears in available_tracers, and its options in options/. It stays for
 * ever. If ftrace= named it, it is started. 0, -EEXIST, -EINVAL (no name, or one too long). Task
 * context.
 */
int register_tracer(struct tracer *tracer);
#define MAX_TRACER_SIZE 100

/* Options of a trace_array, in the order of trace_options. Documentation/trace/ftrace.rst,
 * "trace_options". */
#ifdef CONFIG_FUNCTION_TRACER
#define FUNCTION_FLAGS C(FUNC_FORK, "function-fork")
#else
#define FUNCTION_FLAGS
#endif
#define TRACE_FLAGS                                                                                \
	C(PRINT_PARENT, "print-parent")                                                            \
	C(SYM_OFFSET, "sym-offset")                                                                \
	C(SYM_ADDR, "sym-addr")                                                                    \
	C(VERBOSE, "verbose")                                                                      \
	C(RAW, "raw")                                                                              \
	C(HEX, "hex")                                                                              \
	C(BIN, "bin")                                                                              \
	C(BLOCK, "block")                                                                          \
	C(PRINTK, "trace_printk")                                                                  \
	C(ANNOTATE, "annotate")                                                                    \
	C(PRINTK_MSGONLY, "printk-msg-only")                                                       \
	C(CONTEXT_INFO, "context-info")                                                            \
	C(LATENCY_FMT, "latency-format")                                                           \
	C(RECORD_CMD, "record-cmd")                                                                \
	C(RECORD_TGID, "record-tgid")                                                              \
	C(OVERWRITE, "overwrite")                                                                  \
	C(STOP_ON_FREE, "disable_on_free")                                                         \
	C(IRQ_INFO, "irq-info")                                                                    \
	C(MARKERS, "markers")                                                                      \
	C(PAUSE_ON_TRACE, "pause-on-trace")                                                        \
	FUNCTION_FLAGS                                                                             \
	C(STACKTRACE, "stacktrace")

#define C(name, text) TRACE_ITER_##name##_BIT,
enum trace_iterator_bits { TRACE_FLAGS TRACE_ITER_LAST_BIT };
#undef C
#define C(name, text) TRACE_ITER_##name = 1 << TRACE_ITER_##name##_BIT,
enum trace_iterator_flags { TRACE_FLAGS };
#undef C

#define TRACE_DEFAULT_FLAGS                                                                        \
	(TRACE_ITER_PRINT_PARENT | TRACE_ITER_PRINTK | TRACE_ITER_ANNOTATE |                       \
	 TRACE_ITER_CONTEXT_INFO | TRACE_ITER_RECORD_CMD | TRACE_ITER_OVERWRITE |                  \
	 TRACE_ITER_IRQ_INFO | TRACE_ITER_MARKERS)

/* Options that only the top level has. */
#define TOP_LEVEL_TRACE_FLAGS                                                                      \
	(TRACE_ITER_PRINTK | TRACE_ITER_PRINTK_MSGONLY | TRACE_ITER_RECORD_CMD)

/* What a tracefs file stands for: inode->i_private of all files of a trace_array. */
struct trace_cpu {
	struct trace_array *tr;
	int cpu; /* RING_BUFFER_ALL_CPUS in the directory itself, else that of per_cpu/cpuN */
	bool ignore_pid; /* the task that runs there is left out by set_ftrace_pid */
};

#define TRACERS_MAX 16

/* [T] trace_types_lock to write; [E] err_log_mutex in trace/core/error_log.c. */
struct trace_array {
	/*
	 * The buffer that is written to, and the one that the last snapshot is in: they change
	 * places under snapshot_lock (trace/core/snapshot.c), on any CPU and in any context but
	 * NMI, without waiting for writers. So whoever does two things with one reads its pointer
	 * once, and what is to hold for the trace_array is set in both.
	 */
	struct trace_buffer *buffer, *snapshot;
	struct trace_buffer *buffers[2]; /* constant: the same two */
	bool snapshot_allocated;         /* [T] the other buffer has the size of the first */
	struct tracer *current_trace;    /* [T] never NULL */
	u64 trace_flags;                 /* [T] TRACE_ITER_* */
	unsigned clock_id;               /* [T] */
	unsigned buffer_percent;         /* [T] to write: how full wakes trace_pipe_raw and poll */
	bool buffer_expanded;           /* [T] the buffer has its full size, see tracing_expand() */
	int stop_count;                 /* [T] tracing_stop() without its tracing_start() */
	struct cpumask tracing_cpumask; /* [T] */
	u64 time_start;     /* [T] clock when the trace was last cleared, for latency-format */
	struct dentry *dir; /* constant: NULL is the top of tracefs */
	struct dentry *options_dir; /* constant */
	struct list_head err_log;   /* [E] trace/core/error_log.c */
	unsigned err_log_count;     /* [E] */
	struct mutex pipe_lock;     /* consuming readers: one entry at a time */
	struct trace_cpu all;       /* constant */
	struct trace_cpu *cpus;     /* constant: nr_cpu_ids of them */
	struct trace_pids *pids;    /* the function tracer's: set_ftrace_pid and its like */
	struct {
		u32 flags;     /* [T] to write: of its tracer_flags */
		void *private; /* the tracer's */
	} tracers[TRACERS_MAX];
	struct list_head probes;  /* function probes (trace/tracers/function/probes.c) */
	struct list_head options; /* [T] what the files in options/ stand for */

	const char *name;        /* constant: NULL for the top level */
	struct file_owner owner; /* of its files, but for the top level's */
	struct list_head list;   /* [T] to write: trace_arrays */
};

extern struct trace_array global_trace; /* the top level: /sys/kernel/tracing itself */
extern struct list_head trace_arrays;   /* [T] all; for_each_trace_array() */
extern struct mutex trace_types_lock;   /* tracers, options, sizes, clocks: all that files change */
extern struct tracer nop_trace;
extern unsigned long tracing_thresh; /* [T] ns: only what takes longer is recorded; 0: all */
extern size_t trace_buf_size;        /* [T] bytes for each CPU once the buffer is expanded */
extern struct tracer *trace_types;   /* [T] all tracers, the newest first */

/*
 * Each trace_array, with T held or with preemption off: one that is removed stays until all CPUs
 * have switched tasks.
 */
#define for_each_trace_array(tr)                                                                   \
	for (tr = list_entry(smp_load_acquire(&trace_arrays.next), struct trace_array, list);      \
	     &tr->list != &trace_arrays;                                                           \
	     tr = list_entry(smp_load_acquire(&tr->list.next), struct trace_array, list))

/* Of the two that tr has, not this one. T held or not: they are always the same two. */
static inline struct trace_buffer *other_buffer(const struct trace_array *tr,
						const struct trace_buffer *buffer)
{
	return tr->buffers[buffer == tr->buffers[0]];
}

/* The options that tracer has in tr. Any context. */
static __always_inline u32 tracer_flags_of(const struct trace_array *tr,
					   const struct tracer *tracer)
{
	return READ_ONCE(tr->tracers[tracer->index].flags);
}

/* What tracer keeps for tr; constant from its create() to its destroy(). */
static __always_inline void **trace_tracer_private(struct trace_array *tr,
						   const struct tracer *tracer)
{
	return &tr->tracers[tracer->index].private;
}

/* tracer may run in tr. */
static inline bool tracer_fits(const struct tracer *tracer, const struct trace_array *tr)
{
	return !tr->name || tracer->allow_instances;
}

static inline struct trace_cpu *trace_file_cpu(struct file *file)
{
	return file->f_inode->i_private;
}

static inline struct trace_array *trace_file_tr(struct file *file)
{
	return trace_file_cpu(file)->tr;
}

/* ---- the state of a trace_array (trace/core/trace_array.c); task context unless said otherwise
 * ---- */

bool tracing_is_on_tr(struct trace_array *tr);        /* any context */
void tracing_set_on(struct trace_array *tr, bool on); /* T held */
/* Recording off and on again, counted: while a tracer or the clock is being changed. T held. */
void tracing_stop_tr(struct trace_array *tr);
void tracing_start_tr(struct trace_array *tr);
/* Give the buffer its full size: it is small until somebody traces. 0 or -ENOMEM. T held. */
int tracing_expand(struct trace_array *tr);
/* bytes for one CPU or all; an expanded buffer from then on. 0 or -ENOMEM. T held. */
int tracing_resize(struct trace_array *tr, size_t size, int cpu);
/* Forget what was traced. */
void tracing_reset_cpu(struct trace_array *tr, int cpu);
void tracing_reset_snapshot_cpu(struct trace_array *tr, int cpu); /* what the snapshot holds */
void tracing_reset_online_cpus(struct trace_array *tr);
/* 0, -EINVAL (no such tracer), or what the tracer's init says. */
int tracing_set_tracer(struct trace_array *tr, const char *name);
int tracing_set_tracer_locked(struct trace_array *tr, const char *name); /* T held */
/* A TRACE_ITER_* flag on or off. 0, or -EINVAL: it is the top level's only. T held. */
int set_tracer_flag(struct trace_array *tr, u64 mask, bool enabled);
extern void (*trace_flag_hook)(u64 mask); /* one has changed; NULL: nobody asks. T held */
/* Make tr ready but for its files: 0 or -ENOMEM. And take that back. Nobody else knows of tr. */
int trace_array_init(struct trace_array *tr);
void trace_array_exit(struct trace_array *tr);
/* "name" or "noname", of tr or of its current tracer. 0 or -EINVAL. T held. */
int trace_set_options_locked(struct trace_array *tr, const char *option);
int tracing_set_clock(struct trace_array *tr, const char *name); /* 0 or -EINVAL */
bool tracing_clock_in_ns(const struct trace_array *tr);

/* The tracer of that name or NULL. T held. */
struct tracer *tracing_find_tracer(const char *name);
/* The function tracer's ops in tr: their hashes are those of set_ftrace_filter and -notrace. */
struct ftrace_ops *function_trace_ops(struct trace_array *tr);

/* ---- writing (trace/core/write.c); any context, NMI included ---- */

/*
 * common_flags and common_preempt_count as they are now, in their places in the first word of a
 * trace_entry, to which the type is added; depth: how often the tracer itself has disabled
 * preemption. Any context.
 */
static __always_inline u32 tracing_gen_ctx_dec(u32 depth)
{
	u32 count = (this_cpu_read(__preempt_count) - depth) ^ PREEMPT_NEED_RESCHED;
	/* X86_EFLAGS_IF, when it is clear, moved to the place of TRACE_FLAG_IRQS_OFF */
	u32 flags = (u32)~arch_local_save_flags() << 7 & TRACE_FLAG_IRQS_OFF << 16;

	/* The usual case: in a task that need not be rescheduled, at a depth that fits. */
	if (likely(!(count & ~0xfU)))
		return flags | count << 24;
	if (count & PREEMPT_NEED_RESCHED)
		flags |= (TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED) << 16;
	if (count & NMI_MASK)
		flags |= TRACE_FLAG_NMI << 16;
	if (count & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ << 16;
	if (count & SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_SOFTIRQ << 16;
	if (count & SOFTIRQ_MASK & ~SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_BH_OFF << 16;
	return flags | min(count & PREEMPT_MASK, 0xfU) << 24;
}
BUILD_BUG_ON(X86_EFLAGS_IF << 7 != TRACE_FLAG_IRQS_OFF << 16);

static __always_inline u32 tracing_gen_ctx(void)
{
	return tracing_gen_ctx_dec(0);
}

/* Fill in an entry's head. ctx: tracing_gen_ctx(). */
static __always_inline void tracing_entry_init(struct trace_entry *ent, enum trace_type type,
					       u32 ctx, pid_t pid)
{
	*(u32 *)ent = ctx | type;
	ent->pid = pid;
}

/*
 * Room for an entry of length bytes, its head filled in, or NULL when it is not to be recorded.
 * Preemption is off, and stays off until trace_buffer_unlock_commit(), which gets *buffer.
 */
void *trace_buffer_lock_reserve(struct trace_array *tr, enum trace_type type, size_t length,
				u32 ctx, struct trace_buffer **buffer);
void trace_buffer_unlock_commit(struct trace_buffer *buffer);
#define TRACE_SCRATCH_SIZE 1024
/*
 * Room for one piece of work in this context on this CPU, aligned to 8 bytes, until
 * trace_scratch_put(). NULL when it is in use: a function that is called meanwhile is being traced,
 * and must not go round in circles. Preemption is off.
 */
void *trace_scratch_get(void);
void trace_scratch_put(void);
#define TRACE_STACK_MAX 64 /* callers of a TRACE_STACK entry */
/* A TRACE_STACK entry with these return addresses. Preemption is off. */
void trace_write_stack(struct trace_array *tr, u32 ctx, const unsigned long *callers,
		       unsigned count);
/* The same with the callers of this function's caller, less skip of them. */
void __ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip);
/* __ftrace_trace_stack() if the option stacktrace says so. */
void ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip);

/* A TRACE_PRINT entry in tr whatever trace_printk says. -EBADF when it was not recorded. */
ssize_t trace_write_print(struct trace_array *tr, unsigned long ip, const char *text,
			  size_t length);

/* The callback of the function tracer (trace/tracers/function/function.c): op->private is the
 * trace_array. */
struct ftrace_ops;
struct ftrace_regs;
void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs);

/* ---- snapshots (trace/core/snapshot.c) ---- */

/*
 * Keep what is in the buffer now, and go on in the other, empty or with what the last snapshot
 * held. If none has been allocated, or in an NMI, a line in the trace says so, and without memory
 * for it tracing is switched off, as on Linux. Any context.
 */
void tracing_snapshot_tr(struct trace_array *tr);
/* Make room for snapshots: 0 or -ENOMEM. T held. */
int tracing_alloc_snapshot_tr(struct trace_array *tr);
/* The heading of a snapshot file that holds nothing. */
void print_snapshot_help(struct seq_file *m, struct trace_iterator *iter);
/* `trace` and `snapshot` as files: opened for reading, sought in, closed (trace/core/trace_file.c).
 */
int trace_open_for_reading(struct file *file, bool snapshot);
loff_t tracing_lseek(struct file *file, loff_t offset, int whence);
int tracing_release(struct inode *inode, struct file *file);

/* ---- tasks (trace/core/sched_switch.c): their names, and which of them the function tracer traces
 * ---- */

DECLARE_PER_CPU(
	bool,
	trace_taskinfo_save); /* an entry was written since the last switch: keep the task's name */
/* Keep names at task switches while on (counted). T held. */
void tracing_record_cmdline(bool on);
/* What is wanted at task switches has changed: an option. T held. */
void trace_switch_update(void);
/* fn, of the shadow stacks, is called at task switches from now on; NULL: nothing is. Task context.
 */
void trace_switch_graph(void (*fn)(struct task_struct *prev, struct task_struct *next));
/*
 * Have each CPU call fn, always the same, for the task that runs there now; and at each switch for
 * the next one if active. Preemption is off then. Task context.
 */
void trace_switch_pids(void (*fn)(const struct task_struct *next), bool active);
/* "<...>" when it is not known, "<idle>" for 0. Any context. */
void trace_find_cmdline(pid_t pid, char comm[TASK_COMM_LEN]);
/* 0 when it is not known. Any context. */
pid_t trace_find_tgid(pid_t pid);
/* Keep these tasks' names (trace/core/cmdlines.c): false when that is impossible just now. Any
 * context but NMI. */
bool trace_save_cmdlines(const struct task_struct *prev, const struct task_struct *next);
void trace_save_tgids(const struct task_struct *prev, const struct task_struct *next);

/* ---- reading (trace/core/iterator.c, trace/core/trace_file.c); task context ---- */

/* One reader's way through a trace. Its owner alone uses it. */
struct trace_iterator {
	struct trace_array *tr;
	struct tracer *trace;        /* the tracer when the file was opened */
	int cpu_file;                /* RING_BUFFER_ALL_CPUS or one */
	void *private;               /* the tracer's, from open to close */
	struct trace_buffer *buffer; /* not consuming: the one that iters are of */
	bool snapshot;               /* it was opened as the snapshot */
	struct ring_buffer_iter *
		*iters; /* nr_cpu_ids, NULL where there is no CPU; itself NULL when consuming */
	u8 *copy;       /* a page that holds the current entry */
	u64 end;        /* not consuming: entries that are younger are left out */
	bool paused;    /* tracing was stopped by the option pause-on-trace */
	bool annotated; /* a line has been printed: from now on "CPU n buffer started" */
	struct cpumask started; /* CPUs of which a line has been printed */

	/* The current entry. */
	struct trace_entry *ent;
	size_t ent_size;
	unsigned cpu;
	u64 ts;
	u64 next_ts;     /* of the entry after it, or 0; only for iters */
	u64 lost_events; /* before it */
	u64 idx;         /* entries before it */
	loff_t pos;      /* of the seq_file */

	bool leftover; /* it did not fit into the reader's buffer: seq holds it for the next one */
	struct trace_seq seq; /* its line */
};

/* For all CPUs or one; consuming: what it hands out is gone for other readers. NULL without memory.
 */
struct trace_iterator *trace_iterator_alloc(struct trace_array *tr, int cpu, bool consuming);
/* Not consuming, of tr->buffer or tr->snapshot. */
struct trace_iterator *trace_iterator_alloc_of(struct trace_array *tr, struct trace_buffer *buffer,
					       int cpu);
void trace_iterator_free(struct trace_iterator *iter);
/* Back to the oldest entry; not consuming. */
void trace_iterator_reset(struct trace_iterator *iter);
/* There is no entry that trace_find_next_entry() would hand out. */
bool trace_empty(struct trace_iterator *iter);
/* Go to the oldest entry of all CPUs that was not handed out; false at the end. */
bool trace_find_next_entry(struct trace_iterator *iter);
/* Print the current entry into iter->seq, in the form that the options ask for. */
enum print_line_t print_trace_line(struct trace_iterator *iter);
void print_trace_header(struct seq_file *m, struct trace_iterator *iter);
/* What latency-format says before the columns' names. */
void print_latency_header(struct seq_file *m, struct trace_iterator *iter);
/*
 * Go behind the entry that follows the current one on its CPU, if wanted() says so of it; the
 * current one stays what it is. A consuming reader has it alone meanwhile. False: there is no such
 * entry yet, entries were lost before it, or it is not wanted.
 */
typedef bool (*trace_wanted_t)(const struct trace_entry *next, size_t size, void *data);
bool trace_take_following(struct trace_iterator *iter, trace_wanted_t wanted, void *data);

/* ---- printing (trace/core/output.c); any context ---- */

/* What a print function returns: whether all that it printed into s has found room. */
static inline enum print_line_t trace_handle_return(const struct trace_seq *s)
{
	return trace_seq_has_overflowed(s) ? TRACE_TYPE_PARTIAL_LINE : TRACE_TYPE_HANDLED;
}

/* How one type of entry is printed. trace may be NULL: the entry's number stands there then. */
struct trace_event {
	enum trace_type type;
	enum print_line_t (*trace)(struct trace_iterator *iter); /* the text after the context */
	enum print_line_t (*raw)(struct trace_iterator *iter);
	enum print_line_t (*hex)(struct trace_iterator *iter);
	enum print_line_t (*binary)(struct trace_iterator *iter);
	struct trace_event *next;
};
/* Before the first entry of that type is written. Boot or task context with T held. */
void register_trace_event(struct trace_event *event);
struct trace_event *ftrace_find_event(unsigned type);
void trace_print_context(struct trace_iterator *iter);
void trace_print_lat_context(struct trace_iterator *iter);
void trace_print_lat_fmt(struct trace_seq *s, const struct trace_entry *entry);
/* The text alone of what trace_printk() and trace_marker wrote; TRACE_TYPE_UNHANDLED for others. */
enum print_line_t trace_print_printk_msg_only(struct trace_iterator *iter);
/* What stands at a duration: ' ' up to 10 us, then + ! # * @ $ from each power of ten on. */
char trace_delay_mark(u64 ns);
/* The symbol of ip as the options sym-offset and sym-addr want it. */
void seq_print_ip_sym(struct trace_seq *s, unsigned long ip, u64 trace_flags);

/* ---- files; task context ---- */

/* One file of a trace_array's directory, or of each per_cpu/cpuN: each source has a table of its
 * own. */
struct trace_file {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	bool per_cpu; /* in per_cpu/cpuN too */
	bool only_per_cpu;
	bool only_top; /* not in instances */
};
#define TRACE_FILES_MAX 16 /* tables */
/* Boot, before device_initcall: the files of the table, which ends with a NULL name, will be made.
 */
void __init trace_register_files(const struct trace_file *files);
/*
 * A copy of what was written, terminated, without white space at its ends. word holds max bytes:
 * -EINVAL when it does not fit. 0 else.
 */
int trace_get_word(char *word, size_t max, const char *buf, size_t count);
/* What was written as a number in decimal, octal or hexadecimal: 0 or -EINVAL, -ERANGE. */
int trace_get_number(const char *buf, size_t count, unsigned base, unsigned long *number);
/* The directory of tr, below tr->dir, which is there already: all its files. 0 or -ENOMEM. T held.
 */
int trace_create_files(struct trace_array *tr);
/* The files of a tracer's own options, if the directory is there already. 0 or -ENOMEM. T held. */
int create_trace_option_files(struct trace_array *tr, struct tracer *tracer);
/* options/ with all that is known; its memory, once the files are gone. 0 or -ENOMEM. T held. */
int trace_create_options_dir(struct trace_array *tr);
void trace_free_options(struct trace_array *tr);
/* events/ as far as it is there without trace events. 0 or -ENOMEM. Task context. */
int trace_create_events_dir(struct trace_array *tr);
/*
 * Note in error_log why a command was refused: location and errs[type] are texts that stay, such as
 * "sched:sched_switch" and "Field not found"; command is copied; position is the character of it at
 * which the caret stands. Task context.
 */
void tracing_log_err(struct trace_array *tr, const char *location, const char *command,
		     const char *const *errs, u8 type, u16 position);
void tracing_clear_errs(struct trace_array *tr);
/*
 * Print the buffer of a CPU, or of all (RING_BUFFER_ALL_CPUS), through printk, as after an oops;
 * tracing stays off. Any context.
 */
void ftrace_dump(int cpu);
