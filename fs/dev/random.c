/* /dev/random and /dev/urandom: random numbers as files. Both give the same, as on Linux. */
#include "fs/dev/devfs.h"
#include "fs/vfs/hooks.h"
#include "kernel/random/random.h"

static ssize_t read_random(struct file *file, char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)pos;
	get_random_bytes(buf, count);
	return (ssize_t)count;
}

static ssize_t write_random(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)pos;
	add_random_bytes(buf, count);
	return (ssize_t)count;
}

/* There is always a number to read, so nothing is ever sent. */
static int random_fasync(int fd, struct file *file, bool on)
{
	static struct fasync_struct *readers;

	return fasync_helper(fd, file, on, &readers);
}

static const struct file_operations random_fops = {
	.read = read_random,
	.write = write_random,
	.llseek = noop_llseek,
	.fasync = random_fasync,
};

DEVICE_FILE(random) = { .name = "random", .mode = 0666, .dev = MKDEV(1, 8), .fops = &random_fops };
DEVICE_FILE(urandom) = {
	.name = "urandom", .mode = 0666, .dev = MKDEV(1, 9), .fops = &random_fops
};
