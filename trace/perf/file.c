/*
 * The descriptor of an event: read(2), poll(2), ioctl(2), mmap(2) and close(2).
 *
 * Operations go to the original, which the program has opened, and to its children, all under M.
 */
#include "trace/perf/internal.h"

#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "fs/file/uio.h"
#include "fs/vfs/hooks.h"
#include "kernel/bug.h"
#include "kernel/mm/slab.h"
#include "trace/perf/wakeup.h"

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

static u64 *put_id(u64 *to, u64 format, const struct perf_event *event,
		   const struct perf_values *values)
{
	if (format & PERF_FORMAT_ID)
		*to++ = event->id;
	if (format & PERF_FORMAT_LOST)
		*to++ = values->lost;
	return to;
}

static u64 *read_one(const struct perf_event *event, u64 *to)
{
	u64 format = event->attr->read_format;
	struct perf_values values;

	perf_event_read(event, format & FORMAT_TIMES, &values);
	*to++ = values.count;
	return put_id(put_times(to, format, &values), format, event, &values);
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
	to = put_id(to, format, leader, &values);
	list_for_each_entry (member, &leader->siblings, sibling_node) {
		perf_event_read(member, false, &values);
		*to++ = values.count;
		to = put_id(to, format, member, &values);
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

#define WORDS_ON_STACK 8

/* Fills words, or memory that the caller frees, in *to. The size, or an errno. M held. */
static ssize_t fill(const struct perf_event *event, size_t count, u64 *words, u64 **to)
{
	u64 format = event->attr->read_format, *end;
	size_t size = read_size(event);

	*to = words;
	if (count < size)
		return -ENOSPC;
	if (size > WORDS_ON_STACK * sizeof(u64))
		*to = kmalloc(size, GFP_KERNEL);
	if (!*to)
		return -ENOMEM;
	end = format & PERF_FORMAT_GROUP ? read_group(event->leader, format, *to)
					 : read_one(event, *to);
	DEBUG_BUG_ON(end != *to + size / sizeof(u64));
	return (ssize_t)size;
}

static noinline ssize_t read_values(const struct perf_event *event, struct iov_iter *iter)
{
	u64 words[WORDS_ON_STACK], *to;
	ssize_t size;

	mutex_lock(&perf_mutex);
	size = fill(event, iter->count, words, &to);
	mutex_unlock(&perf_mutex);
	if (size > 0 && copy_to_iter(to, (size_t)size, iter) != (size_t)size)
		size = -EFAULT;
	if (to != words)
		kfree(to);
	return size;
}

static ssize_t perf_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	const struct perf_event *event = iocb->ki_filp->private_data;

	if (event->attr->read_format)
		return read_values(event, iter);
	if (iter->count < sizeof(u64))
		return -ENOSPC;
	return put_to_iter(perf_event_count(event), iter) ? (ssize_t)sizeof(u64) : -EFAULT;
}

/* ---- poll(2) ---- */

/* waited is set before poll is taken: see perf_buffer_wake(). */
static unsigned perf_poll(struct file *file, struct poll_table_struct *wait)
{
	struct perf_event *event = file->private_data;
	struct perf_buffer *buffer;
	unsigned events = POLLHUP;

	poll_wait(file, &event->wait, wait);
	if (READ_ONCE(event->state) == PERF_EXIT && !READ_ONCE(event->nr_children))
		return POLLHUP;
	rcu_read_lock();
	buffer = rcu_dereference(event->buffer);
	if (buffer) {
		(void)xchg(&buffer->waited, 1);
		events = xchg(&buffer->poll, 0);
	}
	rcu_read_unlock();
	return events;
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
	if (event->after & PERF_AFTER_ALERT)
		perf_forget_limit(event);
	perf_event_set_all(event, true);
}

static void disable(struct perf_event *event)
{
	perf_event_set_all(event, false);
}

/* The number that PERIOD sets is a frequency, if the event has one. M held. */
static void set_period_one(struct perf_event *event, u64 value)
{
	bool on = event->state == PERF_ON && (event->flags & PERF_ON_CPU);

	if (on)
		perf_event_set(event, false);
	if (event->attr->freq)
		WRITE_ONCE(event->freq, value);
	else
		WRITE_ONCE(event->period, value);
	WRITE_ONCE(event->left, 1); /* a hit at this moment may undo it: then one period later */
	if (event->pmu->set_period)
		event->pmu->set_period(event);
	if (on)
		perf_event_set(event, true);
}

static long set_period(struct perf_event *event, const u64 __user *arg)
{
	struct perf_event *child;
	u64 value;

	if (copy_from_user(&value, arg, sizeof(value)))
		return -EFAULT;
	if (!event->attr->sample_period || !value || (s64)value < 0 ||
	    (event->attr->freq && value > (u64)READ_ONCE(sysctl_perf_event_sample_rate)))
		return -EINVAL;
	mutex_lock(&perf_mutex);
	set_period_one(event, value);
	list_for_each_entry (child, &event->children, child_node)
		set_period_one(child, value);
	mutex_unlock(&perf_mutex);
	return 0;
}

static long set_output(struct perf_event *event, int fd)
{
	struct file *file = fd == -1 ? NULL : fget((unsigned)fd);
	struct perf_event *to = file ? perf_file_event(file) : NULL;
	long error = -EBADF;

	if (fd == -1 || to) {
		mutex_lock(&perf_mutex);
		error = perf_set_output(event, to);
		mutex_unlock(&perf_mutex);
	}
	if (file)
		fput(file);
	return error;
}

static long pause_output(struct perf_event *event, bool pause)
{
	long error = -EINVAL;

	mutex_lock(&perf_mutex);
	if (event->buffer && event->buffer->nr_pages) {
		WRITE_ONCE(event->buffer->ring.paused, pause);
		error = 0;
	}
	mutex_unlock(&perf_mutex);
	return error;
}

static long set_bpf(struct perf_event *event, int fd)
{
	struct file *file;

	if (perf_program_ops)
		return perf_program_ops->set(event, fd);
	/* There are no programs, so a descriptor is that of another file. */
	file = fget((unsigned)fd);
	if (!file)
		return -EBADF;
	fput(file);
	return -EINVAL;
}

/* A copy of the text of a filter, which the caller frees, or an errno as a pointer. */
static char *copy_filter(const char __user *from)
{
	char *text = kmalloc(PAGE_SIZE, GFP_KERNEL);
	long length;

	if (!text)
		return ERR_PTR(-ENOMEM);
	length = strncpy_from_user(text, from, PAGE_SIZE);
	if (length >= 0 && length < (long)PAGE_SIZE)
		return text;
	kfree(text);
	return ERR_PTR(length < 0 ? -EFAULT : -EINVAL);
}

static long set_filter(struct perf_event *event, const char __user *arg)
{
	char *text = copy_filter(arg);
	long error;

	if (IS_ERR(text))
		return PTR_ERR(text);
	error = event->pmu->set_filter ? event->pmu->set_filter(event, text) : -EINVAL;
	kfree(text);
	return error;
}

#define QUERY_BPF_MAX 64

static long query_bpf(struct perf_event *event, struct perf_event_query_bpf __user *arg)
{
	u32 room;

	if (!perfmon_capable())
		return -EPERM;
	if (event->attr->type != PERF_TYPE_TRACEPOINT)
		return -EINVAL;
	if (get_user(room, &arg->ids_len))
		return -EFAULT;
	if (room > QUERY_BPF_MAX)
		return -E2BIG;
	if (perf_program_ops)
		return perf_program_ops->query(event, arg, room);
	return put_user(0U, &arg->prog_cnt) ? -EFAULT : 0;
}

static long modify_attributes(struct perf_event *event, struct perf_event_attr __user *arg)
{
	struct perf_event_attr *attr = perf_copy_attr(arg);
	long error;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	if (attr->type != event->attr->type)
		error = -EINVAL;
	else
		error = event->pmu->modify ? event->pmu->modify(event, attr) : -EOPNOTSUPP;
	kfree(attr);
	return error;
}

static long refresh(struct perf_event *event, int n)
{
	if (event->attr->inherit || !event->attr->sample_period)
		return -EINVAL;
	mutex_lock(&perf_mutex);
	perf_refresh(event, n);
	mutex_unlock(&perf_mutex);
	return 0;
}

/* Out of line, so that the two below need few comparisons. */
static noinline long rare_ioctl(struct perf_event *event, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case PERF_EVENT_IOC_RESET:
		return for_each_of(event, arg, perf_event_reset);
	case PERF_EVENT_IOC_PERIOD:
		return set_period(event, (const u64 __user *)arg);
	case PERF_EVENT_IOC_ID:
		return put_user(event->id, (u64 __user *)arg) ? -EFAULT : 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output(event, (int)arg);
	case PERF_EVENT_IOC_SET_FILTER:
		return set_filter(event, (const char __user *)arg);
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return modify_attributes(event, (struct perf_event_attr __user *)arg);
	case PERF_EVENT_IOC_SET_BPF:
		return set_bpf(event, (int)arg);
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return pause_output(event, arg);
	case PERF_EVENT_IOC_QUERY_BPF:
		return query_bpf(event, (struct perf_event_query_bpf __user *)arg);
	case PERF_EVENT_IOC_REFRESH:
		return refresh(event, (int)arg);
	default:
		return -ENOTTY;
	}
}

