/*
 * perf inside: what the files of trace/perf/ share. docs/architecture.md explains the whole.
 *
 * An event is a source, which counts, and a consumer, which is the count itself. It belongs to a
 * context: the events of one task, or of one CPU. An event is active while it and the leader of its
 * group are on. There is no PMU, so no event waits for a counter, and a task switch places no
 * events. There are two kinds of sources:
 *
 *	level	The kernel has the number already, such as the page faults of a task. The event
 *		keeps the number at which it became active, and subtracts.
 *	hit	Code that runs looks for the events that it is to count in: those of its CPU, then
 *		those of the current task. It takes no lock.
 *
 * One mutex, perf_mutex (M), protects all that changes seldom: which events a context has, groups,
 * children and states. Whoever opens, closes, switches or reads an event takes it, and so do fork,
 * exec and exit of a task that has events. Nothing that it protects is touched by a hit, but for
 * reading under RCU:
 *
 *	- A node that leaves a list of RCU readers never joins another one.
 *	- What a hit may use is freed by an RCU callback, after it has left all lists.
 *
 * Order of locks: exec_update_lock or mmap_lock, then M, then P and R of a task (task_call_func()).
 * Under M nobody touches user memory, and nobody takes event_mutex (E): a source is made before the
 * event is in a context, and given up after it has left.
 *
 * Legend: [C] constant once others can see the object; [M] perf_mutex; [R] perf_mutex to write, RCU
 * to read; [W] only code that hits, on one CPU at a time: with local_*() operations, because
 * interrupts and NMIs hit, too; [A] atomic.
 */
#pragma once

#include "arch/cpu/local.h"
#include "arch/cpu/percpu.h"
#include "kernel/atomic.h"
#include "kernel/linker_table.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/wait.h"
#include "kernel/task/task_work.h"
#include "trace/perf/perf_event.h"

struct file;
struct perf_clocks;
struct perf_event;
struct pid;

extern struct mutex perf_mutex; /* M */

/* ---- sources ---- */

/*
 * A kind of events, one file each. A linker table in the order of names (pmu.c), constant.
 */
struct pmu {
	const char *name; /* of the directory in /sys/bus/event_source/devices */
	int type;         /* PERF_TYPE_* */
	/*
	 * A new event that no hit and no task can find: checks what attr asks of this kind, in
	 * Linux's order, and sets flags, source and exclude. Takes what hits need: probes, static
	 * keys, perf_switch_users(). A child takes nothing: its original lives longer. 0 or the
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
	/* The event joins event->ctx. M held. NULL: nothing to do. */
	void (*join)(struct perf_event *event);
	/*
	 * PERF_LEVEL: the level of the event's context now. clocks: what they are now, so that a
	 * clock is not later than the times beside it. M held.
	 */
	u64 (*read)(const struct perf_event *event, const struct perf_clocks *clocks);
};
/* static const struct pmu name PERF_PMU(name) = { … }; */
#define PERF_PMU(name) LINKER_TABLE_ENTRY(rodata, perf_pmus, #name)

/* pmu.c. The PMU with that type, or NULL: no such events. Any context. */
const struct pmu *perf_find_pmu(u32 type);

/* perf_event.flags */
#define PERF_LEVEL 0x01 /* pmu->read() is the count */
#define PERF_CLOCK 0x02 /* with PERF_LEVEL: it reads its clocks */
#define PERF_RUN   0x04 /* of a task on one CPU: needs perf_context.run */

/* perf_event.exclude, and the mode of a hit. */
#define PERF_MODE_KERNEL 0x01
#define PERF_MODE_USER   0x02
#define PERF_MODE_IDLE   0x04

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
	 * and each child. Of a child, which fork has made: its context. At 0 the event is freed
	 * after a grace period.
	 */
	atomic_t refs;
	const struct perf_event_attr *attr; /* [C] a child has its original's */
	const struct pmu *pmu;              /* [C] */
	struct perf_event *parent;          /* [C] of a child: its original; NULL: is an original */
	struct pid *owner;                  /* [C] of an original: the task that has opened it */
	struct list_head owned_node;        /* [M] of an original: in the list of all of them */
	u64 id;                             /* [C] */
	int cpu;                            /* [C] -1: any; a CPU's event has its CPU */
	bool of_task;                       /* [C] */
	u8 flags;                           /* [C] PERF_LEVEL … */
	u8 exclude;                         /* [C] PERF_MODE_*: no hits in these modes */
	const void *source;                 /* [C] what a hit looks for; NULL: nothing hits it */

	/* Where it is. */
	struct perf_context *ctx;      /* [M] NULL: in no context (PERF_EXIT, or being closed) */
	struct list_head ctx_node;     /* [M] in ctx->events */
	struct list_head hit_node;     /* [R] in ctx->hits[] */
	struct perf_event *leader;     /* [M] itself, or the leader of its group */
	struct list_head siblings;     /* [M] of a leader: sibling_node of the members */
	struct list_head sibling_node; /* [M] */
	unsigned nr_siblings;          /* [M] of a leader */
	struct list_head children;     /* [M] of an original: child_node */
	struct list_head child_node;   /* [M] */
	unsigned nr_children;          /* [M] to write */
	struct perf_event *clone;      /* [M] during a fork: its copy in the child */

	/* Whether it counts. */
	enum perf_state state; /* [M] to write: as asked */
	bool enable_on_exec;   /* [M] the next exec of its task turns it on */
	bool active;           /* [M] to write: state and the leader's are PERF_ON */

	/* Values. */
	u64 count; /* [W] of hits; of a level [M]: the count while it is not active */
	u64 base;  /* [M] of a level: pmu->read() - base is the count while it is active */
	u64 zero;  /* [M] the count at the last RESET */
	struct perf_time enabled, running;             /* [M] */
	u64 child_count, child_enabled, child_running; /* [M] of children that have ended */

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

