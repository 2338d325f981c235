/* trace-convert: what its output formats share. */
#pragma once

#include "dat.h"

/* A call that has not returned. */
struct frame {
	unsigned symbol;
	int depth;
	uint64_t start;	   /* ns */
	uint64_t children; /* ns spent in calls made from it */
	void *node;	   /* of the format */
};

/* A task, or what an idle CPU does. Frames are those of function_graph, oldest first. */
struct task {
	struct task *next; /* in its hash chain */
	int pid;
	unsigned cpu; /* of an idle task */
	struct frame *frames;
	unsigned nr_frames, room;
	uint64_t last_ts; /* time never goes back in a task */
	uint64_t events;
	void *data; /* of the format */
};

struct converter {
	struct dat *dat;
	const struct output *output;
	void *out; /* FILE */
	struct task *tasks[4096];
	unsigned nr_tasks;
	uint64_t first_ts, last_ts;
	uint64_t events;
	void *data; /* of the format */
};

/* A format. Every function may be NULL but begin and end. */
struct output {
	const char *name, *help;
	void (*begin)(struct converter *c);
	/* Each event, before what follows. */
	void (*event)(struct converter *c, const struct event *event, struct task *task);
	/* A call and its return: the frame is the last of task->frames. `whole` is false for a return that was not seen. */
	void (*call)(struct converter *c, struct task *task, struct frame *frame, uint64_t ts);
	void (*ret)(struct converter *c, struct task *task, struct frame *frame, uint64_t ts, bool whole);
	void (*end)(struct converter *c);
};

#define STACK_MAX 128

extern const struct output output_ftrace, output_json, output_speedscope, output_folded;

/* Or the program ends: there is no memory. */
void *allocate(size_t size);
/*
 * The functions that a FUNCTION or STACK event tells of, innermost first, STACK_MAX at most: how many. Of the function tracer,
 * none if a stack follows, which says the same and more; and none of other events.
 */
unsigned event_stack(const struct converter *c, const struct event *event, unsigned *symbols);
/* The name with its PID, or its CPU: "ls-12", "<idle>/1". */
void task_name(const struct converter *c, const struct task *task, char *buf, size_t size);
/* A JSON string, with its quotes. */
void put_json_string(void *out, const char *s);
