/*
 * perf inside: what the files of trace/perf/ share. docs/architecture.md explains the whole.
 *
 * An event is a source, which counts, and a consumer: the count itself, or samples in a buffer. It
 * belongs to a context: the events of one task, or of one CPU. An event is active while it and the
 * leader of its group are on. There is no PMU, so no event waits for a counter, and a task switch
 * places no events. Two kinds of sources need nothing at a switch at all:
 *
 *	level	The kernel has the number already, such as the page faults of a task. The event
 *		keeps the number at which it became active, and subtracts.
 *	hit	Code that runs looks for the events that it is to count in: those of its CPU,
 *		then those of the current task. It takes no lock.
 *
 * The third kind, clocks that sample, is started and stopped on the CPU of its task (PERF_ON_CPU).
 *
 * One mutex, perf_mutex (M), protects all that changes seldom: which events a context has, groups,
 * children, states, and which event writes into which buffer. Whoever opens, closes, switches,
 * reads or maps an event takes it, and so do fork, exec and exit of a task that has events. Nothing
 * that it protects is touched by a hit, but for reading under RCU:
 *
 *	- A node that leaves a list of RCU readers never joins another one.
 *	- What a hit may use is freed by an RCU callback, after it has left all lists.
 *	- The values that a hit may read while M's holder changes them are right at each step:
 *	  perf_event_value_in_hit().
 *
 * Order of locks: exec_update_lock or mmap_lock, then M, then P and R of a task (task_call_func()),
 * or perf_buffer.lock. Under M nobody touches user memory, and nobody takes event_mutex (E): a
 * source is made before the event is in a context, and given up after it has left. An IPI is sent
 * and waited for under M, never under a spinlock.
 *
 * Legend: [C] constant once others can see the object; [M] perf_mutex; [R] perf_mutex to write, RCU
 * to read; [W] only code that hits, on one CPU at a time: with local_*() operations, because
 * interrupts and NMIs hit, too; [O] the CPU on which the event is started, interrupts off;
 * [L] perf_buffer.lock; [E] event_mutex; [A] atomic.
 */
#pragma once

#include "arch/cpu/local.h"
#include "arch/cpu/percpu.h"
#include "kernel/atomic.h"
#include "kernel/irq/irq_work.h"
#include "kernel/linker_table.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/wait.h"
#include "kernel/task/task_work.h"
#include "trace/perf/buffer.h"
#include "trace/perf/perf_event.h"
#include "trace/perf/program.h"
#include "trace/perf/tap.h"

struct event_filter;
struct fasync_struct;
struct file;
struct mm_struct;
struct page;
struct perf_breakpoint;
struct perf_clocks;
struct perf_event;
struct perf_probe;
struct perf_tp;
struct pid;
struct pt_regs;
struct user_struct;
struct vm_area_struct;

extern struct mutex perf_mutex; /* M */

/* ---- sources ---- */

/* A line of sysfs: PMU/format/NAME. */
struct pmu_format {
	const char *name, *text; /* "retprobe", "config:0": a bit of attr */
};

/*
 * A kind of events, one file each. A linker table in the order of names (pmu.c), constant.
 */
