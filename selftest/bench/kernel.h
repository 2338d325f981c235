/* For the benchmarks of the kernel, the files in /sys/kernel/debug/bench. */
#pragma once

#include "kernel/types.h"

struct dentry;
struct seq_file;

#define WARM_UP     1000
#define CALL_ROUNDS 20000

/* The directory, from device_initcall() on. */
extern struct dentry *bench_directory;
/* Prints the line of a file. */
void show_figure(struct seq_file *m, u64 ticks, unsigned count);
