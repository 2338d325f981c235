/* trace-convert: the interface between the converter and its output formats. */
#pragma once

#include "dat.h"

/*
 * A call. `duration` is what the tracer has measured: the time from the end of the call's own entry record to the
 * return. It is shorter than the time between the two events by the time which writing the entry took, by an
 * interrupt that came meanwhile, and, with the option nosleep-time, by the time that the task slept.
 */
struct frame {
	unsigned symbol;
	int depth;
	uint64_t start;	      /* ns: the time of the entry event */
	uint64_t first_child; /* ns: when its first child began; 0: it has none */
	uint64_t children;    /* ns: the sum of its children's durations */
	uint64_t duration;    /* ns; set before ret() is called */
	void *node;	      /* private to the format */
};

/* A task. Each CPU's idle task is a task of its own. Frames are function_graph's open calls, outermost first. */
struct task {
	struct task *next; /* in its hash chain */
	int pid;
	unsigned cpu; /* of an idle task */
	struct frame *frames;
	unsigned nr_frames, room;
	uint64_t last_ts; /* time never goes back in a task */
	uint64_t events;
	void *data; /* private to the format */
};

struct converter {
	struct dat *dat;
	const struct output *output;
	void *out; /* FILE */
	struct task *tasks[4096];
	unsigned nr_tasks;
	uint64_t first_ts, last_ts;
	uint64_t events;
	void *data; /* private to the format */
};

/* An output format. Only begin and end are mandatory. */
struct output {
	const char *name, *help;
	void (*begin)(struct converter *c);
	/* Called for each event, before call() or ret() for the same event. */
	void (*event)(struct converter *c, const struct event *event, struct task *task);
	/*
	 * Called for a call and for its return; the frame is the last one of task->frames. `whole` is false when the
	 * trace has no return for this call: then ts is the next time that the trace knows.
	 */
	void (*call)(struct converter *c, struct task *task, struct frame *frame, uint64_t ts);
	void (*ret)(struct converter *c, struct task *task, struct frame *frame, uint64_t ts, bool whole);
	void (*end)(struct converter *c);
};

#define STACK_MAX 128

extern const struct output output_ftrace, output_json, output_speedscope, output_folded, output_rows;

/* Allocates zeroed memory. Ends the program when there is none. */
void *allocate(size_t size);
/*
 * Stores the symbols of a FUNCTION or STACK event, innermost first, STACK_MAX at most, and returns their number. Returns 0
 * for other events, and for a FUNCTION event when its stack trace follows, because the stack trace has the same functions.
 */
unsigned event_stack(const struct converter *c, const struct event *event, unsigned *symbols);
/* Writes the task's name with its PID, or an idle task's with its CPU: "ls-12", "<idle>/1". */
void task_name(const struct converter *c, const struct task *task, char *buf, size_t size);
/* Writes s as a JSON string with quotes. */
void put_json_string(void *out, const char *s);