struct pmu {
	const char *name;              /* of the directory in /sys/bus/event_source/devices */
	int type;                      /* PERF_TYPE_* */
#define PERF_TYPE_KPROBE PERF_TYPE_MAX /* programs read these two from the directory */
#define PERF_TYPE_UPROBE (PERF_TYPE_MAX + 1)
	struct pmu_format format[2]; /* without a name: none */
	/*
	 * A new event that no hit and no task can find: checks what attr asks of this kind, in
	 * Linux's order, and sets flags, source and exclude. Takes what hits need: probes, static
	 * keys, perf_tap_get(). A child takes nothing: its original lives longer. 0 or the
	 * errno of perf_event_open(2). Task context, no lock; may take E.
	 */
	int (*event_init)(struct perf_event *event);
	/*
	 * Undoes event_init, when the descriptor is closed. The event and its children have left
	 * their contexts, but hits that began before that may still use them. So this gives up
	 * registrations only, and frees nothing that a hit reads. Not for children. Task context,
	 * no lock; may take E. NULL: nothing to do.
	 */
	void (*destroy)(struct perf_event *event);
	/*
	 * The event joins event->ctx: 0, or an errno of perf_event_open(2) and fork(2); leaves it.
	 * M held. NULL: nothing to do.
	 */
	int (*join)(struct perf_event *event);
	void (*leave)(struct perf_event *event);
	/*
	 * PERF_LEVEL: the level of the event's context now. clocks: what they are now, so that a
	 * clock is not later than the times beside it. M held; or for the sample of a hit, without
	 * a lock, in any context: then event->ctx may become NULL.
	 */
	u64 (*read)(const struct perf_event *event, const struct perf_clocks *clocks);
	/* PERF_ON_CPU. On this CPU, interrupts off, R may be held: no lock, no wake-up. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* The event, which is not started, has another period or freq. M held. NULL: no matter. */
	void (*set_period)(struct perf_event *event);
	/*
	 * PERF_EVENT_IOC_SET_FILTER, of an original: sets event->filter. 0 or an errno; -EEXIST: it
	 * has one. Task context, no lock; may take E. NULL: -EINVAL.
	 */
	int (*set_filter)(struct perf_event *event, const char *text);
	/*
	 * PERF_EVENT_IOC_MODIFY_ATTRIBUTES, of an original: 0 or an errno. attr has passed
	 * perf_check_attr(). Task context, no lock. NULL: -EOPNOTSUPP.
	 */
	int (*modify)(struct perf_event *event, const struct perf_event_attr *attr);
	/*
	 * Hits run this program; NULL: none. 0 or an errno, not for NULL. E held. NULL: samples do.
	 */
	int (*set_program)(struct perf_event *event, struct perf_program *program);
	enum perf_program_kind program_kind; /* of a tracepoint: perf_tp_program_kind() */
	/* For BPF_TASK_FD_QUERY. Task context. NULL: nothing to tell. */
	void (*program_place)(const struct perf_event *event, struct perf_program_place *place);
};
/* static const struct pmu name PERF_PMU(name) = { … }; */
#define PERF_PMU(name) LINKER_TABLE_ENTRY(rodata, perf_pmus, #name)

/* pmu.c. The PMU with that type, or NULL: no such events. Any context. */
const struct pmu *perf_find_pmu(u32 type);

/* perf_event.flags */
#define PERF_LEVEL  0x01 /* pmu->read() is the count */
#define PERF_CLOCK  0x02 /* with PERF_LEVEL: it reads its clocks */
#define PERF_ON_CPU 0x04 /* start() and stop() */
#define PERF_RUN    0x08 /* of a task on one CPU: needs perf_context.run */

/* perf_event.exclude, and the mode of a hit. */
#define PERF_MODE_KERNEL 0x01
#define PERF_MODE_USER   0x02
#define PERF_MODE_IDLE   0x04
#define PERF_MODE_ALL    0x07

/* perf_event.after: what follows a sample. */
#define PERF_AFTER_ADAPT 0x01 /* the next period, for attr.freq */
#define PERF_AFTER_ALERT 0x02 /* perf_alert() */

/* ---- events ---- */

enum perf_state {
	PERF_OFF,
	PERF_ON,
	PERF_EXIT, /* its task has ended, or has given it up at exec: the values are final */
};

/* A time in ns: active ? the context's clock - base : sum. */
struct perf_time {
	u64 sum, base;
};

