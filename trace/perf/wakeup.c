/*
 * Waking the readers of a buffer.
 *
 * A hit may be in an NMI, or hold the lock of a run queue. So it only queues an irq_work, and only
 * if a reader waits: poll(2) has found nothing (buffer->waited). It queues again only after that
 * reader has come back: else a sample of an event of the interrupts that the work itself causes
 * (irq_work_exit, irq_disable) would keep the CPU busy for ever.
 */
#include "trace/perf/internal.h"

#include "fs/file/poll.h"
#include "trace/perf/wakeup.h"

void perf_buffer_wake(struct perf_buffer *buffer)
{
	/* perf_poll() sets waited, and then takes poll: one of the two sees the other. */
	(void)xchg(&buffer->poll, POLLIN);
	if (xchg(&buffer->waited, 0))
		irq_work_queue(&buffer->irq_work);
}

/* Hardirq. Samples of its own wake-ups are only counted: the guard of this level is held. */
void perf_buffer_wake_func(struct irq_work *work)
{
	struct perf_buffer *buffer = container_of(work, struct perf_buffer, irq_work);
	struct perf_event *event;
	bool guarded = perf_recursion_enter(0);

	spin_lock(&buffer->lock);
	list_for_each_entry (event, &buffer->attached, buffer_node)
		wake_up_all(&event->wait);
	spin_unlock(&buffer->lock);
	if (guarded)
		perf_recursion_exit(0);
}
