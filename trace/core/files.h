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

/* Of trace_pipe_raw. trace/core/buffer_mmap.c adds mmap and ioctl at the boot. */
extern struct file_operations tracing_buffers_fops;

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
