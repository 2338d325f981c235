/*
 * Trace events: struct trace_event_call, one per event, and struct trace_event_file, one per event
 * and trace_array. docs/events.md explains the way of one event; Documentation/trace/events.rst is
 * the specification of the files.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/linker_table.h"
#include "kernel/rcu/rcu.h"
#include "kernel/tracepoint.h"
#include "trace/core/events.h"
#include "trace/core/trace_array.h"
#include "trace/events/fields.h"

#define MAX_EVENT_NAME 128 /* bytes of the name of an event or of a system, with its NUL */

struct event_filter;
struct event_pids;
struct event_trigger_data;
struct seq_file;
struct trace_event_file;

/* event_trigger_data.plain (trace/trigger/trigger.h). */
typedef void (*event_trigger_plain_t)(struct event_trigger_data *data, const void *rec);

enum trace_reg {
	TRACE_REG_REGISTER,   /* start to call the event's probe for a file */
	TRACE_REG_UNREGISTER, /* stop */
};

#define TRACE_EVENT_FL_IGNORE_ENABLE 0x01 /* no enable file: a tracer writes the entries */
#define TRACE_EVENT_FL_DYNAMIC       0x02 /* made at run time; in a list, not in the linker table */
#define TRACE_EVENT_FL_TRACEPOINT    0x04 /* a tracepoint calls the probe */
#define TRACE_EVENT_FL_PROBE         0x08 /* of probes: no event probe can be made of it */
#define TRACE_EVENT_FL_UPROBE        0x10 /* programs hit it, in user mode */
#define TRACE_EVENT_FL_INSTANCE      0x20 /* reg needs the other events of the trace_array */

/*
 * One event, for all trace_arrays. Events of the kernel are in a linker table that
 * trace/events/define.h fills. Others are made at run time (synthetic events, probes).
 *
 * [E] event_mutex; no letter: constant once the event is in trace_event_calls.
 */
struct trace_event_call {
	struct trace_event event; /* the number, the system and name, fields, text; own legend */
	/* Of the kernel's events: event.fields, from the boot on. */
	const struct trace_event_field *(*get_fields)(void);
	struct tracepoint *tp; /* NULL: reg makes the event */
	void *probe;           /* the probe of tp: records the event in its data, a file */
	/* Starts or stops the event for a file. 0 or an errno. E held; may wait for RCU. */
	int (*reg)(struct trace_event_call *call, enum trace_reg type,
		   struct trace_event_file *file);
	/*
	 * Of an event of probes: the context of hits is to be all registers from now on, for
	 * programs. 0 or an errno. E held; may wait for RCU. NULL: of another event.
	 */
	int (*keep_registers)(struct trace_event_call *call);
	/*
	 * The module that has the event; NULL: none. Everything that keeps the event, such as an
	 * open file or a trigger, keeps the module.
	 */
	struct module *mod;
	const struct trace_event_group *group; /* that has made the event; NULL: none */
	void *data;                            /* of the owner of a dynamic event */
	u32 flags;                             /* TRACE_EVENT_FL_* */
	unsigned users;   /* [E] histograms and other code that keep a dynamic event */
	unsigned eprobes; /* [E] event probes that are made of this event */
	/*
	 * Of a dynamic event that may be removed while its files are open: frees it, when keepers
	 * is 0. Any context. NULL: of another event.
	 */
	void (*release)(struct trace_event_call *call);
	atomic_t keepers;      /* [A] with release: its owner as one, and each trace_event_file */
	struct list_head list; /* [E] in trace_event_calls */
};

/*
 * Events that are made at boot, have their own data in each trace_array, and can be enabled at
 * once: those of the system calls. A linker table, which events.c walks.
 */