struct perf_event {
	/*
	 * [A] Keeps the memory. Of an original event, which perf_event_open(2) has made: its file
	 * and each child. Of a child, which fork has made: its context. At 0 the event is freed; if
	 * hits may find it, after a grace period.
	 */
	atomic_t refs;
	bool shown; /* [M] hits may find it: in their lists, or in a group */
	const struct perf_event_attr *attr; /* [C] a child has its original's */
	const struct pmu *pmu;              /* [C] */
	struct perf_event *parent;          /* [C] of a child: its original; NULL: is an original */
	u64 id;                             /* [C] */
	int cpu;                            /* [C] -1: any; a CPU's event has its CPU */
	bool of_task;                       /* [C] */
	u8 flags;                           /* [C] PERF_LEVEL … */
	/*
	 * PERF_MODE_*: no hits in these modes. Written by hits: PERF_MODE_ALL, when the limit of
	 * REFRESH is used up; [M]: as before.
	 */
	u8 exclude;
	u8 asked_exclude;    /* [C] the same as attr says */
	u8 after;            /* [M] to write: PERF_AFTER_* */
	u8 shows;            /* [C] PERF_MODE_*: samples may tell addresses of these modes */
	bool may_see_kernel; /* [C] the opener has the right to addresses of the kernel */
	u16 records; /* [C] the kinds of records that it gets: bits of enum perf_record_kind */
	const void *source;                 /* [C] what a hit looks for; NULL: nothing hits it */
	struct perf_tp *tp;                 /* [C] of an original: tracepoint.c */
	struct perf_probe *probe;           /* [C] of an original: probe.c */
	struct perf_breakpoint *breakpoint; /* [C] breakpoint.c */
	/* Of an original: a hit counts only if its record matches. NULL: all hits count. */
	struct event_filter *filter; /* [E] to write, RCU to read; set once */
	bool only_counts;  /* [E] to write: of an original that has no filter and does not sample */
	bool needs_record; /* [E] to write: of an original: filter, samples, program need it */
	struct perf_program *program; /* [E] of an original; NULL: none */
	/* Of an original: the program, if samples run it. [E] to write, RCU to read */
	struct perf_program *sample_program;

	/* Where it is. */
	struct perf_context *ctx;      /* [R] NULL: in no context (PERF_EXIT, or being closed) */
	struct list_head ctx_node;     /* [M] in ctx->events */
	struct list_head hit_node;     /* [R] in ctx->hits[], or in ctx->on_cpu */
	struct list_head record_node;  /* [R] in ctx->records */
	struct perf_event *leader;     /* [R] itself, or the leader of its group */
	struct list_head siblings;     /* [R] of a leader: sibling_node of the members */
	struct list_head sibling_node; /* [R] */
	unsigned nr_siblings;          /* [M] to write: of a leader */
	struct list_head children;     /* [M] of an original: child_node */
	struct list_head child_node;   /* [M] */
	unsigned nr_children;          /* [M] to write */
	struct perf_event *clone;      /* [M] during a fork: its copy in the child */

	/* Whether it counts. */
	enum perf_state state; /* [M] to write: as asked */
	bool enable_on_exec;   /* [M] the next exec of its task turns it on */
	bool active;           /* [M] to write: state and the leader's are PERF_ON */

	/* Values. Of a level and of times: [M] to write, see perf_event_value_in_hit(). */
	u64 count; /* [W] of hits; of a level: the count while it is not active */
	u64 base;  /* of a level: pmu->read() - base is the count while it is active */
	u64 zero;  /* [M] to write: the count at the last RESET */
	u64 lost;  /* [W] records that have found no room */
	struct perf_time enabled, running;
	u64 child_count, child_enabled, child_running, child_lost; /* [M] of children that ended */

	/* Samples. Those of a child go to its original's buffer. */
	u64 period;         /* [M] to write; with freq [W]. 0: no samples */
	u64 left;           /* [W] hits until the next sample */
	u64 freq;           /* [M] to write: samples in a second; 0: by period */
	u64 freq_stamp;     /* [W] ktime of the last sample, for the next period */
	u32 fixed_size;     /* [C] bytes of a sample without its variable parts */
	u32 id_size;        /* [C] bytes of the sample ids behind other records */
	u32 wakeup_events;  /* [C] so many samples wake readers; 0: by bytes */
	u64 (*clock)(void); /* [C] of TIME: the ktime, or attr.clockid's clock. Any context */
	struct perf_buffer *buffer;   /* [R] of an original; NULL: none */
	struct list_head buffer_node; /* [M and L] in buffer->attached */
	unsigned mmap_count;          /* [M] areas that were mapped by this event's descriptor */

