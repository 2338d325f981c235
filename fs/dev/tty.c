/* /dev/console, /dev/tty, /dev/ttyS0 to ttyS2; and the files of all terminals. */
#include "fs/dev/tty.h"
#include "fs/dev/devfs.h"
#include "fs/vfs/hooks.h"
#include "fs/file/poll.h"
#include "kernel/boot/boot_time.h"
#include "kernel/task/cred.h"

#define TTYAUX_MAJOR 5 /* /dev/tty, /dev/console */
#define CONSOLE_DEV  MKDEV(TTYAUX_MAJOR, 1)

void tty_file_opened(struct file *file, struct tty_struct *tty)
{
	file->private_data = tty;
	file->f_version = READ_ONCE(tty->hangups);
	file->f_op = &tty_file_operations;
	if (!(file->f_flags & O_NOCTTY) && (file->f_mode & FMODE_READ))
		tty_program_ops->opened(tty);
}

/* i_private is the number of the terminal. */
static int tty_open(struct inode *inode, struct file *file)
{
	struct tty_struct *tty = tty_find((unsigned)(unsigned long)inode->i_private);

	if (!tty)
		return -ENXIO;
	if (READ_ONCE(tty->exclusive) && !capable(CAP_SYS_ADMIN))
		return -EBUSY;
	if (inode->i_rdev != CONSOLE_DEV) {
		tty_file_opened(file, tty);
		return 0;
	}
	/* The console never becomes the terminal of a session by itself, as in Linux. */
	file->private_data = tty;
	file->f_op = &tty_file_operations;
	return 0;
}

/* /dev/tty: the terminal of the session. */
static int tty_open_current(struct inode *inode, struct file *file)
{
	struct tty_struct *tty = tty_program_ops->open_current();

	(void)inode;
	if (!tty)
		return -ENXIO;
	file->private_data = tty;
	file->f_version = READ_ONCE(tty->hangups);
	file->f_op = &tty_file_operations;
	return 0;
}

static int tty_file_release(struct inode *inode, struct file *file)
{
	struct tty_struct *tty = file->private_data;

	(void)inode;
	if (tty->ops->close)
		tty->ops->close(tty);
	return 0;
}

static struct tty_user user_of(const struct file *file)
{
	return (struct tty_user){
		.nonblock = file->f_flags & O_NONBLOCK,
		.stays = file->f_inode->i_rdev == CONSOLE_DEV,
		.hangups = file->f_version,
	};
}

static bool is_hung_up(const struct file *file)
{
	return tty_user_is_hung_up(file->private_data, user_of(file));
}

static ssize_t tty_file_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	(void)pos;
	if (is_hung_up(file))
		return 0;
	return tty_read(file->private_data, buf, count, user_of(file));
}

static ssize_t tty_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)pos;
	if (is_hung_up(file))
		return -EIO;
	return tty_write(file->private_data, buf, count, user_of(file));
}

static unsigned tty_poll(struct file *file, struct poll_table_struct *wait)
{
	struct tty_struct *tty = file->private_data;
	unsigned mask = 0;

	boot_stamp(BOOT_PROMPT);
	poll_wait(file, &tty->read_wait, wait);
	poll_wait(file, &tty->write_wait, wait);
	if (is_hung_up(file))
		return POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDNORM | POLLWRNORM;
	if (tty_readable(tty))
		mask |= POLLIN | POLLRDNORM;
	if (tty_writable(tty))
		mask |= POLLOUT | POLLWRNORM;
	return mask;
}

static long tty_file_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	if (is_hung_up(file))
		return cmd == TIOCSPGRP ? -ENOTTY : -EIO;
	return tty_program_ops->ioctl(file->private_data, cmd, arg, file->f_mode & FMODE_READ);
}

int tty_fasync_helper(int fd, struct file *file, bool on, struct tty_struct *tty,
		      struct fasync_struct **list)
{
	enum pid_type type = PIDTYPE_PGID;
	struct pid *pid;
	int err = fasync_helper(fd, file, on, list);

	if (err || !on)
		return err;
	pid = tty ? tty_get_pgrp(tty) : NULL;
	if (!pid) {
		pid = get_task_pid(current, PIDTYPE_TGID);
		type = PIDTYPE_TGID;
	}
	return __f_setown(file, pid, type, true);
}

static int tty_fasync(int fd, struct file *file, bool on)
{
	struct tty_struct *tty = file->private_data;

	if (on && is_hung_up(file))
		return -ENOTTY;
	return tty_fasync_helper(fd, file, on, tty, &tty->fasync);
}

const struct file_operations tty_file_operations = {
	.release = tty_file_release,
	.read = tty_file_read,
	.write = tty_file_write,
	.poll = tty_poll,
	.ioctl = tty_file_ioctl,
	.fasync = tty_fasync,
};

/* These opens give the file tty_file_operations. */
static const struct file_operations tty_fops = {
	.open = tty_open,
};
static const struct file_operations current_tty_fops = {
	.open = tty_open_current,
};

DEVICE_FILE(console) = {
	.name = "console", .mode = 0600, .dev = CONSOLE_DEV, .fops = &tty_fops, .private = (void *)0
};
DEVICE_FILE(tty) = {
	.name = "tty", .mode = 0666, .dev = MKDEV(TTYAUX_MAJOR, 0), .fops = &current_tty_fops
};
DEVICE_FILE(ttyS0) = {
	.name = "ttyS0", .mode = 0600, .dev = MKDEV(4, 64), .fops = &tty_fops, .private = (void *)0
};
DEVICE_FILE(ttyS1) = {
	.name = "ttyS1", .mode = 0600, .dev = MKDEV(4, 65), .fops = &tty_fops, .private = (void *)1
};
DEVICE_FILE(ttyS2) = {
	.name = "ttyS2", .mode = 0600, .dev = MKDEV(4, 66), .fops = &tty_fops, .private = (void *)2
};
