/*
 * trace_pipe: a read consumes the trace as text, and waits for new entries. Each entry goes to one
 * reader.
 *
 * A reader that has read something reaches the end of the file when the trace is empty and
 * tracing_on is 0. Otherwise it waits. poll(2) waits until a CPU's buffer is buffer_percent full
 * (Documentation/trace/ftrace.rst).
 */
#include "trace/core/trace_pipe.h"

#include "fs/file/poll.h"
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"

struct trace_pipe {
	struct mutex lock;              /* readers of this open file */
	bool pending;                   /* [lock] the current entry is consumed but not printed */
	bool any;                       /* [lock] to write: something has been read */
	struct trace_iterator *iter;    /* [lock], itself constant */
	struct trace_buffer *waits_for; /* the buffer at which the reader waits */
};

static int tracing_open_pipe(struct inode *inode __unused, struct file *file)
{
	struct trace_cpu *where = trace_file_cpu(file);
	struct trace_pipe *pipe = kzalloc(sizeof(*pipe), GFP_KERNEL);

	if (!pipe)
		return -ENOMEM;
	mutex_init(&pipe->lock);
	pipe->iter = trace_iterator_alloc(where->tr, where->cpu, true);
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

	trace_iterator_free(pipe->iter);
	kfree(pipe);
	return 0;
}

/* Returns whether the reader has reached the end of the file. */
static bool pipe_ended(const struct trace_pipe *pipe)
{
	return !tracing_is_on_tr(pipe->iter->tr) && READ_ONCE(pipe->any);
}

/* The end of a wait: the end of the file, or a snapshot has exchanged the buffers. */
static bool pipe_wait_over(void *data)
{
	const struct trace_pipe *pipe = data;

	return pipe_ended(pipe) || READ_ONCE(pipe->iter->tr->buffer) != pipe->waits_for;
}

/* Waits for an entry. Returns 1: an entry waits to be read; 0: the end of the file; -EAGAIN,
 * -EINTR. */
static int tracing_wait_pipe(struct file *file, struct trace_pipe *pipe)
{
	struct trace_iterator *iter = pipe->iter;
	int ret;

	while (!pipe->pending && trace_empty(iter)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (pipe_ended(pipe))
			return 0;
		pipe->waits_for = READ_ONCE(iter->tr->buffer);
		mutex_unlock(&pipe->lock);
		ret = ring_buffer_wait(pipe->waits_for, iter->cpu_file, NULL, pipe_wait_over, pipe);
		mutex_lock(&pipe->lock);
		if (ret)
			return ret;
	}
	return 1;
}

/*
 * Consumes the oldest entry. pipe_lock excludes the other readers of this trace. 1, 0: there is no
 * entry, or -ENOMEM.
 */
static int pipe_next_entry(struct trace_iterator *iter)
{
	int ret;

	mutex_lock(&iter->tr->pipe_lock);
	ret = trace_iterator_fit(iter);
	if (!ret)
		ret = trace_find_next_entry(iter);
	mutex_unlock(&iter->tr->pipe_lock);
	return ret;
}

/* Prints entries into the empty iter->seq until it holds count bytes. 0, or -ENOMEM: none fits. */
static int pipe_fill(struct trace_pipe *pipe, size_t count)
{
	struct trace_iterator *iter = pipe->iter;
	struct trace_seq *s = &iter->seq;

	for (;;) {
		int found = pipe->pending ? 1 : pipe_next_entry(iter);
		size_t before = s->len;

		if (found <= 0)
			return before ? 0 : found;
		pipe->pending = true;
		if (print_trace_line(iter) == TRACE_TYPE_PARTIAL_LINE ||
		    trace_seq_has_overflowed(s)) {
			s->len = before;
			s->full = false;
			if (before)
				return 0; /* the next read prints the entry first */
			trace_seq_puts(s, "[LINE TOO BIG]\n");
		}
		pipe->pending = false;
		if (s->len >= count)
			return 0;
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
		trace_iterator_follow_tracer(pipe->iter);
		ret = pipe_fill(pipe, count);
		if (ret)
			break;
		ret = trace_seq_to_user(&pipe->iter->seq, buf, count);
	}
	if (ret > 0)
		WRITE_ONCE(pipe->any, true);
	mutex_unlock(&pipe->lock);
	return ret;
}

/* With tracing off no entry will follow, so one entry is enough for poll(2). */
static unsigned pipe_percent(struct trace_array *tr)
{
	return tracing_is_on_tr(tr) ? READ_ONCE(tr->buffer_percent) : 0;
}

/*
 * At both buffers, because a snapshot may exchange them during the wait: poll(2) enters the queues
 * only at its first call, and epoll once for all. The request is made at the buffer that writers
 * use.
 */
unsigned trace_pipe_poll(struct trace_array *tr, int cpu, struct file *file,
			 struct poll_table_struct *table)
{
	struct trace_buffer *buffer;
	unsigned mask;

	for (unsigned i = 0; i < ARRAY_SIZE(tr->buffers); i++)
		poll_wait(file, ring_buffer_wait_queue(tr->buffers[i], cpu), table);
	do {
		buffer = READ_ONCE(tr->buffer);
		mask = ring_buffer_request_wake(buffer, cpu, pipe_percent(tr)) ? POLLIN | POLLRDNORM
									       : 0;
	} while (!mask && buffer != READ_ONCE(tr->buffer));
	return mask;
}

static unsigned tracing_poll_pipe(struct file *file, struct poll_table_struct *table)
{
	struct trace_pipe *pipe = file->private_data;
	struct trace_iterator *iter = pipe->iter;
	unsigned mask;

	/* With the option block, poll(2) always reports data, and the reader waits in read(2). */
	if (READ_ONCE(iter->tr->trace_flags) & TRACE_ITER_BLOCK)
		return POLLIN | POLLRDNORM;
	mask = trace_pipe_poll(iter->tr, iter->cpu_file, file, table);

	/* The rest of an earlier read is ready, too. */
	if (READ_ONCE(pipe->pending) || iter->seq.readpos < READ_ONCE(iter->seq.len))
		mask |= POLLIN | POLLRDNORM;
	return mask;
}

static const struct file_operations tracing_pipe_fops = {
	.open = tracing_open_pipe,
	.read = tracing_read_pipe,
	.poll = tracing_poll_pipe,
	.llseek = no_llseek,
	.release = tracing_release_pipe,
};

TRACE_FILE(trace_pipe, 0440, &tracing_pipe_fops, .per_cpu = true);
