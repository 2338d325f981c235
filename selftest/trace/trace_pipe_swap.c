/* A self-test of trace_pipe while the two buffers of a CPU are exchanged, as irqsoff does. */
#include "arch/cpu/irqflags.h"
#include "kernel/mm/slab.h"
#include "selftest/selftest.h"
#include "selftest/trace/trace_pipe_reader.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/trace_printk.h"

/* Exchanges CPU 0's parts of the two buffers, as irqsoff does. text: an event before, or NULL. */
static bool swap_parts(const char *text)
{
	unsigned long flags;
	bool swapped;

	local_irq_save(flags);
	if (text)
		__trace_puts(text); /* the reader is woken only when interrupts are on */
	swapped = ring_buffer_swap_this_cpu(global_trace.buffer, global_trace.snapshot);
	local_irq_restore(flags);
	return swapped;
}

static const char *const all_files[] = { PIPE, CPU_PIPE, RAW };

SELFTEST(trace_pipe, an_event_wakes_a_reader_after_the_parts_of_its_cpu_were_exchanged)
{
	/* The second event goes to the other part, and so does the interrupt that it has raised. */
	static const char *const texts[] = { NULL, "gone\n" };

	for (unsigned i = 0; i < ARRAY_SIZE(all_files) * ARRAY_SIZE(texts); i++) {
		const char *path = all_files[i % ARRAY_SIZE(all_files)];
		struct reader r;

		ASSERT(trace_pipe_begin(0) && put("snapshot", "1") == 0 && start_reader(&r, path));
		EXPECT(swap_parts(texts[i / ARRAY_SIZE(all_files)]));
		EXPECT(stays_asleep(&r));
		trace_puts("wake up\n");
		EXPECT(join_reader(&r) > 0);
		free_page(r.buf);
		EXPECT_EQ(put("snapshot", "0"), 0);
	}
	trace_pipe_end();
}
