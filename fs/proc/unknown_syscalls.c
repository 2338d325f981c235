/*
 * /proc/unknown_syscalls: the numbers of system calls that programs wanted and nop5 does not have.
 */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/syscalls/syscalls.h"

static int unknown_syscalls_show(struct seq_file *m, void *unused __unused)
{
	for (unsigned nr = 0; nr < NR_SYSCALLS; nr++) {
		unsigned count = syscall_unknown_count(nr);

		if (count)
			seq_printf(m, "%u %u\n", nr, count);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(unknown_syscalls);

static int __init proc_unknown_syscalls_init(void)
{
	proc_create("unknown_syscalls", 0444, NULL, &unknown_syscalls_fops);
	return 0;
}
device_initcall(proc_unknown_syscalls_init);
