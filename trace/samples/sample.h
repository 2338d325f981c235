/*
 * The interface of the samples. Each sample has a file /sys/kernel/debug/samples/NAME that switches
 * it on and off, and a file NAME.function that chooses its function. docs/write-a-tracer.md shows
 * how to write a sample.
 */
#pragma once

#include "fs/seq_file.h"
#include "kernel/kallsyms.h"

/*
 * Reading NAME gives "on: FUNCTION" or "off: FUNCTION", and then the output of show. Writing 1
 * calls start, writing 0 calls stop; a sample that is already in this state stays as it is. start,
 * stop and show are called in task context, one at a time.
 */
struct sample {
	const char *name;
	/*
	 * The function: a name, or a pattern as in set_ftrace_filter. A write to NAME.function
	 * changes it. NULL: the sample has no file NAME.function.
	 */
	const char *function;
	int (*start)(const char *function); /* 0, or an error: the sample stays off */
	int (*stop)(void);                  /* 0, or an error: the sample stays on */
	void (*show)(struct seq_file *m);   /* called when the sample is off, too; may be NULL */

	bool on;                    /* [samples_mutex], as all fields below */
	char chosen[KSYM_NAME_LEN]; /* function points to it after a write */
};

/* Creates the files of a sample, which are never removed. 0, -EEXIST, -ENOMEM. For initcalls. */
int register_sample(struct sample *sample);
