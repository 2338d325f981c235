/* /proc/meminfo: those of Linux's lines for which nop5 has a number. */
#include "arch/mm/pgtable.h"
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"

static void show_kb(struct seq_file *m, const char *name, u64 bytes)
{
	seq_printf(m, "%-16s%8llu kB\n", name, (unsigned long long)(bytes / 1024));
}

static int meminfo_show(struct seq_file *m, void *v)
{
	struct meminfo info;

	(void)v;
	si_meminfo(&info);
	show_kb(m, "MemTotal:", info.total);
	show_kb(m, "MemFree:", info.free);
	show_kb(m, "MemAvailable:", info.free);
	show_kb(m, "Buffers:", 0);
	show_kb(m, "Cached:", info.shmem);
	show_kb(m, "SwapCached:", 0);
	show_kb(m, "SwapTotal:", 0);
	show_kb(m, "SwapFree:", 0);
	show_kb(m, "Shmem:", info.shmem);
	show_kb(m, "Slab:", info.slab);
	show_kb(m, "SReclaimable:", 0);
	show_kb(m, "SUnreclaim:", info.slab);
	show_kb(m, "KernelStack:", info.kernel_stack);
	show_kb(m, "PageTables:", info.page_tables);
	show_kb(m, "Committed_AS:", info.committed);
	show_kb(m, "VmallocTotal:", VMALLOC_END - VMALLOC_START);
	show_kb(m, "VmallocUsed:", info.vmalloc);
	show_kb(m, "VmallocChunk:", 0);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(meminfo);

static int __init proc_meminfo_init(void)
{
	return proc_create("meminfo", 0444, NULL, &meminfo_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_meminfo_init);
