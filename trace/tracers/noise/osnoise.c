/*
 * The tracer osnoise: on each CPU a thread reads the time, over and over. A gap between two reads
 * is noise: something else has used the CPU. At the end of each period the thread records how much
 * noise there was, and what interruptions (Documentation/trace/osnoise-tracer.rst).
 */
#include "arch/cpu/irqflags.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"
#include "trace/core/write.h"
#include "trace/tracers/noise/entries.h"
#include "trace/tracers/noise/noise.h"
#include "trace/tracers/noise/osnoise_events.h"
#include "trace/tracers/noise/workload.h"

#define DEFAULT_THRESHOLD (5 * NSEC_PER_USEC) /* a shorter gap is not noise */

/* What a thread finds in one period. ns. */
struct sample {
	u64 noise, max_noise, runtime;
	u32 hw_count;              /* gaps without an interruption */
	struct noise_counts count; /* interruptions */
};

/* ---- one period ---- */

static void handle_gap(struct sample *sample, u64 start, u64 gap, u64 interruptions)
{
	u64 stop = READ_ONCE(osnoise_settings.stop_tracing);

	sample->noise += gap;
	sample->max_noise = max(sample->max_noise, gap);
	if (!interruptions)
		sample->hw_count++;
	trace_sample_threshold(start, gap, interruptions);
	if (stop)
		workload_report_max(gap);
	if (stop && gap > stop * NSEC_PER_USEC)
		workload_stop_tracing();
}

/* Reads the time for runtime_us. */
static void look_for_noise(struct sample *sample, bool may_sleep)
{
	u64 threshold = READ_ONCE(tracing_thresh) ?: DEFAULT_THRESHOLD;
	u64 runtime = READ_ONCE(osnoise_settings.runtime);
	u64 interruptions, last_interruptions;
	u64 start = noise_clock(&last_interruptions), last = start, now;

	do {
		now = noise_clock(&interruptions);
		if (now - last >= threshold)
			handle_gap(sample, last, now - last, interruptions - last_interruptions);
		last = now;
		last_interruptions = interruptions;
		if (may_sleep)
			cond_resched();
	} while (!kthread_should_stop() && (now - start) / NSEC_PER_USEC < runtime);
	sample->runtime = now - start;
}

static void take_sample(struct sample *sample, unsigned cpu)
{
	bool irqs_off = osnoise_option(OSN_IRQ_DISABLE);
	bool preempt_off = irqs_off || osnoise_option(OSN_PREEMPT_DISABLE);
	struct noise_counts before, after;

	*sample = (struct sample){ 0 };
	if (preempt_off)
		preempt_disable();
	if (irqs_off)
		local_irq_disable();
	noise_set_sampling(cpu, true);
	before = noise_counts();
	look_for_noise(sample, !preempt_off);
	noise_set_sampling(cpu, false);
	after = noise_counts();
	if (irqs_off)
		local_irq_enable();
	if (preempt_off)
		preempt_enable();
	for (unsigned kind = 0; kind < NR_NOISE_KINDS; kind++)
		sample->count.of[kind] = after.of[kind] - before.of[kind];
}

static void record(struct trace_array *tr, const void *arg)
{
	const struct sample *sample = arg;
	struct trace_buffer *buffer;
	struct osnoise_entry *entry = trace_buffer_lock_reserve(tr, TRACE_OSNOISE, sizeof(*entry),
								tracing_gen_ctx_dec(1), &buffer);

	if (!entry)
		return;
	entry->runtime = sample->runtime / NSEC_PER_USEC;
	entry->noise = sample->noise / NSEC_PER_USEC;
	entry->max_sample = sample->max_noise / NSEC_PER_USEC;
	entry->hw_count = sample->hw_count;
	entry->nmi_count = sample->count.of[NOISE_NMI];
	entry->irq_count = sample->count.of[NOISE_IRQ];
	entry->softirq_count = sample->count.of[NOISE_SOFTIRQ];
	entry->thread_count = sample->count.of[NOISE_THREAD];
	trace_buffer_unlock_commit(buffer);
}

/* Waits for the next period. A thread that runs all the time still lets others run. */
static void wait_for_period(void)
{
	u64 period = READ_ONCE(osnoise_settings.period);
	u64 us = period - min(READ_ONCE(osnoise_settings.runtime), period);

	if (us)
		workload_sleep_until(ktime_get() + us * NSEC_PER_USEC);
	else
		cond_resched();
}

static int osnoise_main(void *data)
{
	unsigned cpu = (unsigned)(unsigned long)data;
	struct sample sample;
	u64 stop_total;

	workload_thread_begin(cpu);
	while (!kthread_should_stop()) {
		take_sample(&sample, cpu);
		workload_report_max(sample.max_noise);
		workload_for_each_instance(record, &sample);
		stop_total = READ_ONCE(osnoise_settings.stop_tracing_total);
		if (stop_total && sample.noise / NSEC_PER_USEC > stop_total)
			workload_stop_tracing();
		wait_for_period();
	}
	workload_thread_end(cpu);
	return 0;
}

/* ---- the tracer ---- */

static const struct workload osnoise_workload = { .name = "osnoise", .main = osnoise_main };

static void osnoise_start(struct trace_array *tr)
{
	int error = workload_begin(&osnoise_workload, tr);

	if (error)
		pr_warn("tracing: osnoise does not start: %pe\n", ERR_PTR(error));
}

static void osnoise_stop(struct trace_array *tr)
{
	workload_end(tr);
}

static int osnoise_init(struct trace_array *tr)
{
	WRITE_ONCE(tr->max.latency, 0);
	return workload_begin(&osnoise_workload, tr);
}

static void osnoise_reset(struct trace_array *tr)
{
	mutex_lock(&trace_types_lock);
	workload_end(tr);
	mutex_unlock(&trace_types_lock);
}

static void osnoise_print_header(struct seq_file *m, struct trace_iterator *iter __unused)
{
	seq_puts(m,
		 "#                                _-----=> irqs-off\n"
		 "#                               / _----=> need-resched\n"
		 "#                              | / _---=> hardirq/softirq\n"
		 "#                              || / _--=> preempt-depth                        "
		 "    MAX\n"
		 "#                              || /                                            "
		 " SINGLE     Interference counters:\n"
		 "#                              ||||               RUNTIME      NOISE   % OF CPU"
		 "  NOISE    +-----------------------------+\n"
		 "#           TASK-PID      CPU# ||||   TIMESTAMP    IN US       IN US  AVAILABLE"
		 "  IN US     HW    NMI    IRQ   SIRQ THREAD\n"
		 "#              | |         |   ||||      |           |             |    |      "
		 "      |      |      |      |      |      |\n");
}

static struct tracer osnoise_tracer = {
	.name = "osnoise",
	.init = osnoise_init,
	.reset = osnoise_reset,
	.start = osnoise_start,
	.stop = osnoise_stop,
	.print_header = osnoise_print_header,
	.allow_instances = true,
};

static int __init init_osnoise(void)
{
	return register_tracer(&osnoise_tracer);
}
core_initcall(init_osnoise);
