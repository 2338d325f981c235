/* Filters of an ftrace_ops, as files and on the command line. */
#pragma once

#include "trace/ftrace/ftrace.h"
#include "trace/ftrace_files/words.h"

struct dentry;
struct seq_file;

/* A set of functions behind a file. Words written to the file take effect when it is closed. */
struct ftrace_filter {
	const char *when_empty; /* the file's text for an empty set, with a newline */
	bool all_when_empty;    /* an empty set stands for all functions */
	/* Returns the current set (NULL: empty). ftrace_lock held. */
	struct ftrace_hash *(*get)(void *owner);
	/*
	 * Replaces the set by hash (NULL: empty), and takes hash over, also on an error. Returns 0
	 * or a negative errno. ftrace_lock held.
	 */
	int (*replace)(void *owner, struct ftrace_hash *hash);
	/* Changes a copy of hash by a word, as ftrace_match_records() (trace/ftrace/internal.h). */
	int (*match)(const struct ftrace_hash *hash, const char *word, struct ftrace_hash **result);
	/*
	 * Runs a word with a ':', at once. Returns 0 or a negative errno. NULL: the file has no
	 * such words.
	 */
	int (*command)(void *owner, char *word);
	/* Prints the active commands after the functions. ftrace_lock held. NULL: nothing. */
	void (*show_commands)(void *owner, struct seq_file *m);
	bool remember; /* "PATTERN:mod:MODULE" is known, and kept for a module that is not loaded */
	void *owner;
};

/* ---- module_filter.c: "PATTERN:mod:MODULE" ---- */

struct ftrace_module_filters {
	/*
	 * Applies such a word to hash, as ftrace_match_records(), or keeps it until the module is
	 * loaded: then it is applied to filter's set. ftrace_lock held.
	 */
	int (*match)(const struct ftrace_filter *filter, const struct ftrace_hash *hash,
		     const char *word, struct ftrace_hash **result);
	/* Prints the words that are kept for filter. ftrace_lock held. */
	void (*show)(const struct ftrace_filter *filter, struct seq_file *m);
	/* Forgets the words of the filter with this owner and get; NULL: all with this owner. */
	void (*forget)(const void *owner, struct ftrace_hash *(*get)(void *owner));
};
/* Set by module_filter.c, constant after the boot. NULL: the kernel has no modules. */
extern const struct ftrace_module_filters *ftrace_module_filters;
/*
 * Applies a word (empty: all functions) to the functions of modules. module: a pattern of names;
 * with a '!' before it, all functions outside such modules; an empty pattern is that of any module.
 * -ENOENT: no such function. ftrace_lock held. filter.c
 */
int ftrace_match_module(const struct ftrace_hash *hash, const char *word, const char *module,
			struct ftrace_hash **result);

/* Creates a permanent file for a copy of filter. 0 or -ENOMEM. Task context. */
int ftrace_create_set_file(const char *name, umode_t mode, struct dentry *parent,
			   const struct ftrace_filter *filter);
/*
 * Creates set_ftrace_filter and set_ftrace_notrace of ops in parent. The files use filters as long
 * as they exist. 0 or -ENOMEM. Task context.
 */
int ftrace_create_filter_files(struct ftrace_ops *ops, struct ftrace_filter filters[2],
			       struct dentry *parent);
/* Creates a file of that name, for the filter only; else the same. */
int ftrace_create_filter_file(const char *name, struct ftrace_ops *ops,
			      struct ftrace_filter *filter, struct dentry *parent);
/* Adds names and patterns between commas to the filter. Changes list. Boot, task context. */
void ftrace_set_early(const struct ftrace_filter *filter, char *list);
void ftrace_set_early_filter(struct ftrace_ops *ops, char *list); /* the same for ops */
/* Applies ftrace_filter= and ftrace_notrace= to the top level's ops. Boot, task context. */
void ftrace_set_early_filters(struct ftrace_ops *ops);
