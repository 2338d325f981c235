/*
 * Benchmark of switching events: the file /sys/kernel/debug/events_bench. Reading it enables and
 * disables all events, as `echo 1 > events/enable` does, and prints the TSC ticks. It does so once
 * more while the sites of the system preemptirq are on: its four tracepoints have more than a
 * thousand sites, each other tracepoint one or a few.
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/tracepoint.h"
#include "selftest/bench/preemptirq_sites.h"
#include "selftest/lib/files.h"

#define ENABLE_FILE "/sys/kernel/tracing/events/enable"

/* Counts the tracepoints of events: the self-tests have others, which no event enables. */
static void count_tracepoint(struct tracepoint *tp, void *count)
{
	*(unsigned *)count += tp->funcs != NULL;
}

/* Writes text to the file that enables all events. Adds its ticks to *ticks. */
static int write_enable(struct file *file, const char *text, u64 *ticks)
{
	u64 start = arch_cycles();
	long written = file_write(file, text, 1);

	*ticks = arch_cycles() - start;
	return written == 1 ? 0 : -EIO;
}

/* Enables and disables all events. */
static int switch_all(struct file *file, u64 *on, u64 *off, unsigned *count)
{
	int error = write_enable(file, "1", on), off_error;

	*count = 0;
	for_each_kernel_tracepoint(count_tracepoint, count);
	off_error = write_enable(file, "0", off);
	return error ? error : off_error;
}

static int hold_preemptirq_sites(int users)
{
	static_key_batch_begin();
	static_key_batch_add(&irq_sites_key.key, users);
	static_key_batch_add(&preempt_sites_key.key, users);
	return static_key_batch_end();
}

static int events_bench_show(struct seq_file *m, void *unused __unused)
{
	struct file *file = file_open(ENABLE_FILE, O_WRONLY);
	u64 on, off, on_held = 0, off_held = 0;
	unsigned count;
	int error;

	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	/* The first event that is enabled gives the ring buffer its size: this does not count. */
	error = switch_all(file, &on, &off, &count);
	if (!error)
		error = switch_all(file, &on, &off, &count);
	if (!error) {
		error = hold_preemptirq_sites(1);
		if (!error)
			error = switch_all(file, &on_held, &off_held, &count);
		hold_preemptirq_sites(-1);
	}
	fput(file);
	if (error)
		return error;
	seq_printf(m, "all: on %llu, off %llu ticks, %u tracepoints, %u sites of preemptirq\n",
		   (unsigned long long)on, (unsigned long long)off, count, preemptirq_sites());
	seq_printf(m, "while these sites are on: on %llu, off %llu ticks\n",
		   (unsigned long long)on_held, (unsigned long long)off_held);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(events_bench);

static int __init events_bench_init(void)
{
	debugfs_create_file("events_bench", 0444, NULL, NULL, &events_bench_fops);
	return 0;
}
device_initcall(events_bench_init);