/*
 * The events of a task (task->perf, made with its first event), or of a CPU (perf_cpu_contexts).
 * That of a task ends with the task, or at an exec that takes the rights to look into it. Then an
 * RCU callback frees it, and drops the reference to the task.
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
	unsigned nr_inherit; /* [M] events that a child of the task gets */
	/*
	 * Of a task with an event with PERF_RUN: its runtime on each CPU, and its runtime when it
	 * got its CPU. Written by the switch hook and read by task_call_func(), so both hold R of
	 * the task's run queue. Made once [M]; NULL: no such event.
	 */
	u64 *run;
	u64 run_stamp;
	u64 migrations; /* the same lock: se.nr_migrations at the last switch to the task */
	struct rcu_head rcu;
};
DECLARE_PER_CPU(struct perf_context, perf_cpu_contexts);

/* ---- hits. Any context, preemption off ---- */

static __always_inline unsigned perf_bucket(const void *source, int cpu)
{
	return (((u32)((unsigned long)source >> 3) + (u32)cpu) * 0x9e3779b1U) >> 28;
}

/*
 * Counts a hit in the events of this CPU and of the current task that look for source, unless they
 * exclude its mode (PERF_MODE_*). context.c
 */
void perf_hit(const void *source, u8 mode);
/* The two halves. task: current, or the task that gets this CPU. */
void perf_hit_cpu(const void *source, u8 mode);
void perf_hit_task(const struct task_struct *task, const void *source, u8 mode);

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
/* After a change of its state or leader: makes it active or not, and then its members. M held. */
void perf_event_update(struct perf_event *event);
/* Makes an event inactive. M held. */
void perf_event_freeze(struct perf_event *event);
/* Leaves the group: the members of a leader become leaders. M held. */
void perf_group_leave(struct perf_event *event);
/* Turns all events on or off that the current task has opened. M is not held. */
void perf_set_owned(bool on);

/* The count. M held. */
u64 perf_event_value(const struct perf_event *event);
/* What read(2) tells of an event: with its children, without what RESET has put away. */
struct perf_values {
	u64 count, enabled, running;
};
/* times: enabled and running are wanted, which cost the lock of a run queue. M held. */
void perf_event_read(const struct perf_event *event, bool times, struct perf_values *values);
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
/* Frees the context of a task, which has no event, after a grace period. M held. */
void perf_put_context(struct perf_context *ctx);
/* The event joins the context: hits find it. 0 or -ENOMEM. M held. */
int perf_context_add(struct perf_context *ctx, struct perf_event *event);
/* An event that is not active leaves its context. Hits see it until a grace period. M held. */
void perf_context_remove(struct perf_event *event);
/*
 * The clocks of an event in a context: of its time enabled and of its time running. The runtime of
 * the task, and its runtime on event->cpu; or the time of day of a CPU. Takes P and R of the task.
 * M held.
 */
struct perf_clocks {
	u64 enabled, running;
};
struct perf_clocks perf_read_clocks(const struct perf_event *event);

/* ---- the rest ---- */

/* inherit.c. The task ends, or runs a program that others may not look into. M held. */
void perf_end_context(struct task_struct *task);
/* switch.c. One more or one less user of the hook at a switch. Task context, sleeps, M not held. */
void perf_switch_users(int n);
/* software.c, for the hook at a switch. R held, interrupts off; the current task is prev. */
void perf_software_switch(struct task_struct *prev, struct task_struct *next);
/* rights.c: 0, or the errno of perf_event_paranoid for the current task. */
int perf_allow_user(void);   /* -EACCES: not even its own user mode */
int perf_allow_kernel(void); /* -EACCES */
int perf_allow_cpu(void);    /* -EACCES */
bool perfmon_capable(void);
extern const struct file_operations perf_fops; /* file.c */
/* The event of an open file, or NULL: another kind of file. */
struct perf_event *perf_file_event(struct file *file);
/*
 * open.c: a copy of a program's attr, checked; the caller frees it. An errno as a pointer; -E2BIG:
 * attr.size of the program has the size that is known. Task context.
 */
struct perf_event_attr *perf_copy_attr(struct perf_event_attr __user *from);
