/*
 * The descriptor of an event: read(2), poll(2), ioctl(2) and close(2).
 *
 * Operations go to the original, which the program has opened, and to its children, all under M.
 */
#include "trace/perf/internal.h"

#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/bug.h"
#include "kernel/mm/slab.h"

struct perf_event *perf_file_event(struct file *file)
{
	return file->f_op == &perf_fops ? file->private_data : NULL;
}

/* ---- read(2) ---- */

#define FORMAT_TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static u64 *put_times(u64 *to, u64 format, const struct perf_values *values)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = values->enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = values->running;
	return to;
}

/* An event that does not sample loses no record. */
static u64 *put_id(u64 *to, u64 format, const struct perf_event *event)
{
	if (format & PERF_FORMAT_ID)
		*to++ = event->id;
	if (format & PERF_FORMAT_LOST)
		*to++ = 0;
	return to;
}

static u64 *read_one(const struct perf_event *event, u64 *to)
{
	u64 format = event->attr->read_format;
	struct perf_values values;

	perf_event_read(event, format & FORMAT_TIMES, &values);
	*to++ = values.count;
	return put_id(put_times(to, format, &values), format, event);
}

/* The number of events, the times of the leader, then each event. */
static u64 *read_group(const struct perf_event *leader, u64 format, u64 *to)
{
	const struct perf_event *member;
	struct perf_values values;

	*to++ = 1 + leader->nr_siblings;
	perf_event_read(leader, format & FORMAT_TIMES, &values);
	to = put_times(to, format, &values);
	*to++ = values.count;
	to = put_id(to, format, leader);
	list_for_each_entry (member, &leader->siblings, sibling_node) {
		perf_event_read(member, false, &values);
		*to++ = values.count;
		to = put_id(to, format, member);
	}
	return to;
}

/* How many bytes read(2) returns. M held. */
static size_t read_size(const struct perf_event *event)
{
	u64 format = event->attr->read_format;
	size_t entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (!(format & PERF_FORMAT_GROUP))
		return 8 * (times + entry);
	return 8 * (1 + times + entry * (1 + event->leader->nr_siblings));
}

static ssize_t perf_read(struct file *file, char *buf, size_t count, loff_t *pos __unused)
{
	const struct perf_event *event = file->private_data;
	ssize_t size;
	u64 *end;

	mutex_lock(&perf_mutex);
	size = (ssize_t)read_size(event);
	if ((ssize_t)count < size) {
		size = -ENOSPC;
	} else {
		end = event->attr->read_format & PERF_FORMAT_GROUP
			      ? read_group(event->leader, event->attr->read_format, (u64 *)buf)
			      : read_one(event, (u64 *)buf);
		DEBUG_BUG_ON((char *)end != buf + size);
	}
	mutex_unlock(&perf_mutex);
	return size;
}

/* ---- poll(2) ---- */

/* There is never anything to wait for: an event has no buffer. */
static unsigned perf_poll(struct file *file, struct poll_table_struct *wait)
{
	struct perf_event *event = file->private_data;

	poll_wait(file, &event->wait, wait);
	return POLLHUP;
}

/* ---- ioctl(2) ---- */

/* Calls fn for the event and its children, and with PERF_IOC_FLAG_GROUP for its whole group. */
static long for_each_of(struct perf_event *event, unsigned long flags,
			void (*fn)(struct perf_event *event))
{
	struct perf_event *member;

	mutex_lock(&perf_mutex);
	if (flags & PERF_IOC_FLAG_GROUP)
		event = event->leader;
	fn(event);
	if (flags & PERF_IOC_FLAG_GROUP)
		list_for_each_entry (member, &event->siblings, sibling_node)
			fn(member);
	mutex_unlock(&perf_mutex);
	return 0;
}

static void enable(struct perf_event *event)
{
	perf_event_set_all(event, true);
}

static void disable(struct perf_event *event)
{
	perf_event_set_all(event, false);
}

/* An event that does not sample has no period. */
static long set_period(const u64 __user *arg)
{
	u64 value;

	return copy_from_user(&value, arg, sizeof(value)) ? -EFAULT : -EINVAL;
}

/* An event has no buffer, so the only output that it can have is none. */
static long set_output(int fd)
{
	struct file *file;
	bool is_event;

	if (fd == -1)
		return 0;
	file = fget((unsigned)fd);
	if (!file)
		return -EBADF;
	is_event = perf_file_event(file);
	fput(file);
	return is_event ? -EINVAL : -EBADF;
}

/* There are no BPF programs, so a descriptor is that of another file. */
static long set_bpf(int fd)
{
	struct file *file = fget((unsigned)fd);

	if (!file)
		return -EBADF;
	fput(file);
	return -EINVAL;
}

/* No kind of events has a filter. */
static long set_filter(const char __user *arg)
{
	char byte;

	return copy_from_user(&byte, arg, 1) ? -EFAULT : -EINVAL;
}

static long modify_attributes(const struct perf_event *event, struct perf_event_attr __user *arg)
{
	struct perf_event_attr *attr = perf_copy_attr(arg);
	long error;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	error = attr->type == event->attr->type ? -EOPNOTSUPP : -EINVAL;
	kfree(attr);
	return error;
}

static long perf_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct perf_event *event = file->private_data;

	switch (cmd) {
	case PERF_EVENT_IOC_ENABLE:
		return for_each_of(event, arg, enable);
	case PERF_EVENT_IOC_DISABLE:
		return for_each_of(event, arg, disable);
	case PERF_EVENT_IOC_RESET:
		return for_each_of(event, arg, perf_event_reset);
	case PERF_EVENT_IOC_PERIOD:
		return set_period((const u64 __user *)arg);
	case PERF_EVENT_IOC_ID:
		return put_user(event->id, (u64 __user *)arg) ? -EFAULT : 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output((int)arg);
	case PERF_EVENT_IOC_SET_FILTER:
		return set_filter((const char __user *)arg);
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return modify_attributes(event, (struct perf_event_attr __user *)arg);
	case PERF_EVENT_IOC_SET_BPF:
		return set_bpf((int)arg);
	case PERF_EVENT_IOC_REFRESH: /* these are for events with samples, a buffer, a program */
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
	case PERF_EVENT_IOC_QUERY_BPF:
		return -EINVAL;
	default:
		return -ENOTTY;
	}
}

/* ---- the end; memory ---- */

static int perf_release(struct inode *inode __unused, struct file *file)
{
	perf_event_release(file->private_data);
	return 0;
}

/* The events of all children go with this file. */
static size_t perf_memory(struct file *file)
{
	const struct perf_event *event = file->private_data;

	return (1 + (size_t)READ_ONCE(event->nr_children)) * sizeof(*event);
}

static ssize_t perf_write(struct file *file __unused, const char *buf __unused,
			  size_t count __unused, loff_t *pos __unused)
{
	return -EINVAL;
}

const struct file_operations perf_fops = {
	.read = perf_read,
	.write = perf_write,
	.llseek = no_llseek,
	.poll = perf_poll,
	.ioctl = perf_ioctl,
	.memory = perf_memory,
	.release = perf_release,
};
