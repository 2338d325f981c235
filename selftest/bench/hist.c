/*
 * Benchmark of histograms: the file /sys/kernel/debug/hist_bench. Reading it makes the event
 * kmem:kmalloc 20,000 times, with the triggers that the event has now, and prints TSC ticks of one
 * event. tests/boot/test_hist.py writes the triggers.
 */
#include "arch/time/clock.h"
#include "arch/cpu/irqflags.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/mm/kmem_events.h"

#define ROUNDS 20000U

static int hist_bench_show(struct seq_file *m, void *unused __unused)
{
	unsigned long flags;
	u64 start;

	local_irq_save(flags);
	start = arch_cycles();
	for (unsigned i = 0; i < ROUNDS; i++)
		trace_kmalloc(i & 15, m, 64 + (i & 7), 128, 0);
	start = arch_cycles() - start;
	local_irq_restore(flags);
	seq_printf(m, "%lu ticks for an event\n", start / ROUNDS);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hist_bench);

static int __init hist_bench_init(void)
{
	return IS_ERR_OR_NULL(debugfs_create_file("hist_bench", 0400, NULL, NULL, &hist_bench_fops))
		       ? -ENOMEM
		       : 0;
}
fs_initcall(hist_bench_init);
