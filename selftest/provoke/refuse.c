/*
 * /sys/kernel/debug/refuse_allocation: refuses memory to a program (tests/modules/refuse.c).
 *
 *	write N		the Nth allocation that the writer makes in the kernel from now on fails
 *	write 0		no allocation fails; reading gives how many the writer has made since N
 *
 * The file is open as long as allocations may be refused. One task at a time uses it.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "selftest/trace/refuse.h"
#include "trace/core/files.h"

static unsigned made;

static ssize_t refuse_write(struct file *file __unused, const char *buf, size_t count,
			    loff_t *pos __unused)
{
	unsigned long n;
	int error = trace_get_number(buf, count, 10, &n);

	if (error)
		return error;
	made = refuse_nth((unsigned)n);
	return (ssize_t)count;
}

static ssize_t refuse_read(struct file *file __unused, char *buf, size_t count,
			   loff_t *pos __unused)
{
	if (count < sizeof(made))
		return -EINVAL;
	memcpy(buf, &made, sizeof(made));
	return sizeof(made);
}

static int refuse_open(struct inode *inode __unused, struct file *file __unused)
{
	return start_refusing() ? 0 : -EBUSY;
}

static int refuse_release(struct inode *inode __unused, struct file *file __unused)
{
	refuse_nth(0);
	return end_refusing();
}

static const struct file_operations refuse_fops = {
	.open = refuse_open,
	.release = refuse_release,
	.read = refuse_read,
	.write = refuse_write,
};

static int __init refuse_init(void)
{
	debugfs_create_file("refuse_allocation", 0600, NULL, NULL, &refuse_fops);
	return 0;
}
device_initcall(refuse_init);
