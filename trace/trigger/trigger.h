/*
 * Triggers: commands that run when an event occurs (Documentation/trace/events.rst, section 6).
 * docs/event-triggers.md explains them. A command is one source file with an EVENT_COMMAND().
 *
 * A trigger is in the list of its event's file, the newest first. While a file has triggers, its
 * event is in soft mode: the probe runs, and records only if the event is enabled, too. The probe
 * calls the triggers
 *
 *	before it reserves room for the record, if no trigger of the file needs the record;
 *	else between the filling and the commit, those whose filter matches, but
 *	after the commit those of a command with EVENT_CMD_FL_POST_TRIGGER.
 *
 * [E] event_mutex.
 */
#pragma once

#include "trace/events/record.h"

struct event_filter;
struct seq_file;

/* What a trigger does. Most commands refuse a second trigger of their type on one event. */
enum event_trigger_type {
	ETT_TRACE_ONOFF = 0x01,
	ETT_SNAPSHOT = 0x02,
	ETT_STACKTRACE = 0x04,
	ETT_EVENT_ENABLE = 0x08,
	ETT_EVENT_HIST = 0x10,
	ETT_HIST_ENABLE = 0x20,
	ETT_EVENT_EPROBE = 0x40,
	ETT_EVENT_WPROBE = 0x80,
};

enum {
	/*
	 * Runs after the record is committed; needs no record. A file has at most one trigger of
	 * such a command's type (same is NULL), so the type names the trigger that is to run.
	 */
	EVENT_CMD_FL_POST_TRIGGER = 0x01,
	EVENT_CMD_FL_NEEDS_REC = 0x02, /* runs with the record, also without a filter */
	EVENT_CMD_FL_APPEND = 0x04,    /* a new trigger is the last of its file, not the first */
};

/* The number of calls of a trigger without ":COUNT". */
#define EVENT_TRIGGER_UNLIMITED (~0UL)

/*
 * One trigger. Allocated by event_trigger_alloc(); freed after an RCU grace period.
 *
 * [E] event_mutex; [R] E to write, RCU to read; [A] atomic, any context; no letter: constant once
 * the trigger is registered.
 */
struct event_trigger_data {
	struct list_head list; /* [R] in file->triggers */
	const struct event_command *cmd;
	struct trace_event_file *file; /* of the event that calls the trigger */
	struct event_filter *filter;   /* NULL: the trigger always runs */
	unsigned long count;           /* [A] calls left, or EVENT_TRIGGER_UNLIMITED */
	bool needs_rec;
	bool reads_head; /* of plain: reads the head of the record, struct trace_entry */
	/*
	 * Runs the trigger like event_command.trigger, in fewer instructions. NULL: the trigger
	 * needs more than the record, or has a filter.
	 */
	event_trigger_plain_t plain;
	bool initialized; /* of the command: free() has something to undo */
	bool paused;      /* [A] the trigger is not called */
	void *private;    /* of the command */
};

/* A line that was written to a trigger file. The text may be changed. */
struct event_trigger_line {
	const char *text; /* the whole line, for error_log; without white space at its ends */
	bool remove;      /* the line begins with '!' */
	char *params; /* what follows the command's name and ':' or white space; NULL: nothing */
};

/* A command. Constant. */
struct event_command {
	const char *name;
	enum event_trigger_type type;
	unsigned flags; /* EVENT_CMD_FL_* */
	/*
	 * Adds the trigger of a line to the file, or removes it. 0 or an errno. E held, sleeps.
	 * Most commands use event_trigger_parse().
	 */
	int (*parse)(const struct event_command *cmd, struct trace_event_file *file,
		     const struct event_trigger_line *line);
	/*
	 * Runs the trigger, in the context of the event, which may be NMI; preemption off. rec is
	 * the event's record, which begins with struct trace_entry. It is NULL if the file's
	 * triggers do not need it, and after the commit. buffer is NULL before there is a record.
	 */
	void (*trigger)(struct event_trigger_data *data, const void *rec,
			const struct trace_event_buffer *buffer);
	/* Prints the trigger's line of the trigger file, with its newline. NULL: none. E held. */
	void (*print)(struct seq_file *m, struct event_trigger_data *data);
	/* Frees `private`; no CPU runs the trigger any more. May be NULL. E held, sleeps. */
	void (*free)(struct event_trigger_data *data);
	/*
	 * Removes all triggers of this command from a file that is opened with O_TRUNC. NULL: they
	 * stay. E held, sleeps.
	 */
	void (*unreg_all)(struct trace_event_file *file);

