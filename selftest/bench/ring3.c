/*
 * Benchmarks of programs: the files in /sys/kernel/debug/bench-ring3. A program counts the TSC
 * ticks of many system calls, with its loop of two instructions more per call.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/syscalls/unistd.h"
#include "selftest/arch/ring3.h"

#define ROUNDS  10000
#define NO_CALL 511

extern const char ring3_measure[], ring3_measure_end[];

/* private is the number of the call. */
static int call_show(struct seq_file *m, void *unused __unused)
{
	struct ring3 program;
	u64 ticks;

	if (!ring3_start(&program, ring3_measure, ring3_measure_end, 0))
		return -ENOMEM;
	program.data[2] = (u64)m->private;
	program.data[1] = ROUNDS; /* the program waits for it */
	ring3_wait(&program);
	ticks = program.data[0];
	ring3_free(&program);
	seq_printf(m, "%llu ticks, %u times, %llu each\n", (unsigned long long)ticks, ROUNDS,
		   (unsigned long long)(ticks / ROUNDS));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(call);

static int __init bench_ring3_init(void)
{
	struct dentry *dir = debugfs_create_dir("bench-ring3", NULL);

	debugfs_create_file("getppid", 0444, dir, (void *)__NR_getppid, &call_fops);
	debugfs_create_file("unknown_call", 0444, dir, (void *)NO_CALL, &call_fops);
	return 0;
}
late_initcall(bench_ring3_init);
