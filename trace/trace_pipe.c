/*
 * trace_pipe: the trace as text that is consumed by reading and waited for; one event goes to one
 * reader.
 *
 * Nobody wakes a reader: an event may come from a place where nothing can be woken (an NMI, the
 * scheduler with its locks). So a reader that has nothing looks again every few milliseconds.
 */
#include "trace/trace.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"

#define PIPE_POLL_NS (20 * NSEC_PER_MSEC)

struct trace_pipe {
	struct mutex lock;           /* readers of this open file */
	bool pending;                /* [lock] the current entry was consumed and not yet printed */
	bool any;                    /* [lock] something has been read */
	struct trace_iterator *iter; /* [lock] */
};

static int tracing_open_pipe(struct inode *inode __unused, struct file *file)
{
	struct trace_cpu *where = trace_file_cpu(file);
	struct trace_pipe *pipe = kzalloc(sizeof(*pipe), GFP_KERNEL);

	if (!pipe)
		return -ENOMEM;
	mutex_init(&pipe->lock);
	mutex_lock(&trace_types_lock);
	pipe->iter = trace_iterator_alloc(where->tr, where->cpu, true);
	if (pipe->iter && pipe->iter->trace->pipe_open)
		pipe->iter->trace->pipe_open(pipe->iter);
	mutex_unlock(&trace_types_lock);
	if (!pipe->iter) {
		kfree(pipe);
		return -ENOMEM;
	}
	file->private_data = pipe;
	return 0;
}

static int tracing_release_pipe(struct inode *inode __unused, struct file *file)
{
	struct trace_pipe *pipe = file->private_data;

	mutex_lock(&trace_types_lock);
	if (pipe->iter->trace->pipe_close)
		pipe->iter->trace->pipe_close(pipe->iter);
	mutex_unlock(&trace_types_lock);
	trace_iterator_free(pipe->iter);
	kfree(pipe);
	return 0;
}

/* The tracer may have changed since the file was opened. T is not needed: tracers are for ever. */
static void pipe_follow_tracer(struct trace_iterator *iter)
{
	struct tracer *now = READ_ONCE(iter->tr->current_trace);

	if (now == iter->trace)
		return;
	mutex_lock(&trace_types_lock);
	if (iter->trace->pipe_close)
		iter->trace->pipe_close(iter);
	iter->trace = iter->tr->current_trace;
	if (iter->trace->pipe_open)
		iter->trace->pipe_open(iter);
	mutex_unlock(&trace_types_lock);
}

/* Until there is an entry: 1. 0 at the end: what was on is off, and all has been read. Or -EAGAIN,
 * -EINTR. */
static int tracing_wait_pipe(struct file *file, struct trace_pipe *pipe)
{
	struct trace_iterator *iter = pipe->iter;

	while (!pipe->pending && trace_empty(iter)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (!tracing_is_on_tr(iter->tr) && pipe->any)
			return 0;
		mutex_unlock(&pipe->lock);
		if (sleep_interruptible(PIPE_POLL_NS)) {
			mutex_lock(&pipe->lock);
			return -EINTR;
		}
		mutex_lock(&pipe->lock);
	}
	return 1;
}

/* Consume the oldest entry, alone among the readers of this trace. */
static bool pipe_next_entry(struct trace_iterator *iter)
{
	bool found;

	mutex_lock(&iter->tr->pipe_lock);
	found = trace_find_next_entry(iter);
	mutex_unlock(&iter->tr->pipe_lock);
	return found;
}

/* Print entries into iter->seq, which is empty, until it holds count bytes. */
static void pipe_fill(struct trace_pipe *pipe, size_t count)
{
	struct trace_iterator *iter = pipe->iter;
	struct trace_seq *s = &iter->seq;

	while (pipe->pending || pipe_next_entry(iter)) {
		size_t before = s->len;

		pipe->pending = true;
		if (print_trace_line(iter) == TRACE_TYPE_PARTIAL_LINE ||
		    trace_seq_has_overflowed(s)) {
			s->len = before;
			s->full = false;
			if (before)
				return; /* it goes first the next time */
			trace_seq_puts(s, "[LINE TOO BIG]\n");
		}
		pipe->pending = false;
		if (s->len >= count)
			return;
	}
}

