/*
 * syslog(2), which dmesg calls: the kernel's messages as text, each line as `<PRIO>[SECONDS]
 * TEXT`; and which of them the console prints.
 */
#include "arch/mm/uaccess.h"
#include "fs/dev/devices.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/sched/mutex.h"
#include "kernel/syscalls/syscalls.h"

enum syslog_action {
	SYSLOG_CLOSE,
	SYSLOG_OPEN,
	SYSLOG_READ,
	SYSLOG_READ_ALL,
	SYSLOG_READ_CLEAR,
	SYSLOG_CLEAR,
	SYSLOG_CONSOLE_OFF,
	SYSLOG_CONSOLE_ON,
	SYSLOG_CONSOLE_LEVEL,
	SYSLOG_SIZE_UNREAD,
	SYSLOG_SIZE_BUFFER,
};

static DEFINE_MUTEX(syslog_mutex);
static u64 read_seq;        /* [syslog_mutex] the next record for SYSLOG_READ */
static size_t read_partial; /* [syslog_mutex] how many bytes of that record were read already */
static u64 clear_seq; /* [syslog_mutex] older ones are cleared: SYSLOG_READ_ALL leaves them out */
static int saved_level = -1; /* [syslog_mutex] before SYSLOG_CONSOLE_OFF; -1: it is on */

/* The size of all records from seq on. */
static size_t size_from(u64 seq, char *line)
{
	size_t size = 0, n;

	while ((n = kmsg_read_line(&seq, line)))
		size += n;
	return size;
}

/* Copies the last whole records of those from seq on that have room. */
static long read_last(char __user *buf, size_t len, u64 seq, char *line)
{
	size_t size = size_from(seq, line), n, done = 0;

	for (; size > len; size -= n)
		if (!(n = kmsg_read_line(&seq, line)))
			break;
	while ((n = kmsg_read_line(&seq, line)) && done + n <= len) {
		if (copy_to_user(buf + done, line, n))
			return -EFAULT;
		done += n;
	}
	return (long)done;
}

/*
 * Waits until the record read_seq is there. syslog_mutex is held, but released during the wait, so
 * that others can call syslog(2). 0 or a negative errno.
 */
static int wait_for_record(void)
{
	int err;
	u64 seq;

	do {
		seq = read_seq;
		mutex_unlock(&syslog_mutex);
		err = kmsg_wait(seq);
		mutex_lock(&syslog_mutex);
	} while (!err && seq != read_seq); /* another reader has taken it */
	return err;
}

/*
 * Finds what is left of the record read_seq: its bytes in line from *start on, up to the result.
 * Stores its number in *seq. 0: there is no record.
 */
static size_t next_record(char *line, u64 *seq, size_t *start)
{
	size_t end;

	*seq = read_seq;
	end = kmsg_read_line(seq, line);
	/* The record that was begun may be overwritten: *seq is that of the oldest now. */
	*start = end && --*seq == read_seq ? min(read_partial, end) : 0;
	return end;
}

/* Waits for a record, and copies the records that have room; of the first one, what has room. */
static long read_next(char __user *buf, size_t len, char *line)
{
	size_t done = 0, start, end;
	long err = wait_for_record();
	u64 seq;

	if (err)
		return err;
	while ((end = next_record(line, &seq, &start))) {
		size_t n = min(end - start, len - done);

		if (done && start + n < end)
			break;
		if (copy_to_user(buf + done, line + start, n))
			return done ? (long)done : -EFAULT;
		done += n;
		read_seq = start + n < end ? seq : seq + 1;
		read_partial = start + n < end ? start + n : 0;
		if (read_partial)
			break;
	}
	return (long)done;
}

static long read_log(enum syslog_action type, char __user *buf, int len)
{
	char *line;
	long ret;

	if (!buf || len < 0)
		return -EINVAL;
	if (!len)
		return 0;
	if (!access_ok(buf, (size_t)len))
		return -EFAULT;
	line = kmalloc(KMSG_LINE_MAX, GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	ret = mutex_lock_interruptible(&syslog_mutex);
	if (!ret) {
		ret = type == SYSLOG_READ ? read_next(buf, (size_t)len, line)
					  : read_last(buf, (size_t)len, clear_seq, line);
		if (type == SYSLOG_READ_CLEAR && ret >= 0)
			clear_seq = kmsg_next_seq();
		mutex_unlock(&syslog_mutex);
	}
	kfree(line);
	return ret;
}

/* Switches the messages on the console off or on, or sets the level of those that come there. */
static long set_console(enum syslog_action type, int level)
{
	if (type == SYSLOG_CONSOLE_LEVEL) {
		if (level < 1 || level > 8)
			return -EINVAL;
		console_loglevel = max(level, minimum_console_loglevel);
		saved_level = -1;
	} else if (type == SYSLOG_CONSOLE_OFF) {
		if (saved_level < 0)
			saved_level = console_loglevel;
		console_loglevel = minimum_console_loglevel;
	} else if (saved_level >= 0) {
		console_loglevel = saved_level;
		saved_level = -1;
	}
	return 0;
}

static long unread_size(void)
{
	char *line = kmalloc(KMSG_LINE_MAX, GFP_KERNEL);
	size_t start;
	long size;
	u64 seq;

	if (!line)
		return -ENOMEM;
	(void)next_record(line, &seq, &start);
	size = (long)(size_from(read_seq, line) - start);
	kfree(line);
	return size;
}

/* The actions that read no message. syslog_mutex is held. */
static long control(enum syslog_action type, int len)
{
	switch (type) {
	case SYSLOG_CLOSE:
	case SYSLOG_OPEN:
		return 0;
	case SYSLOG_CLEAR:
		clear_seq = kmsg_next_seq();
		return 0;
	case SYSLOG_CONSOLE_OFF:
	case SYSLOG_CONSOLE_ON:
	case SYSLOG_CONSOLE_LEVEL:
		return set_console(type, len);
	case SYSLOG_SIZE_UNREAD:
		return unread_size();
	case SYSLOG_SIZE_BUFFER:
		return KMSG_BUFFER_SIZE;
	default:
		return -EINVAL;
	}
}

SYSCALL_DEFINE3(syslog, int, type, char __user *, buf, int, len)
{
	long ret;

	if (type == SYSLOG_READ_ALL || type == SYSLOG_SIZE_BUFFER ? !may_read_log()
								  : !capable(CAP_SYSLOG))
		return -EPERM;
	if (type >= SYSLOG_READ && type <= SYSLOG_READ_CLEAR)
		return read_log((enum syslog_action)type, buf, len);
	ret = mutex_lock_interruptible(&syslog_mutex);
	if (ret)
		return ret;
	ret = control((enum syslog_action)type, len);
	mutex_unlock(&syslog_mutex);
	return ret;
}
