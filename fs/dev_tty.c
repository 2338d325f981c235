/*
 * /dev/console, /dev/ttyS0, /dev/ttyS1: terminals as files. kernel/console implements the
 * terminals.
 */
#include "fs/devfs.h"
#include "fs/devices.h"
#include "fs/poll.h"
#include "kernel/boot/boot_time.h"
#include "kernel/console/tty.h"

#define TTYAUX_MAJOR 5 /* /dev/tty, /dev/console */

/* i_private is the number of the terminal. */
static int tty_open(struct inode *inode, struct file *file)
{
	struct tty_struct *tty = tty_find((unsigned)(unsigned long)inode->i_private);

	if (!tty)
		return -ENXIO;
	file->private_data = tty;
	/* The console never becomes the terminal of a session by itself, as in Linux. */
	if (!(file->f_flags & O_NOCTTY) && MAJOR(inode->i_rdev) != TTYAUX_MAJOR)
		tty_open_proc_set_tty(tty);
	return 0;
}

/* /dev/tty: the terminal of the session. */
static int tty_open_current(struct inode *inode, struct file *file)
{
	(void)inode;
	file->private_data = get_current_tty();
	return file->private_data ? 0 : -ENXIO;
}

static ssize_t tty_file_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	(void)pos;
	return tty_read(file->private_data, buf, count, file->f_flags & O_NONBLOCK);
}

static ssize_t tty_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)pos;
	return tty_write(file->private_data, buf, count, file->f_flags & O_NONBLOCK);
}

static unsigned tty_poll(struct file *file, struct poll_table_struct *wait)
{
	struct tty_struct *tty = file->private_data;
	unsigned mask = 0;

	boot_stamp(BOOT_PROMPT);
	poll_wait(file, &tty->read_wait, wait);
	poll_wait(file, &tty->write_wait, wait);
	if (tty_readable(tty))
		mask |= POLLIN | POLLRDNORM;
	if (tty_writable(tty))
		mask |= POLLOUT | POLLWRNORM;
	return mask;
}

static long tty_file_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	return tty_ioctl(file->private_data, cmd, arg);
}

static const struct file_operations tty_fops = {
	.open = tty_open,
	.read = tty_file_read,
	.write = tty_file_write,
	.poll = tty_poll,
	.ioctl = tty_file_ioctl,
};

static const struct file_operations current_tty_fops = {
	.open = tty_open_current,
	.read = tty_file_read,
	.write = tty_file_write,
	.poll = tty_poll,
	.ioctl = tty_file_ioctl,
};

int tty_devices_init(void)
{
	int err = devfs_create("console", 0600, MKDEV(TTYAUX_MAJOR, 1), &tty_fops, (void *)0);

	err = err ? err
		  : devfs_create("tty", 0666, MKDEV(TTYAUX_MAJOR, 0), &current_tty_fops, NULL);
	err = err ? err : devfs_create("ttyS0", 0600, MKDEV(4, 64), &tty_fops, (void *)0);
	return err ? err : devfs_create("ttyS1", 0600, MKDEV(4, 65), &tty_fops, (void *)1);
}
