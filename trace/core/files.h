/* The files of a trace_array's directory in tracefs. Task context. */
#pragma once

#include "kernel/init.h"
#include "trace/core/trace_array.h"

/* One file of a trace_array. Each source has a table of its files. */
struct trace_file {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	bool per_cpu;      /* in per_cpu/cpuN too */
	bool only_per_cpu; /* only in per_cpu/cpuN */
	bool only_top;     /* not in instances */
};

#define TRACE_FILES_MAX 64 /* tables */
/* Registers a table, which a NULL name ends. Boot, before device_initcall creates the files. */
void __init trace_register_files(const struct trace_file *files);
/* Creates all files of tr in tr->dir. 0 or -ENOMEM. T held. */
int trace_create_files(struct trace_array *tr);

static inline struct trace_cpu *trace_file_cpu(struct file *file)
{
	return file->f_inode->i_private;
}

static inline struct trace_array *trace_file_tr(struct file *file)
{
	return trace_file_cpu(file)->tr;
}

/*
 * Copies the written text to word, which has max bytes, without white space at both ends. 0, or
 * -EINVAL: too long.
 */
int trace_get_word(char *word, size_t max, const char *buf, size_t count);
/* Converts a written number. One newline may follow it, and no space. 0, -EINVAL or -ERANGE. */
int trace_get_number(const char *buf, size_t count, unsigned base, unsigned long *number);
/* Converts a written 0 or 1. 0, -EINVAL or -ERANGE. */
int trace_get_switch(const char *buf, size_t count, bool *on);
