/*
 * /dev/kmsg: each read gives one record of the kernel's messages, each write adds a message
 * (Linux: Documentation/ABI/testing/dev-kmsg).
 */
#include "fs/devfs.h"
#include "fs/devices.h"
#include "fs/poll.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"

/* Bytes of one message: the limit of Linux 6.1, and less than a record holds. */
#define KMSG_WRITE_MAX 992

BUILD_BUG_ON(KMSG_WRITE_MAX > PRINTK_TEXT_MAX);

static DECLARE_WAIT_QUEUE_HEAD(log_wait); /* readers sleep here */

/* The state of an open file. */
struct devkmsg_user {
	struct mutex lock;
	u64 seq; /* [lock] the next record */
};

static int devkmsg_open(struct inode *inode, struct file *file)
{
	struct devkmsg_user *user;

	(void)inode;
	if (!(file->f_mode & FMODE_READ))
		return 0;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	mutex_init(&user->lock);
	user->seq = kmsg_first_seq();
	file->private_data = user;
	return 0;
}

static int devkmsg_release(struct inode *inode, struct file *file)
{
	(void)inode;
	kfree(file->private_data);
	return 0;
}

static ssize_t devkmsg_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct devkmsg_user *user = file->private_data;
	ssize_t ret;

	(void)pos;
	ret = mutex_lock_interruptible(&user->lock);
	if (ret)
		return ret;
	while ((ret = kmsg_read_record(&user->seq, buf, count)) == 0) {
		ret = -EAGAIN;
		if (file->f_flags & O_NONBLOCK)
			break;
		ret = wait_event_interruptible(log_wait, kmsg_next_seq() != user->seq);
		if (ret)
			break;
	}
	mutex_unlock(&user->lock);
	return ret;
}

int kmsg_wait(u64 seq)
{
	return wait_event_interruptible(log_wait, kmsg_next_seq() != seq);
}

/* Adds a message. In "<N>text", N is the priority; a program cannot be the kernel, facility 0. */
static ssize_t devkmsg_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[KMSG_WRITE_MAX + 1], *start = text;
	unsigned prio = LOG_PRIO(LOG_USER, default_message_loglevel);

	(void)file, (void)pos;
	if (count > KMSG_WRITE_MAX)
		return -EINVAL;
	memcpy(text, buf, count);
	text[count] = '\0';
	if (text[0] == '<') {
		char *end;
		unsigned long n = simple_strtoul(text + 1, &end, 10);

		if (end != text + 1 && *end == '>') {
			prio = LOG_PRIO(LOG_FACILITY(n) ? LOG_FACILITY(n) : LOG_USER, n);
			start = end + 1;
		}
	}
	if (count && text[count - 1] == '\n')
		text[count - 1] = '\0';
	printk_emit(prio, "%s\n", start);
	return (ssize_t)count;
}

static loff_t devkmsg_llseek(struct file *file, loff_t offset, int whence)
{
	struct devkmsg_user *user = file->private_data;

	if (!user)
		return -EBADF;
	if (offset)
		return -ESPIPE;
	if (whence == SEEK_CUR)
		return -EINVAL;
	mutex_lock(&user->lock);
	user->seq = whence == SEEK_SET ? kmsg_first_seq() : kmsg_next_seq();
	mutex_unlock(&user->lock);
	return 0;
}

static unsigned devkmsg_poll(struct file *file, struct poll_table_struct *wait)
{
	struct devkmsg_user *user = file->private_data;
	u64 seq;

	if (!user)
		return POLLOUT | POLLWRNORM;
	poll_wait(file, &log_wait, wait);
	seq = READ_ONCE(user->seq);
	if (seq < kmsg_first_seq())
		return POLLIN | POLLRDNORM | POLLERR | POLLPRI;
	return seq != kmsg_next_seq() ? POLLIN | POLLRDNORM : 0;
}

static const struct file_operations kmsg_fops = {
	.open = devkmsg_open,
	.release = devkmsg_release,
	.read = devkmsg_read,
	.write = devkmsg_write,
	.llseek = devkmsg_llseek,
	.poll = devkmsg_poll,
};

static bool reader_waits(void)
{
	return !list_empty(&log_wait.head);
}

static void wake_readers(void)
{
	wake_up_interruptible(&log_wait);
}

static const struct kmsg_reader_hooks reader_hooks = { reader_waits, wake_readers };

int kmsg_device_init(void)
{
	smp_store_release(&kmsg_reader_hooks, &reader_hooks);
	return devfs_create("kmsg", 0644, MKDEV(1, 11), &kmsg_fops, NULL);
}
