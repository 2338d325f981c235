/*
 * The storm: everything that can be registered, made, switched and removed in tracing, by several
 * tasks at once. Each kind of trouble is a function of the files selftest_ftrace_storm_*.c; the
 * table of them, and who runs them, is in selftest/trace/storm.c.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/compiler.h"
#include "kernel/errno.h"

struct storm_kind;

/* A task that does one kind of trouble again and again. */
struct storm_task {
	struct storm_kind *kind;
	unsigned index; /* among those of its kind */
	u32 seed;       /* for test_random() */
};

struct storm_kind {
	const char *name;
	unsigned tasks;
	/* Once: begins and ends what it does, and leaves for the next time only what finish undoes.
	 */
	void (*round)(struct storm_task *task);
	void (*finish)(void); /* when all kinds have ended. NULL: nothing to do */
	atomic64_t rounds;
	atomic64_t refused; /* what another task was in the way of: -EBUSY and its like */
};

/* Say what is wrong, and that the storm has failed. Task context. */
__printf(1, 2) void storm_fail(const char *fmt, ...);
#define STORM_EXPECT(cond)                                                                         \
	do {                                                                                       \
		if (!(cond))                                                                       \
			storm_fail("%s:%d: %s", __FILE__, __LINE__, #cond);                        \
	} while (0)
/*
 * What an attempt has given: 0 or more is done; one of the count errnos of mayfail is counted as
 * refused; another is a failure, told with what. Whether it is done.
 */
bool storm_result(struct storm_task *task, const char *what, long result, const short *mayfail,
		  unsigned count);
#define STORM_DONE(task, what, result, ...)                                                        \
	storm_result(task, what, result, (const short[]){ __VA_ARGS__ },                           \
		     sizeof((const short[]){ __VA_ARGS__ }) / sizeof(short))

/* For finish: have a file say that again. A load may have all memory: that is waited for. */
void storm_set_back(const char *file, const char *data);

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
void storm_samples(struct storm_task *task);
void storm_readers(struct storm_task *task);
/* What the files said before is put back at the end. */
void storm_files_begin(void);
void storm_files_finish(void);

/* selftest/trace/storm_livepatch.c */
void storm_livepatch(struct storm_task *task);
void storm_livepatch_calls(struct storm_task *task);
void storm_livepatch_sample(struct storm_task *task);
void storm_livepatch_finish(void);
