/* Self-tests of an NMI that reads a ring buffer while it interrupts another reader. */
#include "arch/irq/ipi.h"
#include "kernel/lib/string.h"
#include "kernel/smp.h"
#include "selftest/selftest.h"
#include "trace/ftrace/ftrace.h"
#include "trace/ring_buffer/internal.h"

static struct ring_buffer_iter *iter;
static int nmi_readings; /* reads by NMIs that arrived while this CPU held the reader lock */
static bool nmi_was_busy, nmi_found_event;

/* Runs in the NMI handler, as a dump of the trace does. */
static void read_in_nmi(unsigned long ip __unused, unsigned long parent_ip __unused,
			struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	u64 ts, lost;

	if (!rb_this_cpu_reads())
		return;
	nmi_found_event = ring_buffer_iter_peek(iter, &ts, &lost) != NULL;
	nmi_was_busy = ring_buffer_iter_busy(iter);
	WRITE_ONCE(nmi_readings, nmi_readings + 1);
}

static struct ftrace_ops ops = { .func = read_in_nmi };

SELFTEST(ring_buffer, an_nmi_that_reads_does_not_wait_for_the_reader_that_it_interrupted)
{
	static const char traced[] = "smp_handle_nmi";
	struct trace_buffer *buffer = ring_buffer_alloc(4 * RB_PAGE_SIZE, RB_FL_OVERWRITE);
	struct ring_buffer_per_cpu *cb;
	unsigned long flags;
	u64 ts, lost;

	ASSERT(buffer);
	preempt_disable();
	ASSERT(ring_buffer_lock_reserve(buffer, 8));
	ring_buffer_unlock_commit(buffer);
	cb = buffer->cpus[smp_processor_id()];
	preempt_enable();
	iter = ring_buffer_read_start(buffer, cb->cpu);
	ASSERT(iter);
	ASSERT(ftrace_set_filter(&ops, traced, strlen(traced), true) == 0);
	ASSERT(register_ftrace_function(&ops) == 0);
	flags = rb_reader_lock(cb);
	arch_send_nmi(smp_processor_id());
	while (!READ_ONCE(nmi_readings))
		cpu_relax();
	rb_reader_unlock(cb, flags);
	EXPECT(unregister_ftrace_function(&ops) == 0);
	ftrace_free_filter(&ops);
	EXPECT(nmi_was_busy && !nmi_found_event);
	EXPECT(ring_buffer_iter_peek(iter, &ts, &lost) != NULL);
	EXPECT(!ring_buffer_iter_busy(iter));
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}
