/*
 * What the samples share: a switch, /sys/kernel/debug/samples/NAME, and a file beside it,
 * NAME.function, which chooses what they look at. docs/write-a-tracer.md writes one.
 */
#pragma once

#include "fs/seq_file.h"
#include "kernel/kallsyms.h"

/*
 * Reading NAME says "on: FUNCTION" or "off: FUNCTION", and what show adds. 1 switches it on, 0 off;
 * a switch that stands so already is left alone. start, stop and show are called in task context,
 * one at a time.
 */
struct sample {
	const char *name;
	/* What it looks at, a name or a pattern as in set_ftrace_filter, until another one is
	 * written to NAME.function. NULL: it has no choice, and there is no such file. */
	const char *function;
	int (*start)(const char *function); /* 0, or an error: it stays off */
	int (*stop)(void);                  /* 0, or an error: it stays on */
	void (*show)(struct seq_file *m);   /* also when it is off again; NULL: nothing to say */

	bool on;                    /* [samples_mutex], as all that follows */
	char chosen[KSYM_NAME_LEN]; /* where function points to once one was written */
};

/* Create the files of a sample, for ever. 0, or -EEXIST, -ENOMEM. An initcall calls it. */
int register_sample(struct sample *sample);
