/*
 * /proc/{vmstat,swaps,partitions,diskstats}. nop5 has no block devices, so the last three say that
 * there is none, in Linux's form. vmstat has those of Linux's lines for which nop5 has a number.
 */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"

static int vmstat_show(struct seq_file *m, void *v)
{
	struct meminfo info;
	unsigned long shmem;

	(void)v;
	si_meminfo(&info);
	shmem = (unsigned long)(info.shmem / PAGE_SIZE);
	seq_printf(m, "nr_free_pages %lu\n", (unsigned long)(info.free / PAGE_SIZE));
	seq_printf(m, "nr_slab_reclaimable 0\nnr_slab_unreclaimable %lu\n",
		   (unsigned long)(info.slab / PAGE_SIZE));
	seq_printf(m, "nr_file_pages %lu\nnr_dirty 0\nnr_writeback 0\nnr_shmem %lu\n", shmem,
		   shmem);
	seq_printf(m, "nr_kernel_stack %lu\nnr_page_table_pages %lu\n",
		   (unsigned long)(info.kernel_stack / 1024),
		   (unsigned long)(info.page_tables / PAGE_SIZE));
	/* Nothing is read from disks or written to them. */
	seq_puts(m, "pgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgmajfault 0\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vmstat);

static int swaps_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_puts(m, "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(swaps);

/* Linux writes a header only in front of a device. */
static int no_devices_show(struct seq_file *m, void *v)
{
	(void)m, (void)v;
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(no_devices);

static int __init proc_storage_init(void)
{
	if (!proc_create("vmstat", 0444, NULL, &vmstat_fops) ||
	    !proc_create("swaps", 0444, NULL, &swaps_fops) ||
	    !proc_create("partitions", 0444, NULL, &no_devices_fops) ||
	    !proc_create("diskstats", 0444, NULL, &no_devices_fops))
		return -ENOMEM;
	return 0;
}
device_initcall(proc_storage_init);
