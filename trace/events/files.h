/* The directory events/ of a trace_array. Task context. */
#pragma once

#include "trace/events/event.h"

/* Creates events/ and all that is in it. 0 or -ENOMEM. E and T held. */
int trace_events_create_files(struct trace_array *tr);
/* Creates events/SYSTEM/EVENT/ of a file. 0 or -ENOMEM. E held. */
int trace_event_create_dir(struct trace_event_file *file);
/*
 * Returns the directory of a dynamic system, or NULL: the system has events of the kernel. E held.
 */
struct event_system *trace_event_dynamic_system(struct trace_array *tr, const char *name);
/* Removes a dynamic system with its directory. E held. */
void trace_event_remove_system(struct event_system *system);
/* Frees what events/SYSTEM/ of a trace_array uses, after the last file is closed. */
void trace_events_free_systems(struct trace_array_events *events);

/* events/SYSTEM of a trace_array. */
struct event_system {
	struct list_head list;  /* [E] in trace_array_events.systems */
	struct trace_array *tr; /* constant */
	char *name;             /* constant */
	bool dynamic; /* constant: all its events are dynamic; removed with the last one */
	struct file_owner owner; /* of a dynamic system's files; its parent is the instance */
	struct dentry *dir;      /* constant */
};

/*
 * A file in events/SYSTEM/EVENT/ (its i_private is the trace_event_file), in events/SYSTEM/ (an
 * event_system) or in events/ (the trace_array's trace_cpu). Each source adds its files:
 *
 *	EVENT_FILE_ENTRY(filter_file, "filter") = { .name = "filter", … };
 */
enum event_file_place { EVENT_FILE_EVENT, EVENT_FILE_SYSTEM, EVENT_FILE_TOP };
struct event_file_entry {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	enum event_file_place place;
	/* Only for events for which it returns true. NULL: for all. */
	bool (*wanted)(const struct trace_event_call *call);
};
#define EVENT_FILE_ENTRY(object, file_name)                                                        \
	static const struct event_file_entry object LINKER_TABLE_ENTRY(rodata, event_files,        \
								       file_name)
/* For `wanted`: the events that an enable file switches. */
bool trace_event_can_enable(const struct trace_event_call *call);