struct trace_event_group {
	const char *system;
	/* Which of the events are enabled in a trace_array. */
	struct trace_array_part *part;
	/* Adds the events to trace_event_calls. 0 or -ENOMEM. Boot, E held. */
	int (*add_calls)(void);
	/* Whether tr uses none of the events, in soft mode neither. E held. */
	bool (*unused)(struct trace_array *tr);
	/*
	 * Enables all the events in a trace_array that uses none of them, at a fraction of the cost
	 * of enabling them one by one. first is the file of the first one in the list of files; the
	 * others follow it. Returns the last file and the number of them, or an errno as a pointer:
	 * none is enabled. E held, between tracepoint_batch_begin() and tracepoint_batch_end().
	 */
	struct trace_event_file *(*enable_all)(struct trace_event_file *first, unsigned *count);
};
#define TRACE_EVENT_GROUP(name)                                                                    \
	static const struct trace_event_group name LINKER_TABLE_ENTRY(rodata, trace_event_groups,  \
								      #name)

/* The reg of events of tracepoints (enable.c). */
int trace_event_reg(struct trace_event_call *call, enum trace_reg type,
		    struct trace_event_file *file);

/* Returns the event of that name, or NULL. E held. */
struct trace_event_call *trace_find_event_call(const char *system, const char *name);
/*
 * Adds a dynamic event to all trace_arrays. No other event has its system and name. The caller has
 * set event.name, event.system, event.fields, event.print_fmt, event.trace and reg. 0, -ENOMEM, or
 * -ENOSPC (no number is free). E held. dynamic_calls.c
 */
int trace_add_event_call(struct trace_event_call *call);
/*
 * Removes a dynamic event from all trace_arrays. Clears the traces that may have entries of it. 0,
 * or -EBUSY: the event is enabled, a trigger or a histogram uses it, or one of its files is open
 * and the event has no release(). Readers may still print with the event: free it with
 * call_rcu_tasks(); one with release() there, after trace_event_call_put(). E held.
 */
int trace_remove_event_call(struct trace_event_call *call);
/*
 * Returns whether a dynamic event cannot be removed, its open files not considered. probes_too: an
 * event probe that is made of it keeps it, too. E held.
 */
bool trace_event_call_busy(const struct trace_event_call *call, bool probes_too);
/* For files.c: gives the file of a dynamic event an owner, when it has a directory. E held. */
void trace_event_file_init_owner(struct trace_event_file *file);
/* For events.c: takes the dynamic events out of tr, which is being removed. E held. */
void trace_detach_dynamic_events(struct trace_array *tr);

/* All events: those of the linker table, then the dynamic ones. */
extern struct list_head trace_event_calls; /* [E] */

static inline const char *trace_event_name(const struct trace_event_call *call)
{
	return call->event.name;
}

/* Returns the event's system. The entries of the tracers are in the system "ftrace". */
static inline const char *trace_event_system(const struct trace_event_call *call)
{
	return call->event.system ? call->event.system : "ftrace";
}

enum {
	EVENT_FILE_FL_ENABLED = 0x01,       /* the probe is registered */
	EVENT_FILE_FL_RECORDED_CMD = 0x02,  /* the file counts in tracing_record_cmdline() */
	EVENT_FILE_FL_RECORDED_TGID = 0x04, /* the same for record-tgid */
	EVENT_FILE_FL_FILTERED = 0x08,      /* filter is set */
	EVENT_FILE_FL_SOFT_MODE = 0x10,     /* sm_ref > 0: registered for a trigger or a probe */
	EVENT_FILE_FL_SOFT_DISABLED = 0x20, /* the probe runs, but records nothing */
	EVENT_FILE_FL_TRIGGER_MODE = 0x40,  /* tm_ref > 0: triggers is not empty */
	EVENT_FILE_FL_TRIGGER_COND = 0x80,  /* a trigger needs the record */
	EVENT_FILE_FL_PID_FILTER = 0x100,   /* set_event_pid or set_event_notrace_pid is in use */
	EVENT_FILE_FL_WAS_ENABLED = 0x200,  /* the buffer may hold entries of this event */
	EVENT_FILE_FL_PRINTK = 0x400,       /* tp_printk: the event is printed as well */
	EVENT_FILE_FL_PERF = 0x800,         /* of perf: no trace_array records it (record.h) */
	EVENT_FILE_FL_PERF_ASKS = 0x1000,   /* with that: wants_record() may drop a hit, too */
	EVENT_FILE_FL_KEEPS_CALL = 0x2000,  /* counted in call->keepers */
	EVENT_FILE_FL_REMOVED = 0x4000,     /* the event is removed: only open files are left */
};
/* What enabling sets. */
#define EVENT_FILE_FL_ON                                                                           \
	(EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_WAS_ENABLED | EVENT_FILE_FL_RECORDED_CMD)
/* With one of these, the probe takes the slow way (trace/events/record.c). */
#define EVENT_FILE_FL_SLOW                                                                         \
	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE |       \
	 EVENT_FILE_FL_PID_FILTER | EVENT_FILE_FL_PRINTK | EVENT_FILE_FL_PERF)

/*
 * One event in one trace_array: the directory events/SYSTEM/NAME of it, and the data of the probe.
 * Freed after an RCU grace period and after the last inode of its directory.
 *
 * [E] event_mutex; [R] E to write, RCU to read; [A] atomic, any context reads. E is held when a
 * flag changes, but for SOFT_DISABLED: triggers and function probes change it in any context. So
 * all changes of flags are atomic.
 */
