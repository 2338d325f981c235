/* /dev/null, /dev/zero, /dev/full: devices without hardware. */
#include "fs/devfs.h"
#include "fs/devices.h"
#include "kernel/lib/string.h"

static ssize_t read_null(struct file *file, char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)buf, (void)count, (void)pos;
	return 0;
}

static ssize_t write_null(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)buf, (void)pos;
	return (ssize_t)count;
}

static ssize_t read_zero(struct file *file, char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)pos;
	memset(buf, 0, count);
	return (ssize_t)count;
}

static ssize_t write_full(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)buf, (void)count, (void)pos;
	return -ENOSPC;
}

static const struct file_operations null_fops = { .read = read_null,
						  .write = write_null,
						  .llseek = noop_llseek };
static const struct file_operations zero_fops = { .read = read_zero,
						  .write = write_null,
						  .llseek = noop_llseek };
static const struct file_operations full_fops = { .read = read_zero,
						  .write = write_full,
						  .llseek = noop_llseek };

int mem_devices_init(void)
{
	int err = devfs_create("null", 0666, MKDEV(1, 3), &null_fops, NULL);

	err = err ? err : devfs_create("zero", 0666, MKDEV(1, 5), &zero_fops, NULL);
	return err ? err : devfs_create("full", 0666, MKDEV(1, 7), &full_fops, NULL);
}
