/* eventfd(2): a counter that programs wait for like for a file. */
#include "fs/file/file.h"
#include "fs/vfs/internal.h"
#include "fs/file/poll.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"

#define EFD_SEMAPHORE 1
#define EFD_MAX       (~0ULL - 1) /* the largest value of the counter */

/* Legend: [Q] wait.lock; [C] constant. */
struct eventfd {
	wait_queue_head_t wait; /* readers and writers */
	u64 count;              /* [Q] */
	bool semaphore;         /* [C] a read takes 1, not all */
};

/* Sleeps until the counter lets the caller go on. wait.lock held, before and after. */
static int wait_for_count(struct file *file, struct eventfd *ev)
{
	if (file->f_flags & O_NONBLOCK)
		return -EAGAIN;
	return do_wait_intr(&ev->wait);
}

static ssize_t eventfd_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct eventfd *ev = file->private_data;
	u64 value;
	int error = 0;

	(void)pos;
	if (count < sizeof(value))
		return -EINVAL;
	spin_lock(&ev->wait.lock);
	while (!ev->count && !error)
		error = wait_for_count(file, ev);
	if (error) {
		spin_unlock(&ev->wait.lock);
		return error;
	}
	value = ev->semaphore ? 1 : ev->count;
	ev->count -= value;
	spin_unlock(&ev->wait.lock);
	wake_up_poll(&ev->wait, POLLOUT);
	memcpy(buf, &value, sizeof(value));
	return sizeof(value);
}

static ssize_t eventfd_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct eventfd *ev = file->private_data;
	u64 value;
	int error = 0;

	(void)pos;
	if (count < sizeof(value))
		return -EINVAL;
	memcpy(&value, buf, sizeof(value));
	if (value > EFD_MAX)
		return -EINVAL;
	spin_lock(&ev->wait.lock);
	while (EFD_MAX - ev->count < value && !error)
		error = wait_for_count(file, ev);
	if (!error)
		ev->count += value;
	spin_unlock(&ev->wait.lock);
	if (error)
		return error;
	wake_up_poll(&ev->wait, POLLIN);
	return sizeof(value);
}

static unsigned eventfd_poll(struct file *file, struct poll_table_struct *wait)
{
	struct eventfd *ev = file->private_data;
	unsigned mask = 0;
	u64 count;

	poll_wait(file, &ev->wait, wait);
	count = READ_ONCE(ev->count);
	if (count)
		mask |= POLLIN;
	if (count < EFD_MAX)
		mask |= POLLOUT;
	return mask;
}

static int eventfd_release(struct inode *inode, struct file *file)
{
	(void)inode;
	kfree(file->private_data);
	return 0;
}

static const struct file_operations eventfd_fops = {
	.read = eventfd_read,
	.write = eventfd_write,
	.poll = eventfd_poll,
	.llseek = noop_llseek,
	.release = eventfd_release,
};

static long do_eventfd(unsigned count, int flags)
{
	struct eventfd *ev;
	int fd;

	if (flags & ~(EFD_SEMAPHORE | (int)(O_CLOEXEC | O_NONBLOCK)))
		return -EINVAL;
	ev = kzalloc(sizeof(*ev), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	init_waitqueue_head(&ev->wait);
	ev->count = count;
	ev->semaphore = flags & EFD_SEMAPHORE;
	fd = anon_inode_getfd("[eventfd]", &eventfd_fops, ev,
			      O_RDWR | ((unsigned)flags & (O_CLOEXEC | O_NONBLOCK)));
	if (fd < 0)
		kfree(ev);
	return fd;
}

SYSCALL_DEFINE2(eventfd2, unsigned int, count, int, flags)
{
	return do_eventfd(count, flags);
}

SYSCALL_DEFINE1(eventfd, unsigned int, count)
{
	return do_eventfd(count, 0);
}
