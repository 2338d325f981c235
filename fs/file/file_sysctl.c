/* /proc/sys/fs/file-max and file-nr: how many files are open, and how many may be. */
#include "fs/vfs/internal.h"
#include "fs/proc/proc_fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/lib/vsprintf.h"

/* The second number is Linux's of files that are allocated and not in use: always 0. */
static int proc_file_nr(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	(void)table;
	if (write)
		return -EINVAL;
	scnprintf(buf, size, "%u\t0\t%lu\n", nr_open_files(), READ_ONCE(max_files));
	return 0;
}

SYSCTL(file_max, "fs", "file-max", 0644, proc_doulongvec, .data = &max_files);
SYSCTL(file_nr, "fs", "file-nr", 0444, proc_file_nr);
