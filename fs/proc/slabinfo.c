/* /proc/slabinfo: the slab caches, in Linux's format (slabinfo(5)). The tunables are all 0. */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"

static int slabinfo_show(struct seq_file *m, void *v)
{
	struct slabinfo info;

	(void)v;
	seq_puts(m, "slabinfo - version: 2.1\n"
		    "# name            <active_objs> <num_objs> <objsize> <objperslab> "
		    "<pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata "
		    "<active_slabs> <num_slabs> <sharedavail>\n");
	for (unsigned place = 0; get_slabinfo(place, &info); place = info.place + 1)
		seq_printf(m,
			   "%-17s %6lu %6lu %6u %4u %4u : tunables %4u %4u %4u : slabdata "
			   "%6lu %6lu %6u\n",
			   info.name, info.active_objs, info.num_objs, info.object_size,
			   info.objects_per_slab, info.pages_per_slab, 0U, 0U, 0U,
			   info.active_slabs, info.num_slabs, 0U);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slabinfo);

static int __init proc_slabinfo_init(void)
{
	return proc_create("slabinfo", 0400, NULL, &slabinfo_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_slabinfo_init);