static ssize_t tracing_read_pipe(struct file *file, char *buf, size_t count, loff_t *pos __unused)
{
	struct trace_pipe *pipe = file->private_data;
	ssize_t ret;

	if (!count)
		return 0;
	mutex_lock(&pipe->lock);
	ret = trace_seq_to_user(&pipe->iter->seq, buf, count);
	while (ret == -EBUSY) {
		trace_seq_init(&pipe->iter->seq);
		ret = tracing_wait_pipe(file, pipe);
		if (ret <= 0)
			break;
		pipe_follow_tracer(pipe->iter);
		pipe_fill(pipe, count);
		ret = trace_seq_to_user(&pipe->iter->seq, buf, count);
	}
	if (ret > 0)
		pipe->any = true;
	mutex_unlock(&pipe->lock);
	return ret;
}

static const struct file_operations tracing_pipe_fops = {
	.open = tracing_open_pipe,
	.read = tracing_read_pipe,
	.llseek = no_llseek,
	.release = tracing_release_pipe,
};

/* ---- trace_pipe_raw: whole sub-buffers, as trace-cmd wants them ---- */

struct trace_raw {
	struct mutex lock;
	struct buffer_data_page *page; /* [lock] */
	size_t read; /* [lock] bytes of page given to the reader; PAGE_SIZE: none left */
	bool any;    /* [lock] */
};

static int tracing_buffers_open(struct inode *inode __unused, struct file *file)
{
	struct trace_raw *raw = kzalloc(sizeof(*raw), GFP_KERNEL);

	if (!raw)
		return -ENOMEM;
	raw->page = get_free_page(GFP_KERNEL);
	if (!raw->page) {
		kfree(raw);
		return -ENOMEM;
	}
	mutex_init(&raw->lock);
	raw->read = PAGE_SIZE;
	file->private_data = raw;
	return 0;
}

static int tracing_buffers_release(struct inode *inode __unused, struct file *file)
{
	struct trace_raw *raw = file->private_data;

	free_page(raw->page);
	kfree(raw);
	return 0;
}

/* Get a sub-buffer: 1, 0 at the end, -EAGAIN, -EINTR. */
static int tracing_buffers_fill(struct file *file, struct trace_raw *raw)
{
	struct trace_cpu *where = trace_file_cpu(file);

	while (ring_buffer_read_page(where->tr->buffer, (unsigned)where->cpu, raw->page, false)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (!tracing_is_on_tr(where->tr) && raw->any)
			return 0;
		mutex_unlock(&raw->lock);
		if (sleep_interruptible(PIPE_POLL_NS)) {
			mutex_lock(&raw->lock);
			return -EINTR;
		}
		mutex_lock(&raw->lock);
	}
	raw->read = 0;
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
	if (raw->read >= PAGE_SIZE)
		ret = tracing_buffers_fill(file, raw);
	if (ret > 0) {
		part = min(PAGE_SIZE - raw->read, count);
		memcpy(buf, (const u8 *)raw->page + raw->read, part);
		raw->read += part;
		raw->any = true;
		ret = (ssize_t)part;
	}
	mutex_unlock(&raw->lock);
	return ret;
}

static const struct file_operations tracing_buffers_fops = {
	.open = tracing_buffers_open,
	.read = tracing_buffers_read,
	.llseek = no_llseek,
	.release = tracing_buffers_release,
};

static const struct trace_file trace_pipe_files[] = {
	{ .name = "trace_pipe", .mode = 0440, .fops = &tracing_pipe_fops, .per_cpu = true },
	{ .name = "trace_pipe_raw",
	  .mode = 0440,
	  .fops = &tracing_buffers_fops,
	  .only_per_cpu = true },
	{ .name = NULL },
};

static int __init trace_pipe_init(void)
{
	trace_register_files(trace_pipe_files);
	return 0;
}
core_initcall(trace_pipe_init);
