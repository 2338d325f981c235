/*
 * Benchmarks of the kernel: the files in /sys/kernel/debug/bench.
 * Reading a file makes the measurement. They count TSC ticks. Under QEMU's -icount shift=0 one tick
 * is one instruction, and the figures are exact (tests/bench/bench.py).
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "selftest/bench/kernel.h"

#define KMALLOC_ROUNDS 100000
#define KMALLOC_SIZE   64

struct dentry *bench_directory;

void show_figure(struct seq_file *m, u64 ticks, unsigned count)
{
	seq_printf(m, "%llu ticks, %u times, %llu each\n", (unsigned long long)ticks, count,
		   (unsigned long long)(ticks / count));
}

/* The cost of kmalloc() and kfree() of one object, which stays on this CPU. */
static int kmalloc_show(struct seq_file *m, void *unused __unused)
{
	u64 start = 0;

	for (unsigned i = 0; i < WARM_UP + KMALLOC_ROUNDS; i++) {
		void *object;

		if (i == WARM_UP)
			start = arch_cycles();
		object = kmalloc(KMALLOC_SIZE, GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		kfree(object);
	}
	show_figure(m, arch_cycles() - start, KMALLOC_ROUNDS);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmalloc);

void bench_call(unsigned number);

/* Does nothing. A benchmark traces it by this name. */
noinline void bench_call(unsigned number)
{
	(void)number;
	barrier();
}

/* The cost of a function call with its loop. With tracing on, the difference is the cost of
 * tracing. */
static int call_show(struct seq_file *m, void *unused __unused)
{
	u64 start = 0;

	for (unsigned i = 0; i < WARM_UP + CALL_ROUNDS; i++) {
		if (i == WARM_UP)
			start = arch_cycles();
		bench_call(i);
	}
	show_figure(m, arch_cycles() - start, CALL_ROUNDS);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(call);

static int __init bench_init(void)
{
	bench_directory = debugfs_create_dir("bench", NULL);
	debugfs_create_file("call", 0444, bench_directory, NULL, &call_fops);
	debugfs_create_file("kmalloc", 0444, bench_directory, NULL, &kmalloc_fops);
	return IS_ERR(bench_directory) ? (int)PTR_ERR(bench_directory) : 0;
}
device_initcall(bench_init);