	/* Signals, and the end of REFRESH: alert.c. */
	u32 alerts;                      /* [A] what a task is to do */
	int limit;                       /* [A] samples until it turns itself off; 0: no limit */
	struct callback_head alert_work; /* of the task that does it, while it is asked */
	u64 alert_addr;                  /* [W] si_addr of SIGTRAP */
	u64 sig_data;                    /* [M] to write: of an original, its si_perf_data */
	struct fasync_struct *fasync;    /* [fasync_lock] of an original */

	/* What is started on a CPU. */
	struct list_head started_node; /* [O] in perf_started: of a task's event that is started */
	bool started;                  /* [O] */
	bool throttled;                /* [O] clock.c */
	u32 window, in_window;         /* [O] clock.c: number of the 4 ms, samples in them */
	struct rb_node clock_node;     /* [O] clock.c */
	u64 due;                       /* [O] clock.c */

	wait_queue_head_t wait; /* of an original: poll(2) */
	union {
		struct callback_head release; /* the descriptor is closed: destroy() waits */
		struct rcu_head rcu;          /* the last reference is dropped */
	};
};

/* The event whose attributes and descriptor this one uses. Any context. */
static __always_inline struct perf_event *perf_original(struct perf_event *event)
{
	return event->parent ? event->parent : event;
}

static inline const struct perf_event *perf_const_original(const struct perf_event *event)
{
	return event->parent ? event->parent : event;
}

/* The id by which the program knows the event, and the children of it. */
static inline u64 perf_known_id(const struct perf_event *event)
{
	return event->parent ? event->parent->id : event->id;
}

/* Whether the TIME of their records can be compared. */
static inline bool perf_same_clock(const struct perf_event *a, const struct perf_event *b)
{
	return a->attr->use_clockid == b->attr->use_clockid &&
	       (!a->attr->use_clockid || a->attr->clockid == b->attr->clockid);
}

/*
 * The events of a task (task->perf, made with its first event), or of a CPU (perf_cpu_contexts).
 * That of a task ends with the task, or at an exec that takes the rights to look into it. Then it
 * is freed, and drops the reference to the task. Hits and switches of the task look into it, with
 * preemption off: so when the task itself ends it, and hits know none of its events, nobody does
 * any more. A context that another task has published must wait for a grace period.
 */
#define PERF_BUCKETS 16
struct perf_context {
	struct task_struct *task; /* [C] counted; NULL: of a CPU */
	struct list_head events;  /* [M] all events, oldest first */
	/*
	 * [R] Events that are hit, by their source, and in a task by their CPU: perf_bucket(). So
	 * a tool that opens one event for each CPU lets a hit walk none of another CPU.
	 */
	struct list_head hits[PERF_BUCKETS];
	struct list_head on_cpu;  /* [R] events with PERF_ON_CPU */
	struct list_head records; /* [R] events with perf_event.records */
	unsigned cpu;             /* [C] of a CPU's context */
	unsigned nr_inherit;      /* [M] events that a child of the task gets */
	unsigned nr_one_cpu;      /* [M] to write: events with a CPU */
	/*
	 * Of a task with an event with PERF_RUN: its runtime on each CPU, and its runtime when it
	 * got its CPU. Written by the switch hook and read by task_call_func(), so both hold R of
	 * the task's run queue. Made once [M]; NULL: no such event.
	 */
	u64 *run;
	u64 run_stamp;
	u64 migrations; /* the same lock: se.nr_migrations at the last switch to the task */
	bool shown; /* [M] others may look into it at its end: it is freed after a grace period */
	struct rcu_head rcu;
};
DECLARE_PER_CPU(struct perf_context, perf_cpu_contexts);

/* ---- buffers ---- */

