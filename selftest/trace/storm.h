/*
 * The storm over tracing: several tasks at once register, create, switch and remove everything that
 * tracing has. The files selftest/trace/storm_*.c have one function for each kind of activity.
 * selftest/trace/storm.c has the table of the kinds and runs their tasks.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/compiler.h"
#include "kernel/errno.h"

struct storm_kind;

/* A task that repeats one kind of activity. */
struct storm_task {
	struct storm_kind *kind;
	unsigned index; /* among the tasks of its kind */
	u32 seed;       /* for test_random() */
};

struct storm_kind {
	const char *name;
	unsigned tasks;
	/* One round: undoes everything that it does, except what finish undoes. */
	void (*round)(struct storm_task *task);
	void (*finish)(void); /* after the tasks of all kinds have ended; may be NULL */
	atomic64_t rounds;
	atomic64_t refused; /* attempts that another task prevented: -EBUSY and others */
};

/* Prints a failure, and makes the storm fail. Task context. */
__printf(1, 2) void storm_fail(const char *fmt, ...);
#define STORM_EXPECT(cond)                                                                         \
	do {                                                                                       \
		if (!(cond))                                                                       \
			storm_fail("%s:%d: %s", __FILE__, __LINE__, #cond);                        \
	} while (0)
/*
 * Handles the result of an attempt. 0 or more: success, returns true. One of the count errnos in
 * mayfail: counted as refused, returns false. Another errno: a failure of the storm, printed with
 * what; returns false.
 */
bool storm_result(struct storm_task *task, const char *what, long result, const short *mayfail,
		  unsigned count);
#define STORM_DONE(task, what, result, ...)                                                        \
	storm_result(task, what, result, (const short[]){ __VA_ARGS__ },                           \
		     sizeof((const short[]){ __VA_ARGS__ }) / sizeof(short))

#define STORM_INSTANCES 3U /* s0, s1 and so on; each comes and goes */

/* For finish: restores the content of a file. Waits while a load uses all memory. */
void storm_set_back(const char *file, const char *data);

/* selftest/trace/storm_kprobes.c */
void storm_kprobes(struct storm_task *task);

/* selftest/trace/storm_uprobes.c */
void storm_uprobes(struct storm_task *task);
void storm_probe_events(struct storm_task *task);

/* selftest/trace/storm_ops.c */
void storm_static_ops(struct storm_task *task);
void storm_dynamic_ops(struct storm_task *task);
void storm_one_ops_of_many(struct storm_task *task);
void storm_one_ops_finish(void);
void storm_ipmodify(struct storm_task *task);
void storm_direct(struct storm_task *task);
void storm_graph_ops(struct storm_task *task);
void storm_calls(struct storm_task *task);
void storm_nmis(struct storm_task *task);
void storm_verify(struct storm_task *task);

/* selftest/trace/storm_files.c */
void storm_tracers(struct storm_task *task);
void storm_filters(struct storm_task *task);
void storm_instances(struct storm_task *task);
void storm_probes(struct storm_task *task);
void storm_snapshots(struct storm_task *task);
void storm_stack_tracer(struct storm_task *task);
void storm_readers(struct storm_task *task);
/* Saves buffer_size_kb. storm_files_finish() restores it. */
void storm_files_begin(void);
void storm_files_finish(void);

/* selftest/trace/storm_livepatch.c */
void storm_livepatch(struct storm_task *task);
void storm_livepatch_calls(struct storm_task *task);
void storm_livepatch_files(struct storm_task *task);
void storm_livepatch_finish(void);

/* selftest/trace/storm_events.c */
void storm_event_switches(struct storm_task *task);
void storm_event_switches_finish(void);
void storm_event_counts(struct storm_task *task);
