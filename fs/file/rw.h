/* Reads and writes with an iterator, for the parts of the VFS that move data between files. */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/sched/sched.h"

/*
 * They check that the file is open for this, use a bounce buffer for a file without read_iter or
 * write_iter, and advance *pos. flags: IOCB_*.
 */
ssize_t vfs_iter_read(struct file *file, struct iov_iter *to, loff_t *pos);
ssize_t vfs_iter_write(struct file *file, struct iov_iter *from, loff_t *pos, unsigned flags);

/*
 * They count a call of the current task with result ret, for /proc/PID/io. A call for which the
 * file is not open does not count.
 */
static inline void account_read(ssize_t ret)
{
	struct task_io_accounting *ioac = &current->ioac;

	if (likely(ret > 0))
		ioac->rchar += (u64)ret;
	else if (ret == -EBADF)
		return;
	ioac->syscr++;
}

static inline void account_write(ssize_t ret)
{
	struct task_io_accounting *ioac = &current->ioac;

	if (likely(ret > 0))
		ioac->wchar += (u64)ret;
	else if (ret == -EBADF)
		return;
	ioac->syscw++;
}
