/* Filters of an ftrace_ops as files and on the command line. */
#pragma once

#include "trace/ftrace.h"

#define FTRACE_WORD_MAX 255 /* characters of a name, pattern or command in a filter file */

struct dentry;

/* set_ftrace_filter and set_ftrace_notrace of ops, below parent. 0 or -ENOMEM. Task context. */
int ftrace_create_filter_files(struct ftrace_ops *ops, struct dentry *parent);
/* A file of that name for the filter only. The same. */
int ftrace_create_filter_file(const char *name, struct ftrace_ops *ops, struct dentry *parent);
/* Names and patterns between commas into the filter; list is used up. Boot, task context. */
void ftrace_set_early_filter(struct ftrace_ops *ops, char *list);
/* ftrace_filter= and ftrace_notrace= for the top level's ops. Boot, task context. */
void ftrace_set_early_filters(struct ftrace_ops *ops);
