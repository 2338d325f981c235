/*
 * The tracer hwlat: a thread turns interrupts off and reads the time, over and over. A gap between
 * two reads then comes from the hardware, the firmware or the host, or from an NMI, which is
 * counted (Documentation/trace/hwlat_detector.rst).
 */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"
#include "kernel/time/timekeeping.h"
#include "kernel/time/trace_clock.h"
#include "trace/core/write.h"
#include "trace/tracers/noise/entries.h"
#include "trace/tracers/noise/hwlat.h"
#include "trace/tracers/noise/noise.h"
#include "trace/tracers/noise/workload.h"

#define DEFAULT_THRESHOLD (10 * NSEC_PER_USEC)

struct hwlat_settings hwlat_settings = {
	.width = 500000,
	.window = 1000000,
	.mode = HWLAT_ROUND_ROBIN,
};

/* One trace_array at a time has the tracer. [T] trace_types_lock, [A] atomic. */
static struct {
	struct trace_array *tr;     /* [T] to write, while no thread runs; NULL: none */
	struct task_struct *task;   /* [T] the only thread; NULL: none, or one for each CPU */
	bool runs;                  /* [T] threads were started */
	u32 seqnum;                 /* [A] of the last sample */
	unsigned long saved_thresh; /* [T] tracing_thresh before */
	unsigned long own_thresh;   /* [T] what it is if it was 0 */
} hwlat = { .own_thresh = DEFAULT_THRESHOLD };
static DEFINE_PER_CPU(struct task_struct *, hwlat_task); /* [T] with the mode per-cpu */

/* ---- one window ---- */

/* What one width has shown. ns. */
struct hwlat_sample {
	u64 inner, outer; /* the longest gaps */
	u64 time;         /* of day, of the first gap */
	u32 count;        /* of gaps */
	u32 nmi_count;
	u64 nmi_total;
};

/*
 * Reads the time in pairs for width us, or until the thread is stopped. The gap in a pair is the
 * inner one; that between two pairs is the outer one. Interrupts off.
 */
static void look_for_gaps(struct hwlat_sample *sample, u64 width, u64 threshold)
{
	u64 start = trace_clock_local(), last = start, first, second;

	do {
		first = trace_clock_local();
		second = trace_clock_local();
		if (second - first > threshold || first - last > threshold) {
			if (!sample->count++)
				sample->time = ktime_get_real();
		}
		sample->inner = max(sample->inner, second - first);
		sample->outer = max(sample->outer, first - last);
		last = second;
	} while (second - start < width * NSEC_PER_USEC && !READ_ONCE(current->should_stop));
}

static void record_sample(struct trace_array *tr, const struct hwlat_sample *sample)
{
	struct trace_buffer *buffer;
	struct hwlat_entry *entry;
	u32 seqnum = __atomic_add_fetch(&hwlat.seqnum, 1, __ATOMIC_RELAXED);

	preempt_disable_notrace();
	entry = trace_buffer_lock_reserve(tr, TRACE_HWLAT, sizeof(*entry), tracing_gen_ctx_dec(1),
					  &buffer);
	if (entry) {
		entry->seqnum = seqnum;
		entry->duration = sample->inner / NSEC_PER_USEC;
		entry->outer_duration = sample->outer / NSEC_PER_USEC;
		entry->tv_sec = (s64)(sample->time / NSEC_PER_SEC);
		entry->tv_nsec = (long)(sample->time % NSEC_PER_SEC);
		entry->nmi_total_ts = sample->nmi_total;
		entry->nmi_count = sample->nmi_count;
		entry->count = sample->count;
		trace_buffer_unlock_commit(buffer);
	}
	preempt_enable_notrace();
}

static void take_sample(struct trace_array *tr)
{
	struct hwlat_sample sample = { 0 };
	u64 threshold = READ_ONCE(tracing_thresh) ?: DEFAULT_THRESHOLD;
	u64 nmi_total;
	u32 nmi_count;

	local_irq_disable();
	noise_nmi_read(&nmi_count, &nmi_total);
	look_for_gaps(&sample, READ_ONCE(hwlat_settings.width), threshold);
	noise_nmi_read(&sample.nmi_count, &sample.nmi_total);
	sample.nmi_count -= nmi_count;
	sample.nmi_total -= nmi_total;
	if (sample.count)
		record_sample(tr, &sample);
	local_irq_enable();
	if (sample.count)
		trace_max_raise(tr, max(sample.inner, sample.outer));
}

/* ---- threads ---- */

/* Returns the CPU after cpu in the mask, in a circle. */
static unsigned next_cpu(const struct cpumask *mask, unsigned cpu)
{
	cpu = cpumask_next_from(cpu + 1, mask);
	return cpu < NR_CPUS ? cpu : cpumask_first(mask);
}

/* The CPUs of tracing_cpumask that run. False: none. */
static bool allowed_cpus(struct cpumask *mask)
{
	unsigned cpu;

	cpumask_clear(mask);
	for_each_online_cpu (cpu)
		if (cpumask_test_cpu(cpu, &hwlat.tr->tracing_cpumask))
			cpumask_set_cpu(cpu, mask);
	return !cpumask_empty(mask);
}

