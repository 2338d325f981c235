/*
 * Benchmark of switching events: the file /sys/kernel/debug/events_bench. Reading it enables and
 * disables all events, as `echo 1 > events/enable` does, and prints the TSC ticks.
 */
#include "arch/clock.h"
#include "fs/debugfs.h"
#include "fs/fs.h"
#include "fs/seq_file.h"
#include "fs/syscalls.h"
#include "kernel/init.h"
#include "kernel/tracepoint.h"
#include "selftest/bench/preemptirq_sites.h"
#include "selftest/lib/kernel_task.h"

#define ENABLE_FILE "/sys/kernel/tracing/events/enable"

/* Counts the tracepoints of events: the self-tests have others, which no event enables. */
static void count_tracepoint(struct tracepoint *tp, void *count)
{
	*(unsigned *)count += tp->funcs != NULL;
}

/* Writes text to the file that enables all events. Adds its ticks to *ticks. */
static int write_enable(int fd, const char *text, u64 *ticks)
{
	u64 start = arch_cycles();
	long written = sys_write(fd, text, 1);

	*ticks = arch_cycles() - start;
	return written == 1 ? 0 : -EIO;
}

static int events_bench(void *seq_file)
{
	struct seq_file *m = seq_file;
	unsigned count = 0;
	u64 on, off;
	int fd = (int)sys_open(ENABLE_FILE, O_WRONLY, 0), error;

	if (fd < 0)
		return fd;
	error = write_enable(fd, "1", &on);
	for_each_kernel_tracepoint(count_tracepoint, &count);
	count += preemptirq_sites();
	if (!error)
		error = write_enable(fd, "0", &off);
	sys_close(fd);
	if (error)
		return error;
	seq_printf(m, "%u tracepoints: on %llu, off %llu ticks each\n", count,
		   (unsigned long long)(on / count), (unsigned long long)(off / count));
	return 0;
}

static int events_bench_show(struct seq_file *m, void *unused __unused)
{
	return run_in_kernel_task(events_bench, m);
}
DEFINE_SHOW_ATTRIBUTE(events_bench);

static int __init events_bench_init(void)
{
	debugfs_create_file("events_bench", 0444, NULL, NULL, &events_bench_fops);
	return 0;
}
device_initcall(events_bench_init);
