/* /dev/null, /dev/zero, /dev/full: devices without hardware. */
#include "fs/dev/devfs.h"
#include "fs/file/uio.h"

static ssize_t read_null(struct kiocb *iocb, struct iov_iter *to)
{
	(void)iocb, (void)to;
	return 0;
}

static ssize_t write_null(struct kiocb *iocb, struct iov_iter *from)
{
	size_t count = from->count;

	(void)iocb;
	from->count = 0;
	return (ssize_t)count;
}

static ssize_t read_zero(struct kiocb *iocb, struct iov_iter *to)
{
	size_t count = to->count, n;

	(void)iocb;
	/* One byte is what loops over small reads ask for most. */
	if (count == 1 && !to->kernel)
		return put_user(0, (char __user *)to->base) ? -EFAULT : 1;
	n = iov_iter_zero(count, to);
	return n || !count ? (ssize_t)n : -EFAULT;
}

static ssize_t write_full(struct kiocb *iocb, struct iov_iter *from)
{
	(void)iocb, (void)from;
	return -ENOSPC;
}

/* Anonymous memory: an area without operations. */
static int mmap_zero(struct file *file, struct vm_area_struct *vma)
{
	(void)file, (void)vma;
	return 0;
}

static const struct file_operations null_fops = { .read_iter = read_null,
						  .write_iter = write_null,
						  .no_splice_read = true,
						  .llseek = noop_llseek };
static const struct file_operations zero_fops = {
	.read_iter = read_zero,
	.write_iter = write_null,
	.no_splice_read = true,
	.llseek = noop_llseek,
	.mmap = mmap_zero,
};
static const struct file_operations full_fops = { .read_iter = read_zero,
						  .write_iter = write_full,
						  .no_splice_write = true,
						  .no_splice_read = true,
						  .llseek = noop_llseek };

DEVICE_FILE(null) = { .name = "null", .mode = 0666, .dev = MKDEV(1, 3), .fops = &null_fops };
DEVICE_FILE(zero) = { .name = "zero", .mode = 0666, .dev = MKDEV(1, 5), .fops = &zero_fops };
DEVICE_FILE(full) = { .name = "full", .mode = 0666, .dev = MKDEV(1, 7), .fops = &full_fops };
