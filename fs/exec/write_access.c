/* The file of a program has no writers while the program runs. See fs/vfs/open.h. */
#include "fs/vfs/open.h"
#include "kernel/errno.h"

int deny_write_access(struct file *file)
{
	atomic_t *writecount = &file->f_inode->i_writecount;
	int count = atomic_read(writecount);

	while (count <= 0) {
		int seen = atomic_cmpxchg(writecount, count, count - 1);

		if (seen == count)
			return 0;
		count = seen;
	}
	return -ETXTBSY;
}

void allow_write_access(struct file *file)
{
	atomic_inc(&file->f_inode->i_writecount);
}
