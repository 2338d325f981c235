/* The file operations that `trace` and `snapshot` share, and their headings. Task context. */
#pragma once

#include "trace/core/iterator.h"

struct file;
struct inode;

/* Opens `trace` or `snapshot` for reading. 0 or -ENOMEM. */
int trace_open_for_reading(struct file *file, bool snapshot);
loff_t tracing_lseek(struct file *file, loff_t offset, int whence);
int tracing_release(struct inode *inode, struct file *file);
/* Prints the heading of a trace. */
void print_trace_header(struct seq_file *m, struct trace_iterator *iter);
/* Prints it without the line of the tracer, as for a tracer that has no print_header. */
void print_trace_default_header(struct seq_file *m, struct trace_iterator *iter);
/* Prints the first lines of the heading with latency-format, before the column names. */
void print_latency_header(struct seq_file *m, struct trace_iterator *iter);