struct perf_buffer {
	struct perf_ring ring; /* own legend */
	/* [M] areas that map it. At 0 no event writes into it any more, and it is freed. */
	unsigned mmap_count;
	spinlock_t lock;           /* L: interrupts off; the list only */
	struct list_head attached; /* [M and L] events that write into it: buffer_node */
	int cpu;                   /* [C] the CPU that writes; -1: the task of its events does */
	u32 poll;                  /* [A] POLLIN since the last poll(2) */
	u32 waited;                /* [A] poll(2) has found nothing since the last wake-up */
	struct irq_work irq_work;  /* wakes */
	/* [C] Who pays: pages of the user, and pages that are locked by the address space. */
	struct user_struct *user;
	struct mm_struct *mm; /* mmgrab() */
	unsigned long user_pages, mm_pages;
	struct rcu_head rcu;
	unsigned nr_pages;    /* [C] of the data */
	struct page *pages[]; /* [C] the first page, then the data: nr_pages + 1 */
};

/* ---- hits. Any context, preemption off ---- */

/* What is known of a hit. The source fills it. */
struct perf_sample_data {
	struct task_struct *task; /* whose ids: current, or the task that gets the CPU (switch.c) */
	u8 mode;                  /* PERF_MODE_KERNEL or _USER, and _IDLE */
	u64 ip, addr;
	const void *raw; /* the record of a tracepoint; NULL: none */
	u32 raw_size;
	unsigned long frame; /* of the kernel function to begin the call chain with; 0: none */
	/* The interrupted registers, of the kernel or of the program; NULL: not an interrupt. */
	const struct pt_regs *regs;
};

static __always_inline unsigned perf_bucket(const void *source, int cpu)
{
	return (((u32)((unsigned long)source >> 3) + (u32)cpu) * 0x9e3779b1U) >> 28;
}

/* One hit of an event that only counts. */
static __always_inline void perf_count(struct perf_event *event)
{
	if (READ_ONCE(event->active))
		local_add(&event->count, 1);
}

/*
 * Calls fn(event, data) for the events of this CPU, then for those of the current task, that look
 * for source. They may be off. context.c
 */
typedef void perf_hit_fn(struct perf_event *event, void *data);
void perf_for_each_hit(const void *source, perf_hit_fn *fn, void *data);
/* The two halves. task: current, or the task that gets this CPU. */
void perf_for_each_cpu_hit(const void *source, perf_hit_fn *fn, void *data);
void perf_for_each_task_hit(const struct task_struct *task, const void *source, perf_hit_fn *fn,
			    void *data);

/* The same, inline with fn, where each instruction matters. */
static __always_inline void perf_walk_cpu(const void *source, perf_hit_fn *fn, void *data)
{
	const struct perf_context *ctx = this_cpu_ptr(&perf_cpu_contexts);
	struct perf_event *event;

	list_for_each_entry_rcu (event, &ctx->hits[perf_bucket(source, -1)], hit_node)
		if (event->source == source)
			fn(event, data);
}

static __always_inline void perf_walk_task(const struct task_struct *task, const void *source,
					   perf_hit_fn *fn, void *data)
{
	const struct perf_context *ctx = rcu_dereference(task->perf);
	struct perf_event *event;
	int cpu;

	if (!ctx)
		return;
	list_for_each_entry_rcu (event, &ctx->hits[perf_bucket(source, -1)], hit_node)
		if (event->source == source && event->cpu == -1)
			fn(event, data);
	if (likely(!READ_ONCE(ctx->nr_one_cpu)))
		return;
	cpu = (int)smp_processor_id();
	list_for_each_entry_rcu (event, &ctx->hits[perf_bucket(source, cpu)], hit_node)
		if (event->source == source && event->cpu == cpu)
			fn(event, data);
}

static __always_inline void perf_walk(const void *source, perf_hit_fn *fn, void *data)
{
	perf_walk_cpu(source, fn, data);
	perf_walk_task(current_stable, source, fn, data);
}

/* sample.c. A sample is due. As perf_hit(). */
void perf_overflow(struct perf_event *event, const struct perf_sample_data *data);
/* overflow.c. A hit of an event with a period other than 1: whether a sample is due. */
bool perf_period_is_over(struct perf_event *event);
/* Counts a hit in this mode. Returns whether a sample is due: then perf_overflow() follows. */
static __always_inline bool perf_hit_is_sample(struct perf_event *event, u8 mode)
{
	u64 period = READ_ONCE(event->period); /* 0: no samples */

	if (!READ_ONCE(event->active) || (event->exclude & mode))
		return false;
	local_add(&event->count, 1);
	return likely(period == 1) || (period && perf_period_is_over(event));
}
/*
 * The whole hit: does nothing if the event is not active or excludes the mode; counts; samples when
 * the period is over.
 */