	/* ---- only for event_trigger_parse(); each may be NULL; E held, sleep ---- */

	bool param_required;
	/*
	 * Takes the first words off *param, and leaves the count; "" or NULL: no count. Sets
	 * data->private. 0 or an errno.
	 */
	int (*parse_param)(struct event_trigger_data *data, char **param);
	/* Whether b takes the place of a in the file. NULL: it does, if their types are equal. */
	bool (*same)(const struct event_trigger_data *a, const struct event_trigger_data *b);
	/*
	 * Prepares a new trigger, which is registered and not called yet. 0 or an errno, and then
	 * the trigger is removed.
	 */
	int (*init)(struct event_trigger_data *data);
};

/*
 * Adds a command. An empty trigger file lists the commands by place, a string of two digits:
 * traceon has "10", traceoff "20", and so on in Linux's order; hist has "90".
 *
 *	EVENT_COMMAND(hist_command, "90") = { .name = "hist", … };
 */
#define EVENT_COMMAND(object, place)                                                               \
	static const struct event_command object LINKER_TABLE_ENTRY(rodata, event_commands, place)

/* ---- for commands; E held, task context, sleep ---- */

/*
 * Handles a line "COMMAND[:PARAM][:COUNT] [if FILTER]" of a simple command. Errors: -EEXIST (the
 * place is taken), -EINVAL, -ERANGE (of the count), -ENOMEM. Removing a trigger that is not there
 * is no error.
 */
int event_trigger_parse(const struct event_command *cmd, struct trace_event_file *file,
			const struct event_trigger_line *line);
/*
 * Splits params into the parameter and "if FILTER", as Linux does: what does not begin with a digit
 * is a parameter only if one is required. Both are "" if they are missing. 0 or -EINVAL.
 */
int event_trigger_split(char *params, bool param_required, char **param, char **filter);
/* Allocates an unlimited trigger without filter. NULL: no memory. */
struct event_trigger_data *event_trigger_alloc(const struct event_command *cmd,
					       struct trace_event_file *file);
/*
 * Compiles "if FILTER" for a trigger that is not registered; "" means none. 0, -EINVAL or -ENOMEM.
 */
int event_trigger_set_filter(struct event_trigger_data *data, const char *filter);
/* Frees a trigger that is not registered, with its filter; calls cmd->free. */
void event_trigger_free(struct event_trigger_data *data);
/*
 * Adds the trigger to its file and starts the event's probe. 0 or an errno; then the trigger is not
 * registered and no CPU runs it.
 */
int event_trigger_register(struct event_trigger_data *data);
/* Removes the trigger from its file, waits until no CPU runs it, and frees it. */
void event_trigger_unregister(struct event_trigger_data *data);
/* The same without freeing it. */
void event_trigger_detach(struct event_trigger_data *data);
/* Applies a line without white space at its ends, as a write to the trigger file does. */
int event_trigger_apply(struct trace_event_file *file, const char *text);
/* Prints "NAME:count=N[ if FILTER]" or "NAME:unlimited…" and a newline. */
void event_trigger_print(struct seq_file *m, const char *name, struct event_trigger_data *data);
/* Removes all triggers of a file, when its trace_array or its event is removed. */
void event_triggers_remove_all(struct trace_event_file *file);

/* Visits the triggers of a file. E held, or preemption off. */
#define for_each_event_trigger(data, file) list_for_each_entry_rcu (data, &(file)->triggers, list)

/* ---- any context, preemption off ---- */

/* Counts one call. Returns false if all calls of the count are used up. */
bool event_trigger_take(struct event_trigger_data *data);
/* Takes the last event_trigger_take() back: the call has changed nothing. */
void event_trigger_give_back(struct event_trigger_data *data);
/*
 * Runs the triggers of a file. rec: NULL, before the record exists. Returns the types of the
 * triggers that run after the commit (event_triggers_post_call()).
 */
unsigned event_triggers_call(struct trace_event_file *file, const void *rec,
			     const struct trace_event_buffer *buffer);
void event_triggers_post_call(struct trace_event_file *file, unsigned types,
			      const struct trace_event_buffer *buffer);
