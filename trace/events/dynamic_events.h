/*
 * dynamic_events: the events that users make at run time, whatever their kind, and the commands
 * that create and remove them. Each kind (synthetic events, event probes) has one struct
 * dyn_event_operations. Task context.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/linker_table.h"
#include "kernel/types.h"

struct dyn_event_operations;
struct file;
struct seq_file;

/* One event. Embedded in the struct of its kind. */
struct dyn_event {
	struct list_head list;                  /* [E] in dyn_event_list, the oldest first */
	const struct dyn_event_operations *ops; /* constant */
};

struct dyn_event_operations {
	/*
	 * Creates an event from a line of dynamic_events. 0 or an errno; -ECANCELED: the line is of
	 * another kind. dyn_event_mutex held, E not.
	 */
	int (*create)(const char *command);
	/* Prints the event as a line that creates it again. E held, as for the following. */
	void (*show)(struct seq_file *m, struct dyn_event *event);
	/* all: events that are made of this one will be removed before it. */
	bool (*is_busy)(struct dyn_event *event, bool all);
	/* Removes and frees the event. 0 or -EBUSY. */
	int (*free)(struct dyn_event *event);
	/*
	 * Returns 1 if the event has this name and is what the rest of the command says, else 0; or
	 * -ENOMEM. system NULL: any system. The name may be "", which some kinds take for all
	 * names.
	 */
	int (*match)(const struct dyn_event *event, const char *system, const char *name,
		     const char *rest);
};

/* Defines the operations of one kind: DYN_EVENT_OPERATIONS(synth) = { … }; */
#define DYN_EVENT_OPERATIONS(kind)                                                                 \
	static const struct dyn_event_operations kind##_dyn_event_ops LINKER_TABLE_ENTRY(          \
		rodata, dyn_event_operations, #kind)

extern struct list_head dyn_event_list; /* [E] */
/* Serializes the commands that create and remove dynamic events. Taken before E. */
extern struct mutex dyn_event_mutex;

/* Adds an event that is complete, and removes it. E held. */
void dyn_event_add(struct dyn_event *event, const struct dyn_event_operations *ops);
void dyn_event_remove(struct dyn_event *event);

/*
 * Runs "-:[SYSTEM/]NAME REST" or "!KIND:[SYSTEM/]NAME REST": removes all events with that name
 * (ops: of that kind; NULL: of all kinds) that are what REST says. 0 or an errno; events before the
 * one that is in use are removed. dyn_event_mutex held, E not.
 */
int dyn_event_release(const char *command, const struct dyn_event_operations *ops);

/*
 * Runs a line of a file with the events of one kind: "-:…" as dyn_event_release(), or a definition.
 * 0 or an errno. dyn_event_mutex held, E not.
 */
int dyn_event_run(const char *command, const struct dyn_event_operations *ops);
/* Runs a line of dynamic_events: as above, for events of all kinds; also "!…". */
int dyn_event_run_any(const char *command);

/* A file with the events of one kind, or of all kinds if ops is NULL. */
struct dyn_event_file {
	const struct dyn_event_operations *ops;
	/* Prints the line of an event. E held. NULL: ops->show of the event's kind. */
	void (*show)(struct seq_file *m, struct dyn_event *event);
};
/*
 * Opens such a file for seq_read(). If it is opened with O_TRUNC and can be written, all its events
 * are removed; -EBUSY: one is in use, and all remain. dyn_event_mutex is not held.
 */
int dyn_events_open(struct file *file, const struct dyn_event_file *events);

/*
 * Calls run for each line of what was written to a file, without its comment, which # begins, and
 * with dyn_event_mutex held. Returns count, or the first errno: then the lines before it have been
 * run. -EINVAL: a line has more than 4094 characters.
 */
ssize_t dyn_events_run_commands(const char *buf, size_t count, int (*run)(const char *command));