void perf_hit(struct perf_event *event, const struct perf_sample_data *data);
/* As a perf_hit_fn: data is a struct perf_sample_data. */
void perf_hit_one(struct perf_event *event, void *data);
/*
 * Guards the code that samples against its own hits: false, if this CPU is in it already. Then the
 * hit is only counted. An NMI may interrupt a sample, and has a level of its own. Interrupts are
 * off from here to the exit. In alert.c only preemption is: what interrupts hit is only counted.
 */
#define PERF_LEVELS 2                               /* 1: NMI */
DECLARE_PER_CPU(bool, perf_in_sample[PERF_LEVELS]); /* [O] */
static __always_inline bool perf_recursion_enter(unsigned level)
{
	if (unlikely(this_cpu_read(perf_in_sample[level])))
		return false;
	this_cpu_write(perf_in_sample[level], true);
	barrier();
	return true;
}
static __always_inline void perf_recursion_exit(unsigned level)
{
	barrier();
	this_cpu_write(perf_in_sample[level], false);
}

/*
 * A hit of a source that has a record: tracepoint.c. It hits those events that need no record. If
 * another one is on, the source builds the record, and hits these.
 */
struct perf_record_hit {
	const void *source;
	struct perf_sample_data data; /* valid if complete is NULL, but for raw and raw_size */
	void (*complete)(struct perf_record_hit *hit); /* sets data, for a sample */
	bool wants_record;                             /* of tracepoint.c */
};
/*
 * function.c. One more or one less event that each traced function hits. Returns their source, or
 * an errno as a pointer. Task context; waits for RCU-tasks, so E is not held. NULL: not linked.
 */
extern const void *(*perf_function_hook)(int n);
/* source, and data or complete are set. Returns whether there is an event that needs the record. */
bool perf_hit_without_record(struct perf_record_hit *hit);
void perf_hit_with_record(struct perf_record_hit *hit, const void *entry, u32 length);

/* ---- event.c: life, states, values. Task context ---- */

/*
 * A new event, off, in no context, for an attr that has passed perf_check_attr(). It takes attr
 * over, even if it fails: an errno of pmu->event_init(), or -ENOMEM. No lock held. From now on
 * perf_event_release() ends it.
 */
struct perf_event *perf_event_alloc(struct perf_event_attr *attr, const struct pmu *pmu, int cpu,
				    bool of_task);
/* A child of event's original, off, in no context. NULL: memory is short. M held. */
struct perf_event *perf_event_alloc_child(struct perf_event *event);
/* Turns an event, not its members, on or off. An event in PERF_EXIT stays. M held. */
void perf_event_set(struct perf_event *event, bool on);
/* The same for an original and its children. M held. */
void perf_event_set_all(struct perf_event *event, bool on);
/*
 * After a change of its state or leader: makes the event active or not, and then its members, and
 * waits until the CPU of its context has started or stopped it. M held.
 */
void perf_event_update(struct perf_event *event);
/* Makes an event inactive, but does not stop it on its CPU: the caller does. M held. */
void perf_event_freeze(struct perf_event *event);
/* Joins the group of a leader. M held. */
void perf_group_join(struct perf_event *event, struct perf_event *leader);
/* Leaves the group: the members of a leader become leaders. M held. */
void perf_group_leave(struct perf_event *event);

/* The count of an event without its children. M held. */
u64 perf_event_value(const struct perf_event *event);
/* For a sample, without a lock: a level may be off by what happens meanwhile. Any context. */
u64 perf_event_value_in_hit(const struct perf_event *event);
/* What read(2) tells of an event: with its children, without what RESET has put away. */
struct perf_values {
	u64 count, enabled, running, lost;
};
/* times: enabled and running are wanted, which cost the lock of a run queue. M held. */
void perf_event_read(const struct perf_event *event, bool times, struct perf_values *values);
/* The count alone. M not held. */
u64 perf_event_count(const struct perf_event *event);
void perf_event_reset(struct perf_event *event); /* the event and its children. M held */

