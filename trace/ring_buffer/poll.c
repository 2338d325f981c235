/*
 * Sleeping for the ring buffer, and poll: what trace/ring_buffer/wait.c leaves to the kernel's wait
 * queues.
 */
#include "fs/poll.h"
#include "kernel/sched/sched.h"
#include "trace/ring_buffer/internal.h"

/* A reader of one CPU's buffer sleeps in its queue, one of all in the buffer's. */
static wait_queue_head_t *rb_wait_queue(struct trace_buffer *buffer, int cpu)
{
	return cpu == RING_BUFFER_ALL_CPUS ? &buffer->waiters : &buffer->cpus[cpu]->waker.waiters;
}

/* Any event counts when all CPUs are waited for. */
static bool rb_any_is_ready(struct trace_buffer *buffer)
{
	for (unsigned i = 0; i < buffer->nr_cpus; i++)
		if (buffer->cpus[i] && rb_is_ready(buffer->cpus[i], 0))
			return true;
	return false;
}

/*
 * There is enough to read; else whoever writes it will wake the queue, in which the caller is
 * already.
 */
static bool rb_arm(struct trace_buffer *buffer, int cpu, unsigned percent)
{
	if (cpu != RING_BUFFER_ALL_CPUS) {
		struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];

		if (rb_want_wake(cb, percent))
			return true;
		rb_sync_cpu(cb->cpu);
		return rb_is_ready(cb, percent);
	}
	for (unsigned i = 0; i < buffer->nr_cpus; i++)
		if (buffer->cpus[i] && rb_want_wake(buffer->cpus[i], 0))
			return true;
	rb_sync_all_cpus();
	return rb_any_is_ready(buffer);
}

int ring_buffer_wait(struct trace_buffer *buffer, int cpu, const unsigned *percent,
		     bool (*cond)(void *data), void *data)
{
	wait_queue_head_t *queue = rb_wait_queue(buffer, cpu);
	DEFINE_WAIT(wait);
	int ret = 0;

	for (;;) {
		prepare_to_wait(queue, &wait, TASK_INTERRUPTIBLE);
		/* Once more after the wish: ring_buffer_wake_waiters() may just have missed it. */
		if (cond(data) || rb_arm(buffer, cpu, percent ? READ_ONCE(*percent) : 0) ||
		    cond(data))
			break;
		if (signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		schedule();
	}
	finish_wait(queue, &wait);
	return ret;
}

unsigned ring_buffer_poll_wait(struct trace_buffer *buffer, int cpu, struct file *file,
			       poll_table *table, unsigned percent)
{
	poll_wait(file, rb_wait_queue(buffer, cpu), table);
	return rb_arm(buffer, cpu, percent) ? POLLIN | POLLRDNORM : 0;
}