/*
 * Moves the only thread to the next CPU. *own is the mask that it has given itself. If a user has
 * given it another one, it stays there: the mode becomes none.
 */
static void move_on(struct cpumask *own)
{
	struct cpumask mask;
	unsigned cpu;

	if (!cpumask_equal(own, &current->cpus_allowed)) {
		WRITE_ONCE(hwlat_settings.mode, HWLAT_NONE);
		pr_info("hwlat_detector: cpumask changed while in round-robin mode, "
			"switching to mode none\n");
		return;
	}
	if (!allowed_cpus(&mask))
		return;
	cpu = next_cpu(&mask, smp_processor_id());
	cpumask_clear(own);
	cpumask_set_cpu(cpu, own);
	set_cpus_allowed(current, own);
}

static void wait_for_window(void)
{
	u64 window = READ_ONCE(hwlat_settings.window);
	u64 us = window - min(READ_ONCE(hwlat_settings.width), window);

	/* At least 1 ms, so that other tasks run, too. */
	workload_sleep_until(ktime_get() + max(us * NSEC_PER_USEC, NSEC_PER_MSEC));
}

/* data: NULL for the only thread, which may move. */
static int hwlat_main(void *data)
{
	struct cpumask own = current->cpus_allowed;

	while (!kthread_should_stop()) {
		if (!data && READ_ONCE(hwlat_settings.mode) == HWLAT_ROUND_ROBIN)
			move_on(&own);
		take_sample(hwlat.tr);
		wait_for_window();
	}
	return 0;
}

static void stop_threads(void)
{
	unsigned cpu;

	if (hwlat.task)
		kthread_stop(hwlat.task);
	hwlat.task = NULL;
	for_each_possible_cpu (cpu) {
		struct task_struct **task = per_cpu_ptr(&hwlat_task, cpu);

		if (*task)
			kthread_stop(*task);
		*task = NULL;
	}
	hwlat.runs = false;
}

static int start_single_thread(void)
{
	struct task_struct *task = kthread_create(hwlat_main, NULL, "hwlatd");
	struct cpumask mask;

	if (IS_ERR(task))
		return (int)PTR_ERR(task);
	if (allowed_cpus(&mask))
		set_cpus_allowed(task, &mask);
	hwlat.task = task;
	wake_up_process(task);
	return 0;
}

static int start_cpu_thread(unsigned cpu)
{
	struct task_struct *task = kthread_create(hwlat_main, &hwlat, "hwlatd/%u", cpu);

	if (IS_ERR(task))
		return (int)PTR_ERR(task);
	kthread_bind(task, cpu);
	*per_cpu_ptr(&hwlat_task, cpu) = task;
	wake_up_process(task);
	return 0;
}

static int start_threads(void)
{
	struct cpumask mask;
	unsigned cpu;
	int error = 0;

	if (hwlat_settings.mode != HWLAT_PER_CPU) {
		error = start_single_thread();
	} else {
		allowed_cpus(&mask);
		for_each_cpu (cpu, &mask)
			if (!error)
				error = start_cpu_thread(cpu);
	}
	hwlat.runs = true;
	if (error)
		stop_threads();
	return error;
}

int hwlat_set_mode(enum hwlat_mode mode)
{
	bool runs = hwlat.runs;

	if (runs)
		stop_threads();
	WRITE_ONCE(hwlat_settings.mode, mode);
	return runs ? start_threads() : 0;
}

/* ---- the tracer ---- */

static void hwlat_tracer_start(struct trace_array *tr __unused)
{
	int error = hwlat.runs ? 0 : start_threads();

	if (error)
		pr_warn("tracing: hwlat does not start: %pe\n", ERR_PTR(error));
}

static void hwlat_tracer_stop(struct trace_array *tr __unused)
{
	stop_threads();
}

/* T held; no thread runs. */
static void end_use(void)
{
	noise_nmi_stop();
	WRITE_ONCE(tracing_thresh, hwlat.saved_thresh);
	hwlat.tr = NULL;
}

static int hwlat_init(struct trace_array *tr)
{
	int error;

	if (hwlat.tr)
		return -EBUSY;
	error = noise_nmi_start();
	if (error)
		return error;
	hwlat.tr = tr;
	hwlat.seqnum = 0;
	WRITE_ONCE(tr->max.latency, 0);
	hwlat.saved_thresh = tracing_thresh;
	if (!tracing_thresh)
		WRITE_ONCE(tracing_thresh, hwlat.own_thresh);
	if (tracing_is_on_tr(tr))
		error = start_threads();
	if (error)
		end_use();
	return error;
}

static void hwlat_reset(struct trace_array *tr __unused)
{
	mutex_lock(&trace_types_lock);
	stop_threads();
	hwlat.own_thresh = tracing_thresh; /* for the next time, as in Linux */
	end_use();
	mutex_unlock(&trace_types_lock);
}

static struct tracer hwlat_tracer = {
	.name = "hwlat",
	.init = hwlat_init,
	.reset = hwlat_reset,
	.start = hwlat_tracer_start,
	.stop = hwlat_tracer_stop,
	.allow_instances = true,
};

static int __init init_hwlat(void)
{
	return register_tracer(&hwlat_tracer);
}
core_initcall(init_hwlat);
