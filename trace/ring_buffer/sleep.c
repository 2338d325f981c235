/*
 * Readers that sleep until the ring buffer has events. The requests to the writers are made in
 * trace/ring_buffer/wait.c.
 */
#include "kernel/sched/sched.h"
#include "trace/ring_buffer/internal.h"

struct wait_queue_head *ring_buffer_wait_queue(struct trace_buffer *buffer, int cpu)
{
	return cpu == RING_BUFFER_ALL_CPUS ? &buffer->waiters : &buffer->cpus[cpu]->waker.waiters;
}

/* A reader of all CPUs waits for any event; the percentage does not count. */
static bool rb_any_is_ready(struct trace_buffer *buffer)
{
	for (unsigned i = 0; i < buffer->nr_cpus; i++)
		if (buffer->cpus[i] && rb_is_ready(buffer->cpus[i], 0))
			return true;
	return false;
}

static bool rb_request_wake(struct trace_buffer *buffer, int cpu, unsigned percent)
{
	if (cpu != RING_BUFFER_ALL_CPUS) {
		struct ring_buffer_per_cpu *cb = READ_ONCE(buffer->cpus[cpu]);

		if (rb_want_wake(cb, percent))
			return true;
		rb_sync_cpu(cb->cpu);
		return rb_is_ready(cb, percent);
	}
	for (unsigned i = 0; i < buffer->nr_cpus; i++)
		if (buffer->cpus[i] && rb_want_wake(READ_ONCE(buffer->cpus[i]), 0))
			return true;
	rb_sync_all_cpus();
	return rb_any_is_ready(buffer);
}

/* If swap.c has given the part with the request to the other buffer, makes the request again. */
bool ring_buffer_request_wake(struct trace_buffer *buffer, int cpu, unsigned percent)
{
	u32 swaps;

	do {
		swaps = smp_load_acquire(&buffer->swaps);
		if (rb_request_wake(buffer, cpu, percent))
			return true;
	} while (swaps != READ_ONCE(buffer->swaps));
	return false;
}

int ring_buffer_wait(struct trace_buffer *buffer, int cpu, const unsigned *percent,
		     bool (*cond)(void *data), void *data)
{
	wait_queue_head_t *queue = ring_buffer_wait_queue(buffer, cpu);
	DEFINE_WAIT(wait);
	int ret = 0;

	for (;;) {
		prepare_to_wait(queue, &wait, TASK_INTERRUPTIBLE);
		/*
		 * Ask cond() again after the request: ring_buffer_wake_waiters() raises only wakers
		 * with a request, so a call just before the request wakes nothing.
		 */
		if (cond(data) ||
		    ring_buffer_request_wake(buffer, cpu, percent ? READ_ONCE(*percent) : 0) ||
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
