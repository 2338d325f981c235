/*
 * The tracer timerlat: on each CPU a real-time thread sleeps until a timer's interrupt wakes it,
 * once in each period. The interrupt records how late it is, and so does the thread
 * (Documentation/trace/timerlat-tracer.rst).
 *
 * The timer is CPU_EVENT_TIMERLAT of each CPU, so that its interrupt itself takes the time.
 */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "arch/unwind/stacktrace.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"
#include "kernel/time/timer.h"
#include "trace/core/write.h"
#include "trace/tracers/noise/entries.h"
#include "trace/tracers/noise/noise.h"
#include "trace/tracers/noise/workload.h"

#define TIMERLAT_PRIORITY 95 /* of SCHED_FIFO, as cyclictest's threads usually have */

/*
 * [O] written by the CPU's thread while its timer is off, by the timer's interrupt while it is on.
 */
struct timerlat {
	struct task_struct *task;               /* [O] constant while the thread runs */
	ktime_t due;                            /* [O] when the present period ends */
	u32 count;                              /* [O] of periods */
	unsigned nr_callers;                    /* [O] 0: no stack was saved in this period */
	unsigned long callers[TRACE_STACK_MAX]; /* [O] */
};
static DEFINE_PER_CPU(struct timerlat, timerlats);

/* ---- recording ---- */

static void record(struct trace_array *tr, const void *arg)
{
	const struct timerlat_entry *sample = arg;
	struct trace_buffer *buffer;
	struct timerlat_entry *entry = trace_buffer_lock_reserve(tr, TRACE_TIMERLAT, sizeof(*entry),
								 tracing_gen_ctx_dec(1), &buffer);

	if (!entry)
		return;
	entry->seqnum = sample->seqnum;
	entry->context = sample->context;
	entry->timer_latency = sample->timer_latency;
	trace_buffer_unlock_commit(buffer);
}

static void record_sample(const struct timerlat *tl, enum timerlat_context context, u64 latency)
{
	struct timerlat_entry sample = {
		.seqnum = tl->count,
		.context = (s32)context,
		.timer_latency = latency,
	};

	workload_for_each_instance(record, &sample);
}

static void record_stack(struct trace_array *tr, const void *arg)
{
	const struct timerlat *tl = arg;

	trace_write_stack(tr, tracing_gen_ctx_dec(1), tl->callers, tl->nr_callers);
}

/* Records the stack of the interrupt, if print_stack asks for it. */
static void print_stack(const struct timerlat *tl, u64 latency)
{
	u64 limit = READ_ONCE(osnoise_settings.print_stack);

	if (limit && tl->nr_callers && latency / NSEC_PER_USEC >= limit)
		workload_for_each_instance(record_stack, tl);
}

/* ---- the interrupt ---- */

/* CPU_EVENT_TIMERLAT. */
static void timerlat_irq(ktime_t interrupted __unused)
{
	struct timerlat *tl = this_cpu_ptr(&timerlats);
	u64 latency = ktime_get() - tl->due;
	u64 stop = READ_ONCE(osnoise_settings.stop_tracing);
	u64 limit = READ_ONCE(osnoise_settings.print_stack);

	noise_wake_up();
	tl->count++;
	record_sample(tl, TIMERLAT_IRQ, latency);
	if (limit)
		tl->nr_callers = stack_trace_save(tl->callers, TRACE_STACK_MAX, 0);
	if (stop && latency / NSEC_PER_USEC >= stop) {
		if (stop <= limit)
			print_stack(tl, latency);
		workload_stop_tracing();
		workload_report_max(latency);
	}
	wake_up_process(tl->task);
}

static void set_timer(ktime_t when)
{
	unsigned long flags;

	local_irq_save(flags);
	cpu_event_start(CPU_EVENT_TIMERLAT, when);
	local_irq_restore(flags);
}

/* ---- the thread ---- */

/* Sleeps until the timer wakes it. Skips periods that have ended already. */
static void wait_for_period(struct timerlat *tl)
{
	u64 period = READ_ONCE(osnoise_settings.timerlat_period) * NSEC_PER_USEC;
	ktime_t now = ktime_get();

	preempt_disable();
	noise_mute();
	preempt_enable();
	tl->nr_callers = 0;
	do {
		tl->due += period;
	} while (tl->due < now);
	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop()) { /* else its wake-up may have come before */
		set_timer(tl->due);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

static void handle_period(const struct timerlat *tl)
{
	u64 latency = ktime_get() - tl->due;
	u64 stop = READ_ONCE(osnoise_settings.stop_tracing_total);

	record_sample(tl, TIMERLAT_THREAD, latency);
	workload_report_max(latency);
	print_stack(tl, latency);
	if (stop && latency / NSEC_PER_USEC >= stop)
		workload_stop_tracing();
}

static int timerlat_main(void *data)
{
	unsigned cpu = (unsigned)(unsigned long)data;
	struct timerlat *tl = per_cpu_ptr(&timerlats, cpu);

	sched_setscheduler(current, SCHED_FIFO, TIMERLAT_PRIORITY);
	workload_thread_begin(cpu);
	*tl = (struct timerlat){ .task = current, .due = ktime_get() };
	noise_set_sampling(cpu, true);
	wait_for_period(tl);
	while (!kthread_should_stop()) {
		handle_period(tl);
		wait_for_period(tl);
	}
	set_timer(KTIME_MAX);
	workload_thread_end(cpu);
	return 0;
}

/* ---- the tracer ---- */

static const struct workload timerlat_workload = {
	.name = "timerlat",
	.main = timerlat_main,
	.always = true,
};

static void timerlat_start(struct trace_array *tr)
{
	int error = workload_begin(&timerlat_workload, tr);

	if (error)
		pr_warn("tracing: timerlat does not start: %pe\n", ERR_PTR(error));
}

static void timerlat_stop(struct trace_array *tr)
{
	workload_end(tr);
}

static int timerlat_init(struct trace_array *tr)
{
	WRITE_ONCE(tr->max.latency, 0);
	return workload_begin(&timerlat_workload, tr);
}

static void timerlat_reset(struct trace_array *tr)
{
	mutex_lock(&trace_types_lock);
	workload_end(tr);
	mutex_unlock(&trace_types_lock);
}

static void timerlat_print_header(struct seq_file *m, struct trace_iterator *iter __unused)
{
	seq_puts(m, "#                                _-----=> irqs-off\n"
		    "#                               / _----=> need-resched\n"
		    "#                              | / _---=> hardirq/softirq\n"
		    "#                              || / _--=> preempt-depth\n"
		    "#                              || /\n"
		    "#                              ||||             ACTIVATION\n"
		    "#           TASK-PID      CPU# ||||   TIMESTAMP    ID            CONTEXT  "
		    "              LATENCY\n"
		    "#              | |         |   ||||      |         |                  |   "
		    "                    |\n");
}

static struct tracer timerlat_tracer = {
	.name = "timerlat",
	.init = timerlat_init,
	.reset = timerlat_reset,
	.start = timerlat_start,
	.stop = timerlat_stop,
	.print_header = timerlat_print_header,
	.allow_instances = true,
};

static int __init init_timerlat(void)
{
	cpu_event_setup(CPU_EVENT_TIMERLAT, timerlat_irq);
	return register_tracer(&timerlat_tracer);
}
core_initcall(init_timerlat);
