/* /sys/kernel/debug/fgraph: the state of fgraph, for tests and students. */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "trace/fgraph/fgraph.h"

static int fgraph_show(struct seq_file *m, void *v __unused)
{
	struct fgraph_stats stats;

	fgraph_stats_read(&stats);
	seq_printf(m, "users: %u\nstacks: %d\nframes: %u\noverrun: %lu\nunmatched: %lu\n",
		   stats.users, stats.stacks, stats.frames, stats.overrun, stats.unmatched);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fgraph);

static int __init fgraph_file_init(void)
{
	debugfs_create_file("fgraph", 0444, NULL, NULL, &fgraph_fops);
	return 0;
}
device_initcall(fgraph_file_init);
