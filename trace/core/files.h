/* The files of a trace_array's directory in tracefs. Task context. */
#pragma once

#include "kernel/linker_table.h"
#include "trace/core/trace_array.h"

/* One file of a trace_array. */
struct trace_file {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	bool per_cpu;         /* in per_cpu/cpuN too */
	bool only_per_cpu;    /* only in per_cpu/cpuN */
	bool only_top;        /* not in instances */
	bool only_persistent; /* only if the buffer survives a reboot */
};

/*
 * Adds a file, which a device_initcall creates, and mkdir(2) in instances/. Fields may follow:
 *
 *	TRACE_FILE(stats, 0440, &tracing_stats_fops, .only_per_cpu = true);
 */
#define TRACE_FILE(id, mode_, fops_, fields...)                                                    \
	static const struct trace_file trace_file_##id LINKER_TABLE_ENTRY(                         \
		rodata, trace_files, "") = { .name = #id, .mode = mode_, .fops = fops_, fields }
/* Creates all files of tr in tr->dir. 0 or -ENOMEM. T held. */
int trace_create_files(struct trace_array *tr);

struct vm_area_struct;

/*
 * What a program may do with trace_pipe_raw beside reading it. trace/core/buffer_mmap.c makes the
 * only entry of this linker table; without it mmap(2) gives -ENODEV.
 */
struct trace_raw_mapping {
	int (*mmap)(struct file *file, struct vm_area_struct *vma); /* as file_operations.mmap */
	unsigned cmd;                          /* of ioctl(2): waits as read(2) does, then calls */
	long (*get_reader)(struct file *file); /* 0 or an errno. Task context */
};
#define TRACE_RAW_MAPPING                                                                          \
	static const struct trace_raw_mapping raw_mapping LINKER_TABLE_ENTRY(                      \
		rodata, trace_raw_mappings, "")

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