struct trace_event_file {
	unsigned long flags;           /* [A] EVENT_FILE_FL_* */
	struct trace_event_call *call; /* constant */
	struct trace_array *tr;        /* constant */
	struct event_filter *filter;   /* [R] NULL: all records pass */
	struct list_head triggers;     /* [R] event_trigger_data */
	/* [R] the only trigger, if its .plain is not NULL; NULL: see the list */
	struct event_trigger_data *plain;
	unsigned sm_ref;       /* [E] users of soft mode; any context reads */
	unsigned tm_ref;       /* [E] triggers */
	struct dentry *dir;    /* [E] NULL before the file systems are ready */
	struct list_head list; /* [R] in trace_events_of(tr)->files */
	/* Of the directory of a dynamic event; its parent is the instance. Own legend. */
	struct file_owner owner;
	struct rcu_head rcu; /* of a dynamic event: frees the file */
};

/* The events of a trace_array. The legend is that of struct trace_event_file. */
struct trace_array_events {
	struct list_head files;   /* [R] struct trace_event_file */
	struct list_head systems; /* [E] struct event_system (files.c) */
	struct dentry *dir;       /* constant once created: events/ */
	bool detached;            /* [E] the instance is being removed: it gets no new event */
	struct event_pids *pids;  /* constant once created: set_event_pid (event_pids.h) */
	struct trace_event_file *print_file; /* constant once created: of ftrace:print */
};

/* Adds the file of an event to tr. NULL: no memory. E held. */
struct trace_event_file *trace_event_file_create(struct trace_array *tr,
						 struct trace_event_call *call);
/* Whether the event is removed, and a file of it is open: what changes it gives -ENODEV. E held. */
static inline bool trace_event_file_removed(const struct trace_event_file *file)
{
	return unlikely(file->flags & EVENT_FILE_FL_REMOVED);
}
/* The owner of a removed event with release() drops it. Open files may keep it. Any context. */
static inline void trace_event_call_put(struct trace_event_call *call)
{
	if (atomic_dec_and_test(&call->keepers))
		call->release(call);
}
/* Frees a file that no probe and no list walker uses. */
void trace_event_file_free(struct trace_event_file *file);

extern struct trace_array_part trace_events_part;
static inline struct trace_array_events *trace_events_of(struct trace_array *tr)
{
	return *trace_array_private(tr, &trace_events_part);
}

/* ---- switching (enable.c); E held ---- */

/*
 * Enables or disables recording (soft_disable false), or a user's soft mode (true): then the probe
 * runs while the event is off, for triggers. 0 or an errno of reg. Between
 * tracepoint_batch_begin() and tracepoint_batch_end() all tracepoints change with one patch of
 * the kernel's text.
 */
int trace_event_enable_disable(struct trace_event_file *file, bool enable, bool soft_disable);
/*
 * Counts a reference to the module of the event, if it has one, for a user that keeps the event,
 * such as a trigger. module_put() ends it. False: the module is GOING, or COMING: if its init
 * fails, the module goes, whatever keeps it.
 */
bool trace_event_get_module(const struct trace_event_call *call);
/*
 * Let an event in soft mode record or not. Returns true if that changes something. Any context.
 */
bool trace_event_soft_switch(struct trace_event_file *file, bool enable);
bool trace_event_soft_enabled(const struct trace_event_file *file);
/* Returns the file of an event that can be enabled, or NULL. */
struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
					 const char *name);
/* The same, but also finds events without an enable file, such as ftrace:print. */
struct trace_event_file *find_any_event_file(struct trace_array *tr, const char *system,
					     const char *name);

/*
 * Enables or disables events: "SYSTEM:NAME", where an empty part or "*" means all, or the name of
 * an event or of a system; NULL: all. Only those of the module mod, if it is not NULL. -EINVAL:
 * there is no such event.
 */
int trace_set_clr_event(struct trace_array *tr, const char *match, const struct module *mod,
			bool enable);
/*
 * A word of set_event without its '!', which is changed: as trace_set_clr_event(), or
 * "MATCH:mod:MODULE" (Linux 6.14: Documentation/trace/events.rst). 0, -EINVAL or -ENOMEM.
 */
int trace_set_clr_word(struct trace_array *tr, char *word, bool enable);
/* Drops the words of tr that wait for their modules. */
void trace_forget_module_words(const struct trace_array *tr);

/* What the feature modules adds to set_event: a linker table with at most one entry. E held. */
struct event_module_words {
	/*
	 * Enables or disables events of the module. A word for a module that has not come waits for
	 * it, or is dropped. 0; -EINVAL: nothing matches, or no such word waits; -ENOMEM.
	 */
	int (*set_clr)(struct trace_array *tr, const char *match, const char *module, bool enable);
	void (*show)(struct seq_file *m, const struct trace_array *tr);
	void (*forget)(const struct trace_array *tr); /* drops all words of tr */
};

/*
 * The tracepoint of that name of an event of a module; NULL: none. The module stays: a reference,
 * or RCU. Any context.
 */
struct tracepoint *trace_module_tracepoint(const struct module *module, const char *name);

/* Applies trace_event= and trace_trigger= of the command line (boot.c). Boot. */
void trace_boot_events(void);