/* Drops a reference. Any context but NMI, any lock but P and R. */
void perf_event_put(struct perf_event *event);
/*
 * The end of an original event, whose descriptor is closed, perhaps by exec with exec_update_lock
 * held. destroy() is left to the task, which calls it before it returns to its program. Task
 * context, M not held.
 */
void perf_event_release(struct perf_event *event);

/* ---- context.c ---- */

/* The context of a task, made if there is none. -ENOMEM; -ESRCH: the task has ended. M held. */
struct perf_context *perf_get_context(struct task_struct *task);
/* A context for a task that no CPU can run yet. NULL: memory is short. */
struct perf_context *perf_alloc_context(struct task_struct *task);
/* Frees the context of a task, which has no event. M held. */
void perf_put_context(struct perf_context *ctx);
/* The event joins the context: hits find it. 0, -ENOMEM, or an errno of pmu->join(). M held. */
int perf_context_add(struct perf_context *ctx, struct perf_event *event);
/* An event that is not active leaves its context. Hits see it until a grace period. M held. */
void perf_context_remove(struct perf_event *event);
/*
 * Makes the CPU on which the context is now start and stop what has changed, and waits for it. A
 * task that does not run needs nothing. M held, no spinlock.
 */
void perf_kick(struct perf_context *ctx);
/*
 * The clocks of an event in a context: of its time enabled and of its time running. The runtime of
 * the task, and its runtime on event->cpu; or the time of day of a CPU. Takes P and R of the task.
 * M held.
 */
struct perf_clocks {
	u64 enabled, running;
};
struct perf_clocks perf_read_clocks(const struct perf_event *event);
/*
 * For the sample of a hit, which may have interrupted the holder of R. May miss what another CPU
 * charges to the task at this moment, and never tells too much. Any context.
 */
struct perf_clocks perf_guess_clocks(const struct perf_event *event);

/* ---- mmap.c: buffers and who pays for them. M held, except where stated ---- */

int perf_mmap(struct file *file, struct vm_area_struct *vma); /* mmap_lock held, M not */
/* PERF_EVENT_IOC_SET_OUTPUT. to: NULL: none. 0 or -EINVAL. */
int perf_set_output(struct perf_event *event, struct perf_event *to);
void perf_detach_buffer(struct perf_event *event);
/* Writes times and count into the first page of the event's buffer. event->mmap_count > 0. */
void perf_update_user_page(struct perf_event *event);

/* ---- the rest ---- */

/* inherit.c. The task ends, or runs a program that others may not look into. M held. */
void perf_end_context(struct task_struct *task);
/* switch.c */
/* Starts and stops what has changed in the context that is on this CPU. Interrupts off. */
void perf_resched(void *ctx);
/* Stops all events of the task that is on this CPU. Interrupts off. */
void perf_stop_started(void);
/* rights.c: 0, or the errno of perf_event_paranoid for the current task. */
int perf_allow_user(void);       /* -EACCES: not even its own user mode */
int perf_allow_kernel(void);     /* -EACCES */
int perf_allow_cpu(void);        /* -EACCES */
int perf_allow_tracepoint(void); /* -EPERM: no records of the kernel */
bool perfmon_capable(void);
int perf_paranoia(void);                       /* perf_event_paranoid. Any context */
extern int sysctl_perf_event_max_stack;        /* callchain.c */
extern int sysctl_perf_event_sample_rate;      /* overflow.c */
extern const struct file_operations perf_fops; /* file.c */
/*
 * open.c: a copy of a program's attr, checked; the caller frees it. An errno as a pointer; -E2BIG:
 * attr.size of the program has the size that is known. Task context.
 */
struct perf_event_attr *perf_copy_attr(struct perf_event_attr __user *from);
