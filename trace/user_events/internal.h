/*
 * User events: events that programs define and write (Documentation/trace/user_events.rst of Linux;
 * docs/user-events.md). Declarations for the files of trace/user_events/ only.
 *
 * [E] event_mutex; [U] user_event_mutex; [C] constant once the event is in dyn_event_list.
 */
#pragma once

#include "kernel/sched/mutex.h"
#include "trace/events/dynamic_events.h"
#include "trace/events/event.h"

struct iov_iter;

#define USER_EVENT_DESC_MAX 512 /* bytes of what a program registers, with the NUL */

/* flags of struct user_reg. */
#define USER_EVENT_REG_PERSIST      0x1 /* the event stays without users */
#define USER_EVENT_REG_MULTI_FORMAT 0x2 /* other formats may have the same name */
#define USER_EVENT_REG_FLAGS        0x3

/* ---- formats (format.c) ---- */

/* The fields of an event: "u32 count; char[20] msg". */
struct user_event_format {
	struct trace_event_field *fields; /* ends with a NULL name; offsets as in the record */
	char *text;                       /* the words of the fields */
	u32 size;                         /* bytes that each payload has at least */
};

/* Parses text. 0, -EINVAL or -ENOMEM; then there is nothing to free. */
int user_event_format_parse(const char *text, struct user_event_format *format);
void user_event_format_free(struct user_event_format *format);
bool user_event_format_equal(const struct user_event_format *a, const struct user_event_format *b);
/* Prints " TYPE NAME; TYPE NAME", as it can be parsed again. */
void user_event_format_show(struct seq_file *m, const struct user_event_format *format);
/* Returns the print fmt for the format file, or NULL. */
char *user_event_format_print_fmt(const struct user_event_format *format);
/* Whether the strings and arrays that the record names lie in it, and strings end with a NUL. */
bool user_event_format_valid(const struct user_event_format *format, const void *payload,
			     size_t length);

/* ---- events (event.c) ---- */

struct user_event {
	struct dyn_event dyn;
	struct trace_event_call call;
	struct tracepoint tp; /* without a site: user_event_write() calls its probes */
	char *name;      /* [C] as registered; with MULTI_FORMAT, call's has a number behind it */
	char *print_fmt; /* [C] */
	struct user_event_format format; /* [C] */
	unsigned flags;                  /* [C] USER_EVENT_REG_* */
	unsigned refs; /* [U] enablers, and files with an index for it; from 0 to 1 only with E */
	unsigned ftrace, perf;     /* [U] probes that are attached */
	struct list_head enablers; /* [U] struct user_enabler */
	struct rcu_head rcu;
};

/*
 * Counts the users of events, and has all enablers. After E, dyn_event_mutex and mmap_lock; under
 * it mmap_lock is only tried. No page fault under it.
 */
extern struct mutex user_event_mutex;

/*
 * The event that "NAME FIELDS" says, made if there is none, with a reference. ERR_PTR(): -EINVAL,
 * -EPERM, -ENOMEM; -EADDRINUSE: the name has another format; -EMFILE: user_events_max.
 */
struct user_event *user_event_register(const char *command, unsigned flags);
/* Removes the events of that name. 0, -ENOENT, -EPERM; -EBUSY: one has users. */
int user_event_delete(const char *name);
/* Drops a reference. U held. An event without users goes a little later. */
void user_event_put(struct user_event *event);

/* ---- enablers (enabler.c): bits in the memory of programs ---- */

/*
 * Shows the state of the event in bit `bit` of the word at addr of the current program from now on.
 * 0; -EADDRINUSE: this bit shows an event; -ENOSPC: too many; -EFAULT: the program may not write
 * there; -ENOMEM.
 */
int user_enabler_add(struct user_event *event, unsigned long addr, unsigned bit);
/* Ends that, and clears the bit. 0; -ENOENT: it shows no event; -EFAULT: it cannot be cleared. */
int user_enabler_remove(unsigned long addr, unsigned bit);
/* The state of the event has changed. U held. */
void user_enablers_update(struct user_event *event);

static inline bool user_event_is_on(const struct user_event *event)
{
	return event->ftrace || event->perf;
}

/* ---- records (record.c) ---- */

/*
 * Records a payload. The caller keeps the event. 0; -EINVAL: too short; -EBADF: the event is off;
 * -EFAULT: the memory cannot be read, or the payload is not valid; -ENOMEM.
 */
int user_event_write(struct user_event *event, struct iov_iter *from);
/* The probe of the event's tracepoint. NULL: the payload is too long. */
void user_event_record(void *file, const void *payload, size_t length);
enum print_line_t user_event_print(struct trace_iterator *iter);
