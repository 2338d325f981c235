/*
 * trace_pipe_raw and snapshot_raw: a read takes a whole sub-buffer, as trace-cmd wants it.
 *
 * A reader of an empty trace_pipe_raw waits until the CPU's buffer is buffer_percent full. It
 * reaches the end of the file as a reader of trace_pipe does (trace_pipe.c).
 */
#include "trace/core/files.h"
#include "trace/core/trace_pipe.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"

struct trace_raw {
	struct mutex lock;
	struct trace_cpu *where;        /* constant */
	bool snapshot;                  /* constant: the file is snapshot_raw */
	struct buffer_data_page *page;  /* [lock] */
	unsigned order;                 /* [lock] page has 1 << order pages */
	size_t size;                    /* [lock] of the sub-buffer in page; 0: none yet */
	size_t read;                    /* [lock] bytes of it given to the reader */
	bool any;                       /* [lock] to write: something has been read */
	struct trace_buffer *waits_for; /* the buffer at which the reader waits */
};

static void free_raw_page(struct trace_raw *raw)
{
	if (raw->page)
		free_pages_addr(raw->page, raw->order);
	raw->page = NULL;
}

static int open_raw(struct file *file, bool snapshot)
{
	struct trace_raw *raw = kzalloc(sizeof(*raw), GFP_KERNEL);

	if (!raw)
		return -ENOMEM;
	mutex_init(&raw->lock);
	raw->where = trace_file_cpu(file);
	raw->snapshot = snapshot;
	file->private_data = raw;
	return 0;
}

static int tracing_buffers_open(struct inode *inode __unused, struct file *file)
{
	return open_raw(file, false);
}

static int snapshot_raw_open(struct inode *inode __unused, struct file *file)
{
	if (READ_ONCE(trace_file_tr(file)->current_trace)->use_max)
		return -EBUSY;
	return open_raw(file, true);
}

static int tracing_buffers_release(struct inode *inode __unused, struct file *file)
{
	struct trace_raw *raw = file->private_data;

	free_raw_page(raw);
	kfree(raw);
	return 0;
}

/*
 * The end of a wait: the end of the file, no entry will follow those in the buffer, or a snapshot
 * has exchanged the buffers.
 */
static bool raw_ended(void *data)
{
	struct trace_raw *raw = data;
	struct trace_cpu *where = raw->where;

	if (READ_ONCE(where->tr->buffer) != raw->waits_for)
		return true;
	return !tracing_is_on_tr(where->tr) &&
	       (READ_ONCE(raw->any) ||
		!ring_buffer_empty_cpu(raw->waits_for, (unsigned)where->cpu));
}

static struct trace_buffer *raw_buffer(const struct trace_raw *raw)
{
	const struct trace_array *tr = raw->where->tr;

	return raw->snapshot ? READ_ONCE(tr->snapshot) : READ_ONCE(tr->buffer);
}

/*
 * Reads a sub-buffer into page, which it makes as large as sub-buffers are. Returns its size,
 * -ENOMEM, or -EAGAIN: there is none.
 */
static int read_sub_buffer(struct trace_raw *raw)
{
	int size = -EMSGSIZE;

	for (;;) {
		struct trace_buffer *buffer = raw_buffer(raw);

		if (raw->page)
			size = ring_buffer_read_page(buffer, (unsigned)raw->where->cpu, raw->page,
						     PAGE_SIZE << raw->order, false);
		if (size != -EMSGSIZE)
			return size;
		free_raw_page(raw);
		raw->order = ring_buffer_subbuf_order_get(buffer);
		raw->page = get_free_pages(GFP_KERNEL, raw->order);
		if (!raw->page)
			return -ENOMEM;
	}
}

/*
 * Reads a sub-buffer: 1, 0 at the end of the file, -EAGAIN, -EINTR or -ENOMEM. A snapshot gets no
 * more.
 */
static int tracing_buffers_fill(struct file *file, struct trace_raw *raw)
{
	struct trace_cpu *where = raw->where;
	int ret;

	raw->size = raw->read = 0;
	while ((ret = read_sub_buffer(raw)) < 0) {
		if (ret != -EAGAIN)
			return ret;
		if (raw->snapshot)
			return 0;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (!tracing_is_on_tr(where->tr) && raw->any)
			return 0;
		raw->waits_for = READ_ONCE(where->tr->buffer);
		mutex_unlock(&raw->lock);
		ret = ring_buffer_wait(raw->waits_for, where->cpu, &where->tr->buffer_percent,
				       raw_ended, raw);
		mutex_lock(&raw->lock);
		if (ret)
			return ret;
	}
	raw->size = (size_t)ret;
	return 1;
}

static ssize_t tracing_buffers_read(struct file *file, char *buf, size_t count,
				    loff_t *pos __unused)
{
	struct trace_raw *raw = file->private_data;
	ssize_t ret = 1;
	size_t part;

	if (!count)
		return 0;
	mutex_lock(&raw->lock);
	if (raw->read >= raw->size)
		ret = tracing_buffers_fill(file, raw);
	if (ret > 0) {
		part = min(raw->size - raw->read, count);
		memcpy(buf, (const u8 *)raw->page + raw->read, part);
		raw->read += part;
		WRITE_ONCE(raw->any, true);
		ret = (ssize_t)part;
	}
	mutex_unlock(&raw->lock);
	return ret;
}

static unsigned tracing_buffers_poll(struct file *file, struct poll_table_struct *table)
{
	struct trace_raw *raw = file->private_data;
	struct trace_array *tr = raw->where->tr;
	unsigned mask = trace_pipe_poll(tr, raw->where->cpu, file, table);

	return READ_ONCE(raw->read) < READ_ONCE(raw->size) ? mask | POLLIN | POLLRDNORM : mask;
}

struct file_operations tracing_buffers_fops __ro_after_init = {
	.open = tracing_buffers_open,
	.read = tracing_buffers_read,
	.poll = tracing_buffers_poll,
	.llseek = no_llseek,
	.release = tracing_buffers_release,
};

/* The same of the snapshot. */
static const struct file_operations snapshot_raw_fops = {
	.open = snapshot_raw_open,
	.read = tracing_buffers_read,
	.llseek = no_llseek,
	.release = tracing_buffers_release,
};

TRACE_FILE(trace_pipe_raw, 0440, &tracing_buffers_fops, .only_per_cpu = true);
TRACE_FILE(snapshot_raw, 0440, &snapshot_raw_fops, .only_per_cpu = true);