static long perf_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct perf_event *event = file->private_data;

	if (cmd == PERF_EVENT_IOC_ENABLE)
		return for_each_of(event, arg, enable);
	if (cmd == PERF_EVENT_IOC_DISABLE)
		return for_each_of(event, arg, disable);
	return rare_ioctl(event, cmd, arg);
}

/* ---- O_ASYNC ---- */

/* From now on each sample sends a signal to the owner of the file. */
static int perf_fasync(int fd, struct file *file, bool on)
{
	struct perf_event *event = file->private_data;

	if (on) {
		mutex_lock(&perf_mutex);
		perf_alert_begin(event);
		mutex_unlock(&perf_mutex);
	}
	return fasync_helper(fd, file, on, &event->fasync);
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
	const struct perf_buffer *buffer;
	size_t size = (1 + (size_t)READ_ONCE(event->nr_children)) * sizeof(*event);

	rcu_read_lock();
	buffer = rcu_dereference(event->buffer);
	if (buffer)
		size += ((size_t)buffer->nr_pages + 1) * PAGE_SIZE;
	rcu_read_unlock();
	return size;
}

static ssize_t perf_write(struct file *file __unused, const char *buf __unused,
			  size_t count __unused, loff_t *pos __unused)
{
	return -EINVAL;
}

const struct file_operations perf_fops = {
	.read_iter = perf_read_iter,
	.write = perf_write,
	.llseek = no_llseek,
	.poll = perf_poll,
	.ioctl = perf_ioctl,
	.mmap = perf_mmap,
	.fasync = perf_fasync,
	.memory = perf_memory,
	.release = perf_release,
};
