/* Filters of an ftrace_ops as files and on the command line. */
#pragma once

#include "trace/ftrace/ftrace.h"
#include "trace/ftrace_files/words.h"

struct dentry;
struct seq_file;

/* A set of functions that a file shows, and changes when it is closed. */
struct ftrace_filter {
	const char *when_empty; /* what the file says then, with a newline */
	/* The set now (NULL: empty). ftrace_lock held. */
	struct ftrace_hash *(*get)(void *owner);
	/*
	 * Put hash (NULL: empty) in its place, whatever it returns: 0 or a negative errno.
	 * ftrace_lock held.
	 */
	int (*replace)(void *owner, struct ftrace_hash *hash);
	/* Change hash by a word: as ftrace_match_records() does it (trace/ftrace/internal.h). */
	int (*match)(const struct ftrace_hash *hash, const char *word, struct ftrace_hash **result);
	/*
	 * A word with a ':', which takes effect at once: 0 or a negative errno. NULL: there are no
	 * such words.
	 */
	int (*command)(void *owner, char *word);
	/* Print, after the functions, what commands have done. ftrace_lock held. NULL: nothing. */
	void (*show_commands)(void *owner, struct seq_file *m);
	void *owner;
};

/* A file for filter, which stays for ever. 0 or -ENOMEM. Task context. */
int ftrace_create_set_file(const char *name, umode_t mode, struct dentry *parent,
			   const struct ftrace_filter *filter);
/*
 * set_ftrace_filter and set_ftrace_notrace of ops, below parent; filters is the files' as long as
 * they are there. 0 or -ENOMEM. Task context.
 */
int ftrace_create_filter_files(struct ftrace_ops *ops, struct ftrace_filter filters[2],
			       struct dentry *parent);
/* A file of that name for the filter only. The same. */
int ftrace_create_filter_file(const char *name, struct ftrace_ops *ops,
			      struct ftrace_filter *filter, struct dentry *parent);
/* Names and patterns between commas into the filter; list is used up. Boot, task context. */
void ftrace_set_early(const struct ftrace_filter *filter, char *list);
void ftrace_set_early_filter(struct ftrace_ops *ops, char *list); /* that of ops */
/* ftrace_filter= and ftrace_notrace= for the top level's ops. Boot, task context. */
void ftrace_set_early_filters(struct ftrace_ops *ops);
